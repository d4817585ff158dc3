package campaign

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// Stats returns the statistics so far. The cells are in the order of the configuration.
func (c *Campaign) Stats() stats.Stats {
	s := c.book.Stats()
	s.Elapsed = c.clock.Elapsed()
	s.Findings, s.Unconfirmed = c.registry.Counts()
	s.FollowUps.InProgress, s.FollowUps.Queued = c.pacer.Waits()
	s.FollowUps.Confirming, s.FollowUps.Reducing = c.pacer.Spent()
	s.FollowUps.Causes = c.budgets.Causes.Spent() + c.budgets.Samples.Spent()
	s.FollowUps.Standstill, _ = c.progress.Stood()
	return s
}

// Kinds returns what the kinds of traces cost and found so far.
func (c *Campaign) Kinds() []stats.KindUse {
	all := c.earlier.kinds
	for _, t := range c.lineup.All[:c.lineup.Fuzzed] {
		all = stats.JoinKinds(all, t.Costs.Uses(t.Name))
	}
	return stats.JoinKinds(all)
}

// Watch returns the findings that are being reduced, then all others, the newest first.
func (c *Campaign) Watch() []*store.Finding { return c.registry.Watch() }

// Reducing returns the findings that are being reduced, the newest first.
func (c *Campaign) Reducing() []*store.Finding { return c.registry.Reducing() }

// Pause stops the workers from taking new traces, or lets them continue. They finish the traces that they
// have taken, and the clock runs on.
func (c *Campaign) Pause(on bool) {
	if on {
		c.progress.End()
	} else if c.Paused() {
		c.progress.Begin()
	}
	c.halt.Pause(on)
}

// Paused reports whether the campaign is paused.
func (c *Campaign) Paused() bool { return c.halt.Paused() }

// Standing returns how long no new trace has run, and why.
func (c *Campaign) Standing() (since time.Duration, why string) {
	if since = c.progress.Finished(); since > 0 {
		return since, "the search has ended; what it found is being confirmed and reduced"
	}
	if _, since = c.progress.Stood(); since == 0 {
		return 0, ""
	}
	return since, c.book.Why()
}

// A Summary is the result of a campaign.
type Summary struct {
	stats.Stats
	// EndedBy describes which process of a target ended the run, or may have; "": none.
	EndedBy string
	// Disturbed describes how a target disturbed ipafuzz otherwise, or may have; "": not at all.
	Disturbed   string
	Found       []*store.Finding // in the order of Faults
	Unconfirmed []store.Unconfirmed
	Tally       oracle.Tally
	// Disagreements are the first answers on which targets disagree and no check proves which one is right.
	// Disputed counts all of them.
	Disagreements []store.Disagreement
	Disputed      uint64
	Beyond        uint64 // failures that were ignored because there were too many different kinds
	Measures      *stats.Measures
	Generator     source.GeneratorFaults
	Faults        []fault.Fault         // of the findings
	Known         map[oracle.Key]uint64 // hits of findings of earlier runs, by key
	// Tables has the targets that failed because their tables grow with the largest variable, with the
	// bytes for each variable up to it, or 0 if these cannot be measured.
	Tables map[string]float64
	// Reserved has the targets that died in traces for which they reserve much address space, with the bytes for each
	// variable up to the largest. These are findings.
	Reserved map[string]float64
}

// FaultOf returns the name of the fault of a finding.
func (s *Summary) FaultOf(f *store.Finding) string {
	if of := fault.Of(s.Faults, f); of != nil {
		return of.Name
	}
	return ""
}

// NothingTested reports whether the run ended before any trace did.
func (s *Summary) NothingTested() bool { return s.Stats.Traces == 0 && s.Generator.Numbers == 0 }

// Unchecked lists what the campaign was asked to check and did not.
func (s *Summary) Unchecked() []unchecked.Item {
	items := s.Stats.Unchecked(&s.Tally, stats.Beside{Hard: len(s.Unconfirmed) - s.confirmable(),
		Unconfirmed: s.Unproven(), Disputed: s.Disputed})
	if s.EndedBy != "" || s.Disturbed != "" {
		items = append(items, unchecked.Item{Reason: unchecked.NotRun, Name: "the rest of the run"})
	}
	return items
}

// confirmable returns the number of unconfirmed failures that are no time limits on hard problems.
func (s *Summary) confirmable() (n int) {
	for i := range s.Unconfirmed {
		if !s.Unconfirmed[i].Hard {
			n++
		}
	}
	return n
}

