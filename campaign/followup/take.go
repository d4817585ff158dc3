package followup

import (
	"context"
	"errors"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Take begins to follow up on a suspect. It never blocks.
func (u *FollowUps) Take(s *suspect.Suspect) {
	if s.Kind == suspect.Failed {
		u.add(u.confirmation(s.Target, failureOf(s)))
		return
	}
	t := &task{Job: pace.Job{Stage: pace.Confirming}, target: s.Target, from: s.From, limit: s.Limit}
	if s.Found != nil {
		t.Cost = costOf(s.Found)
	}
	stage := (*follower).confirmExit
	switch s.Kind {
	case suspect.Wrote:
		stage, t.seen = (*follower).confirmMessage, s.Found
	case suspect.Leaked:
		stage = (*follower).confirmLeak
	case suspect.Grew:
		stage, t.Cost = (*follower).confirmGrowth, time.Second
	case suspect.Mixed:
		stage, t.Cost = (*follower).confirmMixed, time.Millisecond
	case suspect.Differs:
		stage, t.Cost = (*follower).settle, time.Millisecond
	case suspect.Hung:
		stage, t.Slow, t.AtLimit, t.kind = (*follower).sampleHang, true, true, s.Made
	case suspect.Known:
		stage, t.Stage = (*follower).examineSuspect, pace.Reducing
		if t.limit == 0 {
			t.limit = reduceTime
		}
		t.limit = min(t.limit, reduceTime)
	}
	t.do = func(ctx context.Context, f *follower) (*task, error) { return stage(f, ctx, s) }
	u.add(t)
}

// A failure is a suspect that failed once, while it is confirmed.
type failure struct {
	found  *store.Finding
	kind   cost.Kind
	run    suspect.Run
	misses bool             // the calls up to run.Cut do not show the failure
	others []oracle.Finding // how it fails alone, if that is another way
}

func failureOf(s *suspect.Suspect) *failure {
	return &failure{found: s.Found, kind: s.Made, run: s.Run}
}

// costOf estimates the cost of following up on a finding: one trial for each call.
func costOf(found *store.Finding) time.Duration {
	return time.Duration(len(found.Minimal.Calls)) * time.Millisecond
}

// longTrial is the least time of trials that must not hold up the others, and longFold the least multiple
// of the usual time of a trace.
const (
	longTrial = 100 * time.Millisecond
	longFold  = 16
)

// takesLong reports whether a run of a trace took far longer than traces of the target usually do.
func (u *FollowUps) takesLong(target int, took time.Duration) bool {
	return took >= longTrial && took >= longFold*u.All[target].Costs.Usual()
}

// confirmation returns the stage that confirms a failure in the processes of a target. The registry must want it.
func (u *FollowUps) confirmation(target int, x *failure) *task {
	found, took := x.found, x.run.Took
	if x.run.Cut != nil {
		took = x.run.Cut.Took
	}
	atLimit := found.IsTimeLimit() || found.IsMemoryLimit()
	job := pace.Job{Stage: pace.Confirming, Cost: costOf(found), Slow: atLimit || u.takesLong(target, took),
		AtLimit: atLimit}
	key := found.Key
	return &task{Job: job, target: target, from: u.originOf(found), kind: x.kind, seen: found,
		do: func(ctx context.Context, f *follower) (next *task, err error) {
			defer func() {
				if !x.misses {
					u.Registry.Settled(key, !found.Voted)
					f.followOthers(x, x.others)
				}
			}()
			next, err = f.confirm(ctx, x)
			if x.misses { // with all of its calls, the trace may fail again
				again := &failure{found: found, kind: x.kind, run: x.run}
				again.run.Cut = nil
				next = u.confirmation(target, again)
			}
			return next, err
		}}
}

// confirm finds out whether a failure happens again in a fresh process. It first asks whether the target's tables
// explain the failure, then treats the trace as one that hangs or as one that fails.
func (f *follower) confirm(ctx context.Context, x *failure) (*task, error) {
	if wide, err := f.isTooWide(ctx, x); wide || err != nil {
		return nil, err
	}
	if x.found.IsTimeLimit() {
		return nil, f.confirmHang(ctx, x)
	}
	again, err := f.reproduce(ctx, x)
	if again == nil || err != nil {
		return nil, err
	}
	x.found.Finding, x.found.Key = *again, again.Key(x.found.Target)
	return f.u.reduction(x.found, x.kind), nil
}

// reduction returns the stage that reduces a confirmed finding and adds it to the registry; nil if another task has
// the key. The kind is that of the finding's trace.
func (u *FollowUps) reduction(found *store.Finding, kind cost.Kind) *task {
	if !u.Registry.Reserve(found) {
		return nil
	}
	u.Registry.Confirm(found)
	slow := found.Class == oracle.TooSlow || found.Class == oracle.TooMuchMemory ||
		u.takesLong(u.Number(found.Target), time.Duration(found.Run.Usage.WallNanos)) // each trial that fails is slow
	job := pace.Job{Stage: pace.Reducing, Cost: costOf(found), Slow: slow}
	return &task{Job: job, target: u.targetOf(found), from: u.originOf(found), kind: kind, limit: reduceTime,
		do: func(ctx context.Context, f *follower) (*task, error) { return nil, f.reduceAndAdd(ctx, found) },
		cut: func() {
			defer u.Registry.Release(found)
			found.NotMinimal = store.RunEnded
			if err := u.keep(found); err != nil && !errors.Is(err, registry.ErrEnough) {
				u.Stop(err)
			}
		}}
}

// ReduceStored adds follow-ups for findings that were not minimal at the end of an earlier part of the
// campaign, or whose cause was open because it ended. A finding whose trace does not fail again stays as it is.
func (u *FollowUps) ReduceStored(stored []*store.Finding) {
	for _, found := range stored {
		u.add(&task{Job: pace.Job{Stage: pace.Reducing, Cost: costOf(found)}, target: u.targetOf(found),
			from: u.originOf(found), limit: reduceTime,
			do: func(ctx context.Context, f *follower) (*task, error) { return nil, f.reduceStored(ctx, found) }})
	}
}

// ExamineHeld adds a follow-up for the failures that the search saw with the key of a finding before it was one.
func (u *FollowUps) ExamineHeld(found *store.Finding) {
	if u.Others && u.Reduction.Tests > 0 && registry.CanExamine(&found.Finding) {
		u.add(&task{Job: pace.Job{Stage: pace.Reducing, Cost: costOf(found)}, target: u.targetOf(found),
			from: u.originOf(found), limit: reduceTime,
			do: func(ctx context.Context, f *follower) (*task, error) { return nil, f.examineHeld(ctx, found) }})
	}
}
