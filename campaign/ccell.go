package campaign

import (
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// CellSeed is what the seeds of a cell are derived from. That of the first one is
// the campaign's: a campaign of one cell is what 'ipafuzz gen' makes of the seed.
func (c *Config) CellSeed(cell int) uint64 {
	if cell == 0 {
		return c.Seed
	}
	const streams = 1 << 63 // of cells, apart from the shards of a campaign
	return gen.Seed(c.Seed, streams, uint64(cell))
}

// A cell is a stream at work. The campaign's lock guards everything but the stream.
type cell struct {
	*source.Stream
	target   int // its number
	numbers  source.Ledger
	counts   stats.Counts
	profiles map[string]*stats.ProfileUse
	findings map[oracle.Class]int
}
