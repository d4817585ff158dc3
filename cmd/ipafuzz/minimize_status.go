package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/trace"
)

// reductionStatus shows where a reduction is, as status does for a campaign.
type reductionStatus struct {
	*status
	begun time.Time
	calls int

	mu   sync.Mutex
	last time.Time
}

func newReductionStatus(out *os.File, t *trace.Trace) *reductionStatus {
	return &reductionStatus{status: newStatus(out, 0), begun: time.Now(), calls: len(t.Calls), last: time.Now()}
}

// looking shows how far it is learned how the trace fails, which may take many runs.
func (s *reductionStatus) looking(r campaign.Rate, of int) {
	if s.due() {
		s.text(fmt.Sprintf("%s  run %d of %d: failed in %d so far", time.Since(s.begun).Truncate(time.Second), r.Runs, of, r.Failed))
	}
}

// due reports whether it is time for another line.
func (s *reductionStatus) due() bool {
	every := plainLine
	if s.terminal {
		every = redraw
	}
	s.mu.Lock()
	due := time.Since(s.last) >= every
	if due {
		s.last = time.Now()
	}
	s.mu.Unlock()
	return due
}

func (s *reductionStatus) progress(p dd.Progress) {
	if !s.due() {
		return
	}
	elapsed := time.Since(s.begun)
	s.text(fmt.Sprintf("%s  round %d, %s  %s tests  %.0f/s  %d of %d calls, %d literals, %d variables, weights %.4g",
		elapsed.Truncate(time.Second), p.Round, p.Pass, count(uint64(p.Tests)), float64(p.Tests)/max(elapsed.Seconds(), 1e-3),
		p.Size.Calls, s.calls, p.Size.Literals, p.Size.Variables, p.Size.Weights))
}
