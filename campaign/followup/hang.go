package followup

import (
	"context"
	"errors"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Every candidate that hangs uses up its time limit, so reductions of hangs have their own budget.
const (
	hangTests = 600
	hangIdle  = 300
	// muchMemory is resident memory in KiB. A trace that was cut with more may have been about to meet the
	// memory limit instead.
	muchMemory = 256 << 10
)

func (f *follower) newHang(x *failure) *trial.Hang {
	found, target := x.found, f.u.Number(x.found.Target)
	h := &trial.Hang{Target: f.u.All[target].Target, Key: found.Key,
		Hang:     limit.Hang{User: f.u.Limits, Traces: 1 + found.History},
		NewJudge: func() *trial.Judge { return f.u.Judge(target, true, trial.Thorough) }}
	h.Size(len(found.Minimal.Calls), f.costs.Expect())
	f.learn(h, x)
	return h
}

// learn sets the limits of candidates by what is known now.
func (f *follower) learn(h *trial.Hang, x *failure) {
	h.Learn(f.costs.NeedsOf(f.costs.UsualOfAll([]cost.Kind{x.found.Made})), f.costs.Warmup())
}

// confirmHang runs a trace again that a lane has set aside because it took far longer than usual. Either
// the trace hangs, or it ends and its answers are judged like all others.
func (f *follower) confirmHang(ctx context.Context, x *failure) error {
	found := x.found
	if f.costs.Expect().Basis == limit.Nothing {
		if done, err := f.hangsAlone(ctx, x); done || err != nil {
			return err
		}
	}
	h := f.newHang(x)
	first, err := h.Run(ctx, found.Minimal, h.First(), &found.Run)
	if err != nil {
		return err
	}
	if !found.Run.End.IsTimeLimit() || found.Run.Usage.PeakKB > muchMemory {
		return f.endedAfterAll(ctx, x, h, first)
	}
	if took, cut := trial.CutSolve(found.Minimal, &found.Run); cut && h.First() == h.User && f.costs.IsUsualSolve(took) {
		return nil // it has too many solves for the limit, each as long as usual
	}
	return f.hangs(ctx, h, x)
}

// endedAfterAll handles a trace that a lane set aside, but that ends when it runs alone with more time.
func (f *follower) endedAfterAll(
	ctx context.Context, x *failure, h *trial.Hang, findings []oracle.Finding,
) error {
	found := x.found
	if found.Run.End.IsTimeLimit() { // it may be filling the memory: give it all of its time
		var err error
		if findings, err = h.Run(ctx, found.Minimal, h.User, &found.Run); err != nil {
			return err
		}
		if found.Run.End.IsTimeLimit() {
			return f.hangs(ctx, h, x)
		}
	}
	if len(findings) > 0 {
		f.followOthers(x, findings)
		return nil
	}
	took := time.Duration(found.Run.Usage.WallNanos)
	if h.TookLong(took) || took > x.run.Took/10 { // slow, but not a failure
		f.costs.Ended(x.found.Made, took)
		return nil
	}
	same, err := withHistory(ctx, x, func(t *trace.Trace, run *trace.Run) (*oracle.Finding, error) {
		return h.Shows(ctx, t, h.Shorter(), run)
	})
	if err != nil {
		return err
	}
	if same != nil {
		found.Finding = *same
		h = f.newHang(x)
		return f.hangs(ctx, h, x)
	}
	if x.run.End == trace.OutOfCPU || x.run.Asleep { // otherwise, the machine may have stood still
		f.u.Registry.Unconfirmed(found.AsUnconfirmed("it took too long after other traces of its process, but only " +
			took.Round(time.Millisecond).String() + " alone"))
	}
	return nil
}

// followOthers adds follow-ups for the other failures of a trace that ended after all.
func (f *follower) followOthers(x *failure, findings []oracle.Finding) {
	took := time.Duration(x.found.Run.Usage.WallNanos)
	for _, other := range findings {
		if key := other.Key(x.found.Target); f.u.Registry.Wants(key, !other.Voted) {
			f.u.add(f.u.confirmation(f.targets[0],
				&failure{found: x.found.As(other, key), run: suspect.Run{Took: took}}))
		}
	}
}

// sampleHang follows up on the failures of a trace that does not hang when it has more time.
func (f *follower) sampleHang(ctx context.Context, s *suspect.Suspect) (*task, error) {
	x := failureOf(s)
	defer f.u.Registry.Examined(x.found.Key, true, registry.Passed)
	defer func() { f.u.Budgets.Hangs.Spend(f.u.Pacer.Used(&f.doing.Job)) }()
	h := f.newHang(x)
	limits := h.Sample()
	limits.Yields = true
	findings, err := h.Run(ctx, x.found.Minimal, limits, &x.found.Run)
	if err != nil || x.found.Run.End.IsTimeLimit() {
		return nil, unlessEnded(ctx, err)
	}
	f.followOthers(x, findings)
	if took := time.Duration(x.found.Run.Usage.WallNanos); len(findings) == 0 && h.TookLong(took) {
		f.costs.Ended(x.found.Made, took)
	}
	return nil, nil
}

// hangs confirms and reduces a trace that gives no answer for a long time. It first reduces a small trace
// of a quick target with a short limit, and confirms only the result.
func (f *follower) hangs(ctx context.Context, h *trial.Hang, x *failure) error {
	found := x.found
	if _, why, err := h.Easy(ctx, found.Minimal); why != "" || err != nil {
		if err == nil {
			u := found.AsUnconfirmed(why)
			u.Hard = true
			f.u.Registry.Unconfirmed(u)
		}
		return err
	}
	wasQuick := h.Quick
	h.Size(len(found.Minimal.Calls), f.costs.Expect())
	if h.Quick && !wasQuick { // the limits were those of an unknown target
		f.learn(h, x)
	}
	if h.Quick {
		cut, err := shrink.CutHang(ctx, h, found.Minimal, found.Call)
		if err != nil {
			return err
		}
		found.Minimal = cut
	} else if confirmed, err := f.confirmLong(ctx, h, x); !confirmed || err != nil {
		return err
	}
	if !f.u.Registry.Reserve(found) {
		return nil
	}
	defer f.u.Registry.Release(found)
	if !h.Quick {
		f.u.Registry.Confirm(found)
	}
	f.u.Pacer.Advance(&f.doing.Job, pace.Reducing, costOf(found))
	if confirmed, err := f.reduceHang(ctx, h, x); !confirmed || err != nil {
		return err
	}
	return f.u.keep(found)
}

// confirmLong runs the trace with a long limit, and cuts it after the call that hangs.
func (f *follower) confirmLong(ctx context.Context, h *trial.Hang, x *failure) (confirmed bool, err error) {
	v, err := h.Confirm(ctx, x.found.Minimal, x.found.Finding)
	if err != nil {
		return false, err
	}
	if confirmed = f.takeVerdict(x, v); confirmed {
		x.found.Minimal = x.found.Minimal.Prefix(x.found.Call + 1)
	}
	return confirmed, nil
}

// takeVerdict records what a long run showed.
func (f *follower) takeVerdict(x *failure, v trial.HangVerdict) (confirmed bool) {
	found := x.found
	switch {
	case v.Why == "":
		found.Finding, found.Run, found.Rate = v.Finding, v.Run, trial.Rate{Failed: 1, Runs: 1}
		return true
	case len(v.Others) > 0:
		found.Run = v.Run
		f.followOthers(x, v.Others)
	case v.Slow:
		f.costs.Ended(x.found.Made, time.Duration(v.Run.Usage.WallNanos))
	case !f.u.Registry.Has(found.Key):
		f.u.Registry.Unconfirmed(found.AsUnconfirmed(v.Why))
	}
	return false
}

// reduceHang reduces the trace of a hang, and confirms the result unless the hang was
// confirmed before. If the campaign ends first, it keeps a confirmed trace.
func (f *follower) reduceHang(ctx context.Context, h *trial.Hang, x *failure) (confirmed bool, err error) {
	found := x.found
	if f.u.Reduction.Tests == 0 {
		if !h.Quick {
			return true, nil
		}
		return f.confirmLong(ctx, h, x)
	}
	config := dd.Config{Budget: dd.Budget{Tests: hangTests, Idle: hangIdle, Time: reduceTime}, Seed: found.Seed,
		Parts: found.Parts, Allowed: f.allowed(found), Events: dd.Events{Progress: f.progress(found)}}
	reduced, err := shrink.Hang(ctx, h, f.u.All[f.u.Number(found.Target)].Description, &found.Run, &found.Finding,
		found.Minimal, config)
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		if found.NotMinimal = store.RunEnded; h.Quick {
			return false, context.Cause(ctx)
		}
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if reduced.Smaller {
		found.Minimal = store.WithoutOrigin(reduced.Trace)
	}
	found.Tests, found.IsMinimal, found.Reducing = reduced.Stats.Tests, reduced.Minimal, reduced.Time
	found.NotMinimal = reduced.NotMinimal
	if v := reduced.Confirmed; v != nil && !f.takeVerdict(x, *v) {
		return false, nil
	}
	return true, f.diagnose(ctx, found)
}
