package campaign

import (
	"maps"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// state copies what is now. The lock must be held.
func (c *Campaign) state() *store.State {
	s := &store.State{Elapsed: time.Since(c.begun), Judged: c.judged.Load(), Turn: c.schedule.turn, Hits: c.hits(),
		Attempts: maps.Clone(c.failed), Beyond: c.beyond, Hangs: make(map[oracle.Key]int), HangTime: c.hangTime, HangReducing: c.hangReducing,
		LeakChecks: c.leakChecks, Evidence: c.evidenceNow(), AloneChecks: c.aloneChecks.Load(), Unconfirmed: slices.Clone(c.unconfirmed),
		Disputes: store.DisputeState{Kept: slices.Clone(c.disputes.kept), All: c.disputes.all, Settled: c.disputes.settled},
		Tally:    c.tallyNow(), Measures: c.measures.Clone()}
	for i := range s.Unconfirmed {
		s.Unconfirmed[i].Certificate = nil
	}
	s.Faults, s.Known = c.faults.Clone(), c.knownHits()
	for key, h := range c.hanging {
		if s.Hangs[key] = h.attempts; h.busy {
			s.Hangs[key]--
		}
	}
	for i, of := range c.cells {
		profiles := make(map[string]*stats.ProfileUse)
		stats.JoinProfiles(profiles, of.profiles)
		unfinished, again := of.numbers.Unfinished()
		s.Cells = append(s.Cells, store.CellState{Next: of.numbers.Next, Unfinished: unfinished, Again: again, Counts: of.counts,
			Profiles: profiles, Findings: maps.Clone(of.findings), Arm: c.schedule.arms[i].Arm, Lessons: of.Lessons.Now()})
	}
	return s
}

// goOn continues what another run left.
func (c *Campaign) goOn(s *store.State) {
	c.schedule.turn = s.Turn
	c.judged.Store(s.Judged)
	c.aloneChecks.Store(s.AloneChecks)
	c.before, c.beyond = s.Elapsed, s.Beyond
	c.hangTime, c.hangReducing, c.leakChecks = s.HangTime, s.HangReducing, s.LeakChecks
	c.disputes = disputes{kept: s.Disputes.Kept, all: s.Disputes.All, settled: s.Disputes.Settled}
	c.tally, c.faults = s.Tally, s.Faults
	for key, e := range s.Evidence {
		if into := c.evidenceOf(key, e.Target); into != nil && e.With != nil {
			*into = *e
		}
	}
	if s.Attempts != nil {
		c.attempts, c.failed = s.Attempts, maps.Clone(s.Attempts)
	}
	for key, attempts := range s.Hangs {
		c.hanging[key] = &hangState{attempts: attempts}
	}
	for _, u := range s.Unconfirmed {
		if !u.CutShort { // that one is tried again
			c.unconfirmed = append(c.unconfirmed, u)
		}
	}
	if s.Measures != nil {
		c.measures.Add(s.Measures)
	}
	for key, hits := range s.Known {
		if known := c.config.Known[key]; known != nil {
			known.Hits += hits
		}
	}
	for i, of := range c.cells {
		was := &s.Cells[i]
		of.numbers = source.ResumeLedger(was.Next, was.Unfinished, was.Again)
		of.counts = was.Counts
		stats.JoinProfiles(of.profiles, was.Profiles)
		maps.Copy(of.findings, was.Findings)
		c.schedule.arms[i].Arm = was.Arm
		of.Lessons.Set(was.Lessons)
	}
}

// hits are those of the findings, by key.
func (c *Campaign) hits() map[oracle.Key]uint64 {
	hits := make(map[oracle.Key]uint64)
	for _, f := range c.found {
		hits[f.Key] = f.Hits
	}
	return hits
}
