package terminal

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Reduction shows the progress of a reduction.
type Reduction struct {
	*Status
	begun time.Time
	calls int

	mu   sync.Mutex
	last time.Time
}

// NewReduction returns a Reduction for the trace.
func NewReduction(out *os.File, t *trace.Trace) *Reduction {
	return &Reduction{Status: NewStatus(out, 0), begun: time.Now(), calls: len(t.Calls), last: time.Now()}
}

// Looking shows how often the trace has failed before the reduction.
func (r *Reduction) Looking(rate trial.Rate, least int) {
	if r.due() {
		r.set(fmt.Sprintf("%s  run %d of %d: failed in %d so far",
			time.Since(r.begun).Truncate(time.Second), rate.Runs, least, rate.Failed))
	}
}

// Progress shows how small the trace is.
func (r *Reduction) Progress(p dd.Progress) {
	if !r.due() {
		return
	}
	elapsed := time.Since(r.begun)
	r.set(fmt.Sprintf("%s  round %d, %s  %s  %.0f/s  %d of %d calls, %d literals, %d variables, weights %.4g",
		elapsed.Truncate(time.Second), p.Round, p.Pass, printable.Things(p.Tests, "test"),
		float64(p.Tests)/max(elapsed.Seconds(), 1e-3), p.Size.Calls, r.calls, p.Size.Literals, p.Size.Variables,
		p.Size.Weights))
}

// due reports whether to print another line.
func (r *Reduction) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < r.interval() {
		return false
	}
	r.last = time.Now()
	return true
}
