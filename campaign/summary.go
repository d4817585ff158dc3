package campaign

import (
	"errors"
	"maps"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Summary is what a campaign ends with.
type Summary struct {
	stats.Stats
	Found       []*store.Finding
	Unconfirmed []store.Unconfirmed
	Tally       oracle.Tally
	// Disagreements are the first few answers that targets differ in while nothing
	// proves who is right; Disputed counts them all.
	Disagreements []store.Disagreement
	Disputed      uint64
	Beyond        uint64 // failures that were not looked at: of too many different kinds
	Measures      *stats.Measures
	Faults        source.GeneratorFaults
	Known         map[oracle.Key]uint64 // hits of findings of earlier runs, by key
}

func (c *Campaign) summary() Summary {
	totals, outcome, disputes := c.book.totals(), c.registry.Outcome(), c.disputes.now()
	maps.DeleteFunc(totals.measures.Firsts, func(key oracle.Key, _ map[string]stats.First) bool {
		return !c.registry.Has(key)
	})
	return Summary{Stats: c.Stats(), Found: outcome.Found, Unconfirmed: outcome.Unconfirmed, Tally: totals.tally,
		Disagreements: disputes.Kept, Disputed: disputes.All, Beyond: outcome.Beyond, Measures: totals.measures,
		Faults: totals.faults, Known: outcome.Known}
}

// finish writes how the run ended, and releases the directory.
func (c *Campaign) finish(summary Summary) error {
	end := store.End{Stats: &summary.Stats, Tally: &summary.Tally, Measures: summary.Measures,
		Disputed: summary.Disputed, Findings: summary.Found}
	for _, u := range summary.Unconfirmed {
		end.Unconfirmed = append(end.Unconfirmed, u.Key)
	}
	return errors.Join(c.saveOnce(true), c.archivist.Finish(), c.store.Finish(end))
}

// record returns what campaign.json says of the configuration.
func (c *Campaign) record() store.Record {
	config := &c.config
	r := store.Record{Seed: config.Seed, Shard: config.Shard, Of: config.Of, Way: config.Way, Avoid: config.Avoid,
		Workers: config.Workers, Fair: config.Fair}
	for i := range c.targets {
		of := recordOfTarget(&c.targets[i])
		if i < c.fuzzed {
			r.Targets = append(r.Targets, of)
		} else {
			r.Against = append(r.Against, of)
		}
	}
	for _, of := range c.book.cells {
		r.Cells = append(r.Cells, store.CellRecord{Target: of.Target.Name, Kind: of.Kind(), Seed: of.Seed,
			Generate: of.Record()})
	}
	return r
}

// commands makes the commands that findings name.
type commands Campaign

func (c *commands) Replay(f *store.Finding) string { return c.config.ReplayCommand(f) }

func (c *commands) Generate(f *store.Finding) string {
	return c.config.GenCommand(c.config.Program, f.Cell, f.Number, f.Without)
}