// Unproven returns the number of kinds of failures that nothing confirmed. Traces that met a time limit
// because their problem may be hard do not count; all failures beyond the limit on kinds count as one.
func (s *Summary) Unproven() int {
	return s.confirmable() + int(min(s.Beyond, 1))
}

func (c *Campaign) summary() Summary {
	totals, outcome, disputes := c.book.Totals(), c.registry.Outcome(), c.followUps.Disputes()
	maps.DeleteFunc(totals.Measures.Firsts, func(key oracle.Key, _ map[string]stats.First) bool {
		return !c.registry.Has(key)
	})
	totals.Measures.Kinds = c.Kinds()
	faults := fault.Group(outcome.Found)
	fault.Recognise(faults, c.config.Known)
	taken, reserved := c.followUps.Tables()
	return Summary{Stats: c.Stats(), Found: fault.Findings(faults), Unconfirmed: outcome.Unconfirmed, Tally: totals.Tally,
		Disagreements: disputes.Kept, Disputed: disputes.All, Beyond: outcome.Beyond, Measures: totals.Measures,
		Generator: totals.Faults, Faults: faults, Known: outcome.Known, Tables: taken,
		Reserved: reserved}
}

// finish writes the end of the campaign and closes its directory.
func (c *Campaign) finish(summary Summary, interrupted bool) error {
	end := store.End{Tables: summary.Tables, Reserved: summary.Reserved, Stats: &summary.Stats,
		Tally: &summary.Tally, Measures: summary.Measures,
		Disputed: summary.Disputed, Findings: summary.Found, Unconfirmed: summary.Unconfirmed,
		Interrupted: interrupted}
	var naming store.Writes
	for i := range summary.Faults {
		for _, f := range summary.Faults[i].Findings {
			naming.Do(func() error { return c.store.NameFault(f, summary.Faults[i].Name) })
		}
	}
	unstored := naming.Wait()
	for i := range summary.Unconfirmed {
		u := &summary.Unconfirmed[i]
		t := u.Trace
		if t == nil {
			t = c.remake(source.Origin{Stream: c.book.Cells[u.Cell].Stream, Number: u.Number})
		} else {
			t = t.Clone() // it gets another header
		}
		if t != nil {
			var err error
			u.File, err = c.store.PutUnconfirmed(u, t)
			unstored = errors.Join(unstored, err)
		}
	}
	return joinedOnce(unstored, c.saveOnce(true), c.archivist.Finish(), c.store.Finish(end))
}

// joinedOnce joins errors without repeating any: a full disk fails every step in the same way.
func joinedOnce(all ...error) (joined error) {
	for _, err := range all {
		if err != nil && (joined == nil || !strings.Contains(joined.Error(), err.Error())) {
			joined = errors.Join(joined, err)
		}
	}
	return joined
}

// record returns the configuration for campaign.json.
func (c *Campaign) record() store.Record {
	config := &c.config
	r := store.Record{Seed: config.Seed, Shard: config.Shard, Of: config.Of, Way: config.Way, Avoid: config.Avoid,
		Flags: repro.Flags(config.TargetsFile, config.Limits), Workers: config.Workers, Fair: config.Fair}
	for i, t := range c.lineup.All {
		if i < c.lineup.Fuzzed {
			r.Targets = append(r.Targets, recordOfTarget(t))
		} else {
			r.Against = append(r.Against, recordOfTarget(t))
		}
	}
	for _, cell := range c.book.Cells {
		r.Cells = append(r.Cells, store.CellRecord{Target: cell.Target.Name, Kind: cell.Kind(), Seed: cell.Seed,
			Generate: cell.Record()})
	}
	return r
}

// KnownFaults sums up hits of known findings by the names of their faults. A hit of a key with several
// faults counts for the first.
func (c *Config) KnownFaults(hits map[oracle.Key]uint64) map[string]uint64 {
	faults := make(map[string]uint64)
	for key, n := range hits {
		if known := c.Known[key]; len(known) > 0 && known[0].Fault != "" {
			faults[known[0].Fault] += n
		}
	}
	return faults
}

// Fuzzed returns the names of the fuzzed targets.
func (c *Config) Fuzzed() []string {
	var names []string
	for _, cell := range c.Cells {
		if !slices.Contains(names, cell.Target.Name) {
			names = append(names, cell.Target.Name)
		}
	}
	return names
}

// ComparedWith returns the names of the rivals.
func (c *Config) ComparedWith() []string {
	var names []string
	for _, t := range c.Against {
		names = append(names, t.Name)
	}
	return names
}
