package campaign

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Cell is one kind of traces on one target. A campaign has one or more, and
// each has a stream of seeds of its own.
type Cell struct {
	Target   *replay.Target
	Generate gen.Config // what traces to make; the model and the description are the target's
	From     Sourcing   // where they come from; nil: our generators make them
}

// Cells are all kinds of traces on all targets; no kinds are the default one.
func Cells(targets []*replay.Target, kinds ...gen.Config) []Cell {
	if len(kinds) == 0 {
		kinds = []gen.Config{{}}
	}
	var cells []Cell
	for _, t := range targets {
		for _, kind := range kinds {
			cells = append(cells, Cell{Target: t, Generate: kind})
		}
	}
	return cells
}

// name tells the cell from others of a campaign.
func (c *Cell) name() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s%s", c.Target.Name, c.Target.Model.Name, c.choices()))
}

// kind tells its traces from others.
func (c *Cell) kind() string {
	kind := strings.TrimPrefix(c.choices(), " --profile ")
	if c.From != nil {
		return strings.TrimPrefix(kind, " --")
	}
	if c.Generate.Profile == "" {
		kind = c.Generate.ProfileName() + kind
	}
	return kind
}

// CellSeed is what the seeds of a cell are derived from. That of the first one is
// the campaign's: a campaign of one cell is what 'ipafuzz gen' makes of the seed.
func (c *Config) CellSeed(cell int) uint64 {
	if cell == 0 {
		return c.Seed
	}
	const streams = 1 << 63 // of cells, apart from the shards of a campaign
	return gen.Seed(c.Seed, streams, uint64(cell))
}

// A cell is one that is at work. What is not constant is guarded by the
// campaign's lock.
type cell struct {
	*Cell
	index    int
	who      int // the number of its target
	seed     uint64
	shard    uint64
	generate gen.Config // complete

	numbers  ledger
	counts   stats.Counts
	profiles map[string]*stats.ProfileUse
	findings map[oracle.Class]int
	lessons  lessons
}

// An origin is where a trace comes from.
type origin struct {
	cell   *cell
	number uint64
}

func (o origin) seed() uint64 { return gen.Seed(o.cell.seed, o.cell.shard, o.number) }
