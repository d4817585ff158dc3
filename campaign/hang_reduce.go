package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd"
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
	reduced, err := shrink.Hang(ctx, h.Hang, h.c.descriptionOf(h.c.number(h.found.Target)), &h.found.Run, &h.found.Finding, h.found.Minimal,
		dd.Config{Budget: dd.Budget{Tests: hangTests, Idle: hangIdle, Time: min(left, reduceTime)}, Seed: h.found.Seed, Parts: h.found.Parts})
	h.c.reducedHangs(time.Since(begun))
	switch {
	case ctx.Err() != nil || err == nil && errors.Is(reduced.Ended, context.Canceled):
		h.found.NotMinimal = store.RunEnded
		return nil
	case errors.Is(err, dd.ErrDoubtful):
		h.found.NotMinimal = err.Error()
		return nil
	case err != nil:
		return err
	}
	if len(reduced.Trace.Calls) > 0 && store.CallsAlone(reduced.Trace) != store.CallsAlone(h.found.Minimal) {
		v, err := h.Confirm(ctx, store.Reduced(reduced.Trace), h.found.Finding)
		if err != nil {
			if ctx.Err() == nil {
				return err
			}
			v.Why = store.RunEnded
		}
		if v.Why != "" {
			h.found.NotMinimal = "what is smaller was not seen to hang as long: " + v.Why
			return nil
		}
		h.c.mu.Lock() // and ask whether it rests on a vote
		h.found.Minimal, h.found.Run, h.found.Finding = store.Reduced(reduced.Trace), v.Run, v.Finding
		h.c.mu.Unlock()
	}
	h.found.Tests, h.found.IsMinimal, h.found.Reducing, h.found.NotMinimal = reduced.Stats.Tests, reduced.Minimal, reduced.Time, shrink.WhyNotMinimal(reduced.Ended)
	return nil
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
