package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A candidate that hangs costs its limit. It gets a short one, which follows from
// what the trace took before the call that hangs and shrinks with it; what a round
// ends with must hang for the whole limit, and the end of it all for ten times
// that. One hang at a time is made small, beside the lanes: so that takes half of
// the processors' time at most, and that where there is one lane alone.
const (
	hangTests = 600
	hangIdle  = 300
	// reduceHangsFor bounds all hangs of a run together.
	reduceHangsFor = 15 * time.Minute
)

// reduce makes the trace of a hang small that is confirmed already. When it does
// not come to an end, or what it comes to does not hang as long, the trace stays.
func (h *hang) reduce(ctx context.Context) error {
	if h.c.config.unreduced {
		return nil
	}
	left := h.c.leftForReducing()
	if left <= 0 {
		h.found.NotMinimal = fmt.Sprintf("the time for making hangs small, %v in a run, is used up", reduceHangsFor)
		return nil
	}
	begun := time.Now()
	reduced, err := h.smaller(ctx, min(left, reduceTime))
	h.c.reducedHangs(time.Since(begun))
	switch {
	case ctx.Err() != nil || err == nil && errors.Is(reduced.Ended, context.Canceled):
		h.found.NotMinimal = runEnded
		return nil
	case errors.Is(err, dd.ErrDoubtful):
		h.found.NotMinimal = err.Error()
		return nil
	case err != nil:
		return err
	}
	if len(reduced.Trace.Calls) > 0 && callsAlone(reduced.Trace) != callsAlone(h.found.Minimal) {
		h.c.mu.Lock() // lanes count its hits
		smaller := *h.found
		h.c.mu.Unlock()
		smaller.Minimal = madeSmall(reduced.Trace)
		longer := hang{c: h.c, found: &smaller, limit: h.limit}
		why, err := longer.confirmLong(ctx)
		if err != nil {
			if ctx.Err() == nil {
				return err
			}
			why = runEnded
		}
		if why != "" {
			h.found.NotMinimal = "what is smaller was not seen to hang as long: " + why
			return nil
		}
		h.c.mu.Lock() // and ask whether it rests on a vote
		h.found.Minimal, h.found.Run, h.found.Finding = smaller.Minimal, smaller.Run, smaller.Finding
		h.c.mu.Unlock()
	}
	h.found.Tests, h.found.IsMinimal, h.found.Reducing, h.found.NotMinimal = reduced.Stats.Tests, reduced.Minimal, reduced.Time, whyNotMinimal(reduced.Ended)
	return nil
}

// smaller reduces the trace. A candidate that the reference library does not find
// easy may be a hard problem and no hang.
func (h *hang) smaller(ctx context.Context, most time.Duration) (dd.Result, error) {
	who := h.found.target
	m := &Minimizer{Target: h.c.target(who), Description: h.c.descriptionOf(who), Limits: h.c.config.Limits, Workers: 1, Key: h.found.Key}
	p := m.newPool()
	defer p.close()
	p.wanted.key = m.Key
	p.adjust(&h.found.Run, h.found.Class)
	test := func(ctx context.Context, worker int, candidate *trace.Trace) (dd.Verdict, error) {
		v, err := p.Test(ctx, worker, candidate)
		if err == nil && v.Same {
			var why string
			_, why, err = h.reference(ctx, candidate)
			v.Same = why == ""
		}
		return v, err
	}
	config := dd.Config{Budget: engine.Budget{Tests: hangTests, Idle: hangIdle, Time: most}, Seed: h.found.Seed, Parts: h.found.parts,
		Description: m.Description, Known: &dd.Verdict{Same: true, Call: h.found.Call}}
	if p.hurried {
		config.Certify = func(_ context.Context, t *trace.Trace) (bool, error) { return p.certify(ctx, t) } // not behind the end of the run
	}
	return dd.Minimize(ctx, h.found.Minimal, dd.TestFunc(test), config)
}

// leftForReducing is what is left of the time for making hangs small.
func (c *Campaign) leftForReducing() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return reduceHangsFor - c.hangReducing
}

func (c *Campaign) reducedHangs(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hangReducing += took
}
