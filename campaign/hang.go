package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
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

// isHang reports whether a finding says no more than that a time limit was met.
func isHang(f *oracle.Finding) bool { return f.Class == oracle.TooSlow && f.Check == "end" }

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
func (c *Campaign) confirmHang(ctx context.Context, found *Found) {
	c.mu.Lock()
	c.cellOf(found.from).numbers.Hold(found.from.Number)
	c.hanging[found.Key].busy = true
	found.After, found.Elapsed = c.judged.Load(), time.Since(c.begun)
	c.mu.Unlock()
	c.beside.Go(func() {
		h := hang{c: c, found: found, limit: c.timeLimit()}
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
			u := found.unconfirmed("")
			u.CutShort = true
			c.unconfirm(u)
			return
		}
		defer c.settled(found.from)
		switch {
		case err == nil && why != "":
			c.unconfirm(found.unconfirmed(why))
			return
		case err == nil:
			err = c.add(found)
		}
		if err != nil {
			c.stop(err)
		}
	})
}

// A hang is one that is being confirmed.
type hang struct {
	c     *Campaign
	found *Found
	limit time.Duration // that it met
	quick bool          // it took next to nothing of that when it ran alone
	sure  bool          // it is confirmed
}

// confirm returns why it is no finding, "" when it is one.
func (h *hang) confirm(ctx context.Context) (why string, err error) {
	if _, why, err := h.reference(ctx, h.found.Minimal); why != "" || err != nil {
		return why, err
	}
	if err := h.cut(ctx); err != nil {
		return "", err
	}
	return h.confirmLong(ctx)
}

// confirmLong runs the trace with ten times the limit.
func (h *hang) confirmLong(ctx context.Context) (why string, err error) {
	took, why, err := h.reference(ctx, h.found.Minimal)
	if why != "" || err != nil {
		return why, err
	}
	limits := h.c.config.Limits.Longer(hangFactor)
	limits.CPU, limits.Wall = atMost(limits.CPU, hangLongest), atMost(limits.Wall, hangLongest)
	if !h.c.spendOnHangs(min(h.limit*hangFactor, hangLongest)) {
		return fmt.Sprintf("the time for confirming hangs, %v in a run, is used up", hangBudget), nil
	}
	begun := time.Now()
	var run trace.Run
	same, err := h.shows(ctx, h.found.Minimal, limits, &run)
	if err != nil {
		return "", err
	}
	ended := ""
	if same == nil && run.End != trace.Finished && run.End != trace.OutOfCPU && run.End != trace.OutOfTime { // it ran out of memory instead, say
		same, ended = &h.found.Finding, fmt.Sprintf(", but an end (%s)", run.End)
	}
	if same == nil {
		took := time.Since(begun)
		if run.End == trace.Finished { // without what its process took to start
			took = time.Duration(run.Usage.WallNanos)
			h.quick = took < h.limit/hangFactor
		}
		return fmt.Sprintf("it met the limit of %v, and ended within ten times of it, after %v", h.limit, took.Round(time.Millisecond)), nil
	}
	place := h.found.Detail
	h.sure = true
	h.found.Finding, h.found.Run, h.found.Rate = *same, run, trial.Rate{Failed: 1, Runs: 1}
	h.found.Observed = fmt.Sprintf("no answer %s within %v, and none within %v%s", place, h.limit, min(h.limit*hangFactor, hangLongest), ended)
	h.found.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace, less than a thousandth of %v", took, h.limit)
	return "", nil
}

// atMost bounds a limit, of which 0 is none.
func atMost(limit, most time.Duration) time.Duration {
	if limit == 0 {
		return most
	}
	return min(limit, most)
}

// cut drops what follows the call that hangs. Here the plain limit will do: the
// result is confirmed with the longer one.
func (h *hang) cut(ctx context.Context) error {
	minimal, err := dd.Cut(h.found.Minimal, h.found.Call, func(candidate *trace.Trace) (bool, error) {
		if _, why, err := h.reference(ctx, candidate); why != "" || err != nil {
			return false, err
		}
		var run trace.Run
		same, err := h.shows(ctx, candidate, h.c.config.Limits, &run)
		return same != nil, err
	})
	if err == nil {
		h.found.Minimal = minimal
	}
	return err
}

func (h *hang) shows(ctx context.Context, t *trace.Trace, limits replay.Limits, run *trace.Run) (*oracle.Finding, error) {
	runner, err := replay.Open(h.c.target(h.found.target), replay.Fork, limits)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	if err := runner.Run(ctx, t, run); err != nil {
		return nil, err
	}
	referee := h.c.referee(h.found.target, false, 0)
	defer referee.Close()
	findings, err := referee.Judge(t, run)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if f.Key(h.found.Target) == h.found.Key {
			return &f, nil
		}
	}
	return nil, nil
}

// reference runs the trace on the reference library and returns what it took, or
// why that is no comparison.
func (h *hang) reference(ctx context.Context, t *trace.Trace) (took time.Duration, why string, err error) {
	return trial.ReferenceTime(ctx, t, h.limit)
}

// spendOnHangs takes time from the budget; false when it is used up.
func (c *Campaign) spendOnHangs(most time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hangTime+most > hangBudget {
		return false
	}
	c.hangTime += most
	return true
}
