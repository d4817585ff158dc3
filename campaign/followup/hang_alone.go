package followup

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/trace"
)

// If hardly any trace of a target ends, nobody knows what is usual, and each candidate of a reduction would take
// seconds. So the call that seems to hang first runs alone, such as a solve without clauses. If even that does not end,
// it is the minimal trace. Otherwise its time tells what to expect of others.

// hangsAlone reports whether the call of a failure hangs alone, and makes that a finding.
func (f *follower) hangsAlone(ctx context.Context, x *failure) (done bool, err error) {
	found := x.found
	alone := callAlone(found.Minimal, found.Call)
	allowed := f.allowed(found)
	if alone == nil || f.u.Reduction.Tests == 0 || allowed != nil && !allowed(alone) {
		return false, nil
	}
	h, seen := f.newHang(x), found.Finding
	h.New, h.User.Yields, h.Traces, seen.Call = true, false, 1, 0
	v, err := h.Confirm(ctx, alone, seen)
	if err != nil {
		return false, err
	}
	if v.Why != "" {
		if v.Run.End == trace.Finished {
			f.costs.Tried(time.Duration(v.Run.Usage.WallNanos))
		}
		return false, nil
	}
	found.Minimal, found.IsMinimal, found.Tests = alone, true, 1
	f.takeVerdict(x, v)
	if !f.u.Registry.Reserve(found) {
		return true, nil
	}
	defer f.u.Registry.Release(found)
	f.u.Pacer.Advance(&f.doing.Job, pace.Reducing, costOf(found))
	return true, f.u.keep(found)
}

// callAlone returns a trace with a single call of the given one, or nil if that is illegal or no smaller.
func callAlone(t *trace.Trace, call int) *trace.Trace {
	if len(t.Calls) < 2 || call >= len(t.Calls) || trial.RunsAtOnce(t) {
		return nil
	}
	alone := &trace.Trace{Model: t.Model}
	c := t.Calls[call]
	if c.Op == apimodel.OpInit {
		return nil
	}
	alone.Append(t, &c)
	alone.Calls[0].Instance = 0
	if trace.Check(alone) != nil {
		return nil
	}
	return alone
}
