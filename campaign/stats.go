package campaign

import (
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
)

type counters struct {
	traces, calls, solves, solveNanos, deaths atomic.Uint64
}

// Stats is a snapshot of a running campaign.
type Stats struct {
	Elapsed     time.Duration `json:"elapsed_ns"`
	Traces      uint64        `json:"traces"`
	Calls       uint64        `json:"calls"`
	Solves      uint64        `json:"solves"`
	SolveTime   time.Duration `json:"solve_time_ns"` // inside the library
	Deaths      uint64        `json:"deaths"`        // traces that ended their process
	Findings    int           `json:"findings"`
	Unconfirmed int           `json:"unconfirmed"`
}

// Stats returns what has happened so far.
func (c *Campaign) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{
		Elapsed: time.Since(c.begun), Traces: c.stats.traces.Load(), Calls: c.stats.calls.Load(),
		Solves: c.stats.solves.Load(), SolveTime: time.Duration(c.stats.solveNanos.Load()),
		Deaths: c.stats.deaths.Load(), Findings: len(c.found), Unconfirmed: len(c.unconfirmed),
	}
}

// TracesPerSecond is the average over the run.
func (s Stats) TracesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Traces) / s.Elapsed.Seconds()
}

// A Summary is what a campaign ends with.
type Summary struct {
	Stats
	Found       []*Found
	Unconfirmed []Unconfirmed
	Tally       oracle.Tally
	// Disagreements are the first few answers that targets differ in while nothing
	// proves who is right; Disputed counts them all.
	Disagreements []Disagreement
	Disputed      uint64
	Measures      *Measures
}

func (c *Campaign) summary() Summary {
	s := Summary{Stats: c.Stats()}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Found, s.Tally = c.found, c.tally
	s.Measures = c.measures.of(c.found)
	s.Disagreements, s.Disputed = c.disputes.kept, c.disputes.all
	for _, u := range c.unconfirmed {
		if c.byKey[u.Key] == nil { // no later run confirmed it
			s.Unconfirmed = append(s.Unconfirmed, u)
		}
	}
	return s
}
