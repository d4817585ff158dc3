package campaign

import (
	"context"
	"errors"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/caught"
)

// A candidate that hangs takes all of its time limit, so reductions of hangs have their
// own budget. Hangs are confirmed and reduced one at a time, beside the lanes.
const (
	hangTests = 600
	hangIdle  = 300
)

// A hang is a finding that is being confirmed as a hang.
type hang struct {
	*trial.Hang
	c     *Campaign
	found *store.Finding
	quick bool // the trace, run alone, finished within the limit
	sure  bool // the hang is confirmed
}

func (c *Campaign) newHang(found *store.Finding) *hang {
	target := c.number(found.Target)
	return &hang{c: c, found: found, Hang: &trial.Hang{Target: c.target(target), Key: found.Key, Limits: c.config.Limits,
		NewJudge: func() *trial.Judge { return c.judge(target, false, 0) }, Spend: c.registry.SpendOnHangs}}
}

// confirmHang confirms a hang in a goroutine of its own, because lanes must not wait for
// it. It holds the number until the finding is stored or given up.
func (c *Campaign) confirmHang(ctx context.Context, found *store.Finding) {
	c.book.hold(c.originOf(found))
	c.registry.BeginHang(found)
	c.beside.Go(func() {
		// Last: until the finding is stored, another lane would start to confirm it again.
		defer c.registry.EndHang(found.Key)
		h := c.newHang(found)
		var why string
		var err error
		select { // one at a time: hangs would only slow each other down
		case c.hangTurn <- struct{}{}:
			err = caught.Do(func() (err error) {
				why, err = h.confirmAndReduce(ctx)
				return err
			})
			<-c.hangTurn
		case <-ctx.Done():
		}
		defer c.registry.Release(found)
		c.registry.ConfirmedHang(found.Key, h.quick)
		if ctx.Err() != nil && !h.sure { // the number stays held: a resumed campaign runs the trace again
			u := found.AsUnconfirmed("")
			u.CutShort = true
			c.registry.Unconfirmed(u)
			return
		}
		defer c.book.release(c.originOf(found))
		switch {
		case err == nil && why != "":
			c.registry.Unconfirmed(found.AsUnconfirmed(why))
		case err == nil:
			err = c.add(found)
		}
		if err != nil {
			c.stop(err)
		}
	})
}

// confirmAndReduce says why the hang is not confirmed; "" if it is.
func (h *hang) confirmAndReduce(ctx context.Context) (why string, err error) {
	if why, err = h.confirm(ctx); why != "" || err != nil {
		return why, err
	}
	if !h.c.registry.Reserve(h.found, h.c.registry.ViewOf(h.found)) {
		return "", nil
	}
	h.c.registry.KeepEarly(h.found)
	return "", h.reduce(ctx)
}

func (h *hang) confirm(ctx context.Context) (why string, err error) {
	if _, why, err := h.Easy(ctx, h.found.Minimal); why != "" || err != nil {
		return why, err
	}
	minimal, err := shrink.CutHang(ctx, h.Hang, h.found.Minimal, h.found.Call)
	if err != nil {
		return "", err
	}
	h.found.Minimal = minimal
	v, err := h.Confirm(ctx, minimal, h.found.Finding)
	h.quick = v.Quick
	if err == nil && v.Why == "" {
		h.sure = true
		h.found.Finding, h.found.Run, h.found.Rate = v.Finding, v.Run, trial.Rate{Failed: 1, Runs: 1}
	}
	return v.Why, err
}

// reduce reduces the trace of a confirmed hang. It keeps the trace if the campaign ends
// first or if the result does not hang as long.
func (h *hang) reduce(ctx context.Context) error {
	if h.c.reduction.Tests == 0 {
		return nil
	}
	left, why := h.c.registry.LeftForReducingHangs()
	if why != "" {
		h.found.NotMinimal = why
		return nil
	}
	begun := time.Now()
	config := dd.Config{Budget: dd.Budget{Tests: hangTests, Idle: hangIdle, Time: min(left, reduceTime)},
		Seed: h.found.Seed, Parts: h.found.Parts, Allowed: h.c.allowed(h.found)}
	reduced, err := shrink.Hang(ctx, h.Hang, h.c.descriptionOf(h.c.number(h.found.Target)),
		&h.found.Run, &h.found.Finding, h.found.Minimal, config)
	h.c.registry.ReducedHang(time.Since(begun))
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
		smaller := store.Reduced(reduced.Trace)
		v, err := h.Confirm(ctx, smaller, h.found.Finding)
		if err != nil {
			if ctx.Err() == nil {
				return err
			}
			v.Why = store.RunEnded
		}
		if v.Why != "" {
			h.found.NotMinimal = "the reduced trace did not hang as long: " + v.Why
			return nil
		}
		h.found.Minimal, h.found.Run, h.found.Finding = smaller, v.Run, v.Finding
	}
	h.found.Tests, h.found.IsMinimal, h.found.Reducing = reduced.Stats.Tests, reduced.Minimal, reduced.Time
	h.found.NotMinimal = shrink.WhyNotMinimal(reduced.Ended)
	return nil
}
