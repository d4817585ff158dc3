package campaign

import (
	"maps"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A state is what a run that goes on needs beside its findings, which are stored
// one by one. It is of one moment: what is counted and which numbers are through
// belong together.
type state struct {
	Run          string                   `json:"run"`
	Elapsed      time.Duration            `json:"elapsed_ns"`
	Judged       uint64                   `json:"judged"`
	Turn         uint64                   `json:"turn"`
	Cells        []cellState              `json:"cells"`
	Hits         map[oracle.Key]uint64    `json:"hits,omitempty"`     // of the findings, by key
	Attempts     map[oracle.Key]int       `json:"attempts,omitempty"` // in vain: one that is under way begins anew
	Beyond       uint64                   `json:"beyond,omitempty"`
	Hangs        map[oracle.Key]int       `json:"hang_attempts,omitempty"`
	HangTime     time.Duration            `json:"hang_ns,omitempty"`
	HangReducing time.Duration            `json:"hang_reducing_ns,omitempty"`
	LeakChecks   int                      `json:"leak_checks,omitempty"`
	Evidence     map[oracle.Key]*evidence `json:"evidence,omitempty"` // of what faults need, by key
	AloneChecks  uint64                   `json:"alone_checks,omitempty"`
	Unconfirmed  []Unconfirmed            `json:"unconfirmed,omitempty"`
	Disputes     disputeState             `json:"disputes"`
	Faults       source.GeneratorFaults   `json:"generator_faults,omitzero"`
	Known        map[oracle.Key]uint64    `json:"known,omitempty"` // hits of findings of earlier runs
	Tally        oracle.Tally             `json:"tally"`
	Measures     *stats.Measures          `json:"measures"`
}

type cellState struct {
	Next       uint64                       `json:"next"`
	Unfinished []source.Numbers             `json:"unfinished,omitempty"` // below next
	Again      []uint64                     `json:"again,omitempty"`      // counted, and to be run again
	Counts     stats.Counts                 `json:"counts"`
	Profiles   map[string]*stats.ProfileUse `json:"profiles"`
	Findings   map[oracle.Class]int         `json:"findings,omitempty"`
	Arm        arm                          `json:"arm"`
	Lessons    []source.Lesson              `json:"lessons,omitempty"`
}

type disputeState struct {
	Kept    []Disagreement `json:"kept,omitempty"`
	All     uint64         `json:"all"`
	Settled int            `json:"settled"`
}

// state copies what is now. The lock must be held.
func (c *Campaign) state() *state {
	s := &state{Elapsed: time.Since(c.begun), Judged: c.judged.Load(), Turn: c.schedule.turn, Hits: c.hits(),
		Attempts: maps.Clone(c.failed), Beyond: c.beyond, Hangs: make(map[oracle.Key]int), HangTime: c.hangTime, HangReducing: c.hangReducing,
		LeakChecks: c.leakChecks, Evidence: c.evidenceNow(), AloneChecks: c.aloneChecks.Load(), Unconfirmed: slices.Clone(c.unconfirmed),
		Disputes: disputeState{slices.Clone(c.disputes.kept), c.disputes.all, c.disputes.settled},
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
		s.Cells = append(s.Cells, cellState{Next: of.numbers.Next, Unfinished: unfinished, Again: again, Counts: of.counts,
			Profiles: profiles, Findings: maps.Clone(of.findings), Arm: c.schedule.arms[i], Lessons: of.Lessons.Now()})
	}
	return s
}

// goOn continues what another run left.
func (c *Campaign) goOn(s *state) {
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
		c.schedule.arms[i] = was.Arm
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
