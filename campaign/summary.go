package campaign

import (
	"errors"
	"maps"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Stats returns what has happened so far. The cells are in the order of the
// configuration's.
func (c *Campaign) Stats() stats.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statsNow()
}

func (c *Campaign) statsNow() stats.Stats {
	elapsed := c.before
	if !c.begun.IsZero() {
		elapsed = time.Since(c.begun)
	}
	s := stats.Stats{Elapsed: elapsed, Findings: len(c.found), Unconfirmed: len(c.unconfirmed)}
	for _, of := range c.cells {
		cell := stats.CellStats{Target: of.Target.Name, Model: of.Target.Model.Name, Kind: of.Kind(), Counts: of.counts,
			Learned: source.Learned(of.Lessons.Now()), Findings: maps.Clone(of.findings),
			Profiles: make(map[string]*stats.ProfileUse)}
		stats.JoinProfiles(cell.Profiles, of.profiles)
		s.AddCell(cell)
	}
	return s
}

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
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Summary{Stats: c.statsNow(), Found: c.found, Beyond: c.beyond, Tally: c.tallyNow(), Measures: c.measured()}
	s.Faults, s.Known = c.faults.Clone(), c.knownHits()
	s.Disagreements, s.Disputed = c.disputes.kept, c.disputes.all
	for _, u := range c.unconfirmed {
		if c.byKey[u.Key] == nil { // no later run confirmed it
			s.Unconfirmed = append(s.Unconfirmed, u)
		}
	}
	return s
}

// negative is a tally that takes another one back when it is added: numbers wrap.
func negative(t oracle.Tally) oracle.Tally {
	n := oracle.Tally{Runs: -t.Runs, Solves: -t.Solves, Unknown: -t.Unknown, Certified: -t.Certified}
	for _, c := range t.Checks {
		n.Checks = append(n.Checks, oracle.CheckCount{Check: c.Check, Decided: -c.Decided})
	}
	return n
}

// tallyNow is the tally of all lanes, those that are at work included.
func (c *Campaign) tallyNow() oracle.Tally {
	var all oracle.Tally
	all.Add(c.tally)
	for _, t := range c.tallies {
		all.Add(t)
	}
	return all
}

// noTraces is the error of a run that ends before that, without a trace.
func (c *Campaign) noTraces() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults.NoTraces()
}

// Finish writes how the run ended, and releases the directory.
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
	for i := range c.subjects {
		of := recordOfTarget(&c.subjects[i])
		if i < c.fuzzed {
			r.Targets = append(r.Targets, of)
		} else {
			r.Against = append(r.Against, of)
		}
	}
	for _, of := range c.cells {
		r.Cells = append(r.Cells, store.CellRecord{Target: of.Target.Name, Kind: of.Kind(), Seed: of.Seed,
			Generate: of.Record()})
	}
	return r
}

// commands makes the commands that findings name.
type commands Campaign

func (c *commands) Replay(f *store.Finding) string { return c.config.replayCommand(f) }

func (c *commands) Generate(f *store.Finding) string {
	return c.config.GenCommand(c.config.Program, f.Cell, f.Number, f.Without)
}
