package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A trace that meets its time limit is a hang if it has no answer within ten
// times the limit either, and the built-in library solves it in less than a
// thousandth of the limit (trial.ReferenceTime). Otherwise the problem may be
// hard, and slowness is not a fault.
const (
	hangFactor   = 10
	hangAttempts = 2                // confirmations for a key
	hangLongest  = 10 * time.Minute // of one confirmation
	hangBudget   = 30 * time.Minute // of all confirmations in a run
)

// hangState is what has been done about the hangs of one key.
type hangState struct {
	attempts int
	busy     bool // one is being confirmed
	// company: the trace was over in no time when it ran alone, so it may need
	// those that had run before it in the same process.
	company bool
}

// wantsHang is wants for hangs. While one of a key is being confirmed, others
// are only counted: they say nothing new.
func (c *Campaign) wantsHang(key oracle.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isKnown(key) {
		return false
	}
	if known := c.byKey[key]; known != nil {
		known.Hits++
		return false
	}
	h := c.hanging[key]
	if h == nil {
		h = new(hangState)
		c.hanging[key] = h
	}
	if h.busy || h.attempts >= hangAttempts {
		return false
	}
	h.attempts++
	return true
}

// needsCompany reports whether a hang of the key was seen that the trace alone
// does not show.
func (c *Campaign) needsCompany(key oracle.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hanging[key] != nil && c.hanging[key].company
}

// confirmHang confirms a hang beside the lanes, which must not wait for it.
func (c *Campaign) confirmHang(ctx context.Context, found *store.Finding) {
	c.mu.Lock()
	c.cells[found.Cell].numbers.Hold(found.Number)
	c.hanging[found.Key].busy = true
	found.After, found.Elapsed = c.judged.Load(), time.Since(c.begun)
	c.mu.Unlock()
	c.beside.Go(func() {
		h := c.newHang(found)
		var why string
		var err error
		reserved := false
		defer func() { // last: until it is stored, another lane would begin with it again
			c.mu.Lock()
			defer c.mu.Unlock()
			c.hanging[found.Key].busy = false
		}()
		defer func() {
			if reserved {
				c.release(found)
			}
		}()
		select { // one at a time: they would only take the processors from each other
		case c.hangTurn <- struct{}{}:
			err = caught.Do(func() error {
				if why, err = h.confirm(ctx); why != "" || err != nil || !c.reserve(found) {
					return err
				}
				reserved = true
				c.keepEarly(found)
				return h.reduce(ctx)
			})
			<-c.hangTurn
		case <-ctx.Done():
		}
		c.mu.Lock()
		c.hanging[found.Key].company = h.quick
		c.mu.Unlock()
		if ctx.Err() != nil && !h.sure { // the trace stays held: a run that goes on runs it again
			u := found.AsUnconfirmed("")
			u.CutShort = true
			c.unconfirm(u)
			return
		}
		defer c.settled(c.originOf(found))
		switch {
		case err == nil && why != "":
			c.unconfirm(found.AsUnconfirmed(why))
			return
		case err == nil:
			err = c.add(found)
		}
		if err != nil {
			c.stop(err)
		}
	})
}

// A hang is a finding that is being confirmed as one.
type hang struct {
	*trial.Hang
	c     *Campaign
	found *store.Finding
	quick bool // alone, the trace finished in next to no time
	sure  bool // it is confirmed
}

func (c *Campaign) newHang(found *store.Finding) *hang {
	return &hang{c: c, found: found, Hang: &trial.Hang{Target: c.target(c.number(found.Target)), Key: found.Key, Limits: c.config.Limits,
		NewJudge: func() *trial.Judge { return c.judge(c.number(found.Target), false, 0) }, Spend: c.spendOnHangs}}
}

// confirm returns why it is not confirmed, "" if it is.
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

// spendOnHangs takes time from the budget for confirming hangs, or returns why
// there is not so much left.
func (c *Campaign) spendOnHangs(most time.Duration) (why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hangTime+most > hangBudget {
		return fmt.Sprintf("the time for confirming hangs, %v in a run, is used up", hangBudget)
	}
	c.hangTime += most
	return ""
}
