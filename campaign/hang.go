package campaign

import (
	"context"
	"errors"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Every candidate that hangs uses up its time limit, so reductions of hangs have their own budget.
const (
	hangTests = 600
	hangIdle  = 300
	// smallHang is the largest number of calls in a trace that is confirmed quickly; joined traces may have as many
	// for each.
	smallHang = 500
	// muchMemory is resident memory in KiB. A trace that was cut with more may have been about to meet the
	// memory limit instead.
	muchMemory = 256 << 10
	// newShort is the time of candidates while all that is known of the target is a call that ended quickly.
	newShort = 400 * time.Millisecond
)

func (f *follower) newHang(x *failure) *trial.Hang {
	found, target := x.found, f.c.number(x.found.Target)
	h := &trial.Hang{Target: f.c.target(target), Key: found.Key, Limits: f.c.config.Limits, Traces: 1 + found.History,
		NewJudge: func() *trial.Judge { return f.c.judge(target, true, trial.Thorough) }}
	f.size(h, found.Minimal)
	f.limit(h, x)
	return h
}

// limit sets the limits of candidates.
func (f *follower) limit(h *trial.Hang, x *failure) {
	price, traces := f.costs.UsualOfAll([]cost.Kind{x.kind}), time.Duration(h.Traces)
	warmup := f.costs.Warmup() // each candidate has a process of its own
	h.Short, h.Unhurried = 2*traces*f.costs.Limit(price, false)+warmup, 2*traces*f.costs.Unhurried(price)+warmup
	if h.New {
		h.Short, h.Unhurried = newShort, newShort
	}
}

// size records whether the trace is small and traces are usually quick. The lane may see a hang before
// enough traces have run to know that. If they are quick, the runs of the hang take seconds in all, and do not yield to
// the search: otherwise they would wait for minutes on a busy machine. If nothing is known yet, since nearly all traces
// hang, the search has nothing better to do either.
func (f *follower) size(h *trial.Hang, t *trace.Trace) {
	const quick = trial.SmallLongest / 10 // below it, reducing first takes less time than confirming first
	few := len(t.Calls) <= h.Traces*smallHang
	h.Small = few && f.costs.IsQuick(trial.SmallLongest/time.Duration(h.Traces))
	h.Quick = h.Small && h.Traces == 1 && f.costs.IsQuick(quick)
	h.New = h.Small && f.costs.IsNew()
	h.Limits.Yields = !h.Quick && !(few && f.costs.IsNew())
}

// confirmHang runs a trace again that a lane has set aside because it took far longer than usual. Either
// the trace hangs, or it ends and its answers are judged like all others.
func (f *follower) confirmHang(ctx context.Context, x *failure) error {
	found := x.found
	if f.costs.IsSilent() {
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
	if h.First() == h.Limits && isSlowAsUsual(f.costs, found.Minimal, &found.Run) {
		return nil
	}
	return f.hangs(ctx, h, x)
}

// isSlowAsUsual reports whether a run met a time limit in a solve that had not taken much longer yet than the target's
// solves usually do. Such a trace has too many of them for the limit.
func isSlowAsUsual(costs *cost.Costs, t *trace.Trace, run *trace.Run) bool {
	return run.End.IsTimeLimit() && run.Call < len(t.Calls) && t.Calls[run.Call].Op == apimodel.OpSolve &&
		costs.IsUsualSolve(time.Duration(run.Usage.WallNanos)-trial.SolveTime(run))
}

// isTooLong reports whether the trace being judged has more solves than the user's time limit allows, although they
// take no longer than usual. More time, up to that limit, would show nothing else.
func (l *lane) isTooLong(t *trace.Trace) bool {
	own := l.c.config.Limits
	return l.limits.CPU == own.CPU && l.limits.Wall == own.Wall && isSlowAsUsual(l.costs, t, l.judged)
}

// endedAfterAll handles a trace that a lane set aside, but that ends when it runs alone with more time.
func (f *follower) endedAfterAll(
	ctx context.Context, x *failure, h *trial.Hang, findings []oracle.Finding,
) error {
	found := x.found
	if found.Run.End.IsTimeLimit() { // it may be filling the memory: give it all of its time
		var err error
		if findings, err = h.Run(ctx, found.Minimal, h.Limits, &found.Run); err != nil {
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
	if h.TookLong(took) || took > x.took/10 { // slow, but not a failure
		f.costs.Ended(x.kind, took)
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
	if x.end == trace.OutOfCPU || x.asleep { // otherwise, the machine may have stood still
		f.c.registry.Unconfirmed(found.AsUnconfirmed("it took too long after other traces of its process, but only " +
			took.Round(time.Millisecond).String() + " alone"))
	}
	return nil
}

// followOthers adds follow-ups for the other failures of a trace that ended after all.
func (f *follower) followOthers(x *failure, findings []oracle.Finding) {
	took := time.Duration(x.found.Run.Usage.WallNanos)
	for _, other := range findings {
		if key := other.Key(x.found.Target); f.c.registry.Wants(key, !other.Voted) {
			f.c.follow(f.targets[0], &failure{found: x.found.As(other, key), kind: x.kind, took: took})
		}
	}
}

// sampleHang adds a follow-up that gives a trace more time. The lane set it aside, and a hang of its call is known. It
// may hang for that reason, but it may also fail in another way, somewhat later than the search waits. While the
// hang is being confirmed, samples would delay it.
func (l *lane) sampleHang(target int, t *trace.Trace, seen oracle.Finding, key oracle.Key, from source.Origin) {
	left := l.c.hangs.left(l.c)
	if left <= 0 || l.c.registry.Decides(key) || !l.c.followUps.hasCapacity() || !l.c.registry.Examining(key, 0) {
		return
	}
	x := l.newFailure(target, t, seen, key, from, 0)
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming, Cost: costOf(x.found), Slow: true}, atLimit: true,
		target: target, from: from, kind: x.kind, do: func(ctx context.Context, f *follower) error {
			defer l.c.registry.Examined(key, true, registry.Passed)
			defer func() { l.c.hangs.add(l.c.pacer.Used(f.job)) }()
			return unlessEnded(ctx, f.sampleHang(ctx, x))
		}})
}

// sampleHang follows up on the failures of a trace that does not hang when it has more time.
func (f *follower) sampleHang(ctx context.Context, x *failure) error {
	h := f.newHang(x)
	limits := h.Sample()
	limits.Yields = true
	findings, err := h.Run(ctx, x.found.Minimal, limits, &x.found.Run)
	if err != nil || x.found.Run.End.IsTimeLimit() {
		return err
	}
	f.followOthers(x, findings)
	if took := time.Duration(x.found.Run.Usage.WallNanos); len(findings) == 0 && h.TookLong(took) {
		f.costs.Ended(x.kind, took)
	}
	return nil
}

// hangs confirms and reduces a trace that gives no answer for a long time. It first reduces a small trace
// of a quick target with a short limit, and confirms only the result.
func (f *follower) hangs(ctx context.Context, h *trial.Hang, x *failure) error {
	found := x.found
	if _, why, err := h.Easy(ctx, found.Minimal); why != "" || err != nil {
		if err == nil {
			u := found.AsUnconfirmed(why)
			u.Hard = true
			f.c.registry.Unconfirmed(u)
		}
		return err
	}
	wasQuick := h.Quick
	if f.size(h, found.Minimal); h.Quick && !wasQuick { // the limits were those of an unknown target
		f.limit(h, x)
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
	if !f.c.registry.Reserve(found, f.c.registry.ViewOf(found)) {
		return nil
	}
	defer f.c.registry.Release(found)
	if !h.Quick {
		f.c.registry.Confirm(found)
	}
	f.c.pacer.Advance(f.job, pace.Reducing, costOf(found))
	if confirmed, err := f.reduceHang(ctx, h, x); !confirmed || err != nil {
		return err
	}
	return f.c.add(found)
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
		f.costs.Ended(x.kind, time.Duration(v.Run.Usage.WallNanos))
	case !f.c.registry.Has(found.Key):
		f.c.registry.Unconfirmed(found.AsUnconfirmed(v.Why))
	}
	return false
}

// reduceHang reduces the trace of a hang, and confirms the result unless the hang was
// confirmed before. If the campaign ends first, it keeps a confirmed trace.
func (f *follower) reduceHang(ctx context.Context, h *trial.Hang, x *failure) (confirmed bool, err error) {
	found := x.found
	if f.c.reduction.Tests == 0 {
		if !h.Quick {
			return true, nil
		}
		return f.confirmLong(ctx, h, x)
	}
	config := dd.Config{Budget: dd.Budget{Tests: hangTests, Idle: hangIdle, Time: reduceTime}, Seed: found.Seed,
		Parts: found.Parts, Allowed: f.allowed(found), Events: dd.Events{Progress: f.progress(found)}}
	reduced, err := shrink.Hang(ctx, h, f.c.descriptionOf(f.c.number(found.Target)), &found.Run, &found.Finding,
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
		found.Minimal = store.Reduced(reduced.Trace)
	}
	found.Tests, found.IsMinimal, found.Reducing = reduced.Stats.Tests, reduced.Minimal, reduced.Time
	found.NotMinimal = reduced.NotMinimal
	if v := reduced.Confirmed; v != nil && !f.takeVerdict(x, *v) {
		return false, nil
	}
	return true, f.diagnose(ctx, found)
}
