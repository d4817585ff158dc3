package followup

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// examineSuspect examines a failure with a known key, and then those that the search held back meanwhile.
func (f *follower) examineSuspect(ctx context.Context, s *suspect.Suspect) (*task, error) {
	verdict, err := f.examine(ctx, s.Found, s.Known.Known, s.Explained)
	f.u.Registry.Examined(s.Found.Key, s.Explained, verdict)
	if err != nil {
		return nil, err
	}
	return nil, f.examineHeld(ctx, s.Found)
}

// ExamineHeld adds a follow-up for the failures that the search saw with the key of a finding before it was one.
func (u *FollowUps) ExamineHeld(found *store.Finding) {
	if u.Others && u.Reduction.Tests > 0 && registry.CanExamine(&found.Finding) {
		u.add(&task{Job: pace.Job{Stage: pace.Reducing, Cost: costOf(found)}, target: u.targetOf(found),
			from: u.originOf(found), limit: reduceTime,
			do: func(ctx context.Context, f *follower) (*task, error) { return nil, f.examineHeld(ctx, found) }})
	}
}

// examineHeld examines the failures that lanes saw with the key of a finding while it was reduced.
func (f *follower) examineHeld(ctx context.Context, first *store.Finding) error {
	u, key := f.u, first.Key
	held := u.Registry.Held(key)
	for ; len(held) > 0 && ctx.Err() == nil; held = append(held[1:], u.Registry.Held(key)...) {
		known, t := u.Registry.Known(key), new(trace.Trace)
		if known == nil {
			break
		}
		from, features := held[0].From, held[0].Features
		kind := from.Again(ctx, t)
		explained := cause.Explain(known.Known, t)
		if len(t.Calls) == 0 || !known.Wants(features, explained) || u.Budgets.ToExamine(explained) <= 0 ||
			!u.Registry.Examining(key, features) {
			continue
		}
		found := store.New(ctx, first.Target, oracle.Finding{Class: first.Class, Detail: first.Detail}, t, from)
		found.Key, found.Made = key, kind
		u.Registry.Stamp(found)
		verdict, err := f.examine(ctx, found, known.Known, explained)
		u.Registry.Examined(key, explained, verdict)
		if err != nil {
			return err
		}
	}
	return nil
}

// examine confirms a failure and reduces it, without the known causes of its key. It adds the result as a
// finding unless another finding has the same fault after all.
func (f *follower) examine(ctx context.Context, found *store.Finding, known []*cause.Failure, explained bool) (
	v registry.Verdict, err error,
) {
	f.explained = known
	defer func() { f.explained = nil }()
	versions := []*trace.Trace{found.Minimal}
	if explained {
		begun := f.u.Pacer.Used(&f.doing.Job)
		f.sample = true
		defer func() {
			f.sample = false
			f.u.Budgets.Samples.Spend(f.u.Pacer.Used(&f.doing.Job) - begun)
		}()
		found.MetIn = found.Key
		versions = cause.Without(found.Original, f.explained)
	}
	var same *oracle.Finding
	for i := 0; i < len(versions) && same == nil && err == nil; i++ {
		found.Original, found.Minimal = versions[i], versions[i]
		same, err = f.group.Shows(ctx, found.Target, found.Minimal, found.Key, &found.Run)
	}
	if err != nil || same == nil {
		return registry.Passed, unlessEnded(ctx, err)
	}
	found.Finding, found.Rate = *same, trial.Rate{Failed: 1, Runs: 1}
	f.u.Pacer.News()
	side := make(shrink.SideFailures)
	if err := f.run(ctx, found, side); err != nil {
		return registry.NothingNew, unlessEnded(ctx, err)
	}
	if explainedUpToFailure(known, found) {
		return registry.NothingNew, nil
	}
	found.Locate()
	unknown := found.Cause() == "" && found.Location == ""
	if ctx.Err() != nil || unknown || found.Rate.Share() < leastShare || f.u.Registry.Explains(found) {
		return registry.NothingNew, nil
	}
	f.u.program(found)
	if err := f.u.Registry.AddBeside(found); err != nil {
		return registry.AnotherFault, err
	}
	return registry.AnotherFault, f.reduceSideFailures(ctx, found, side)
}

// explainedUpToFailure reports whether a known failure explains the minimal trace without the calls after
// the failure. Those calls may keep an experiment from applying: a variable that was in no clause may be in one later.
func explainedUpToFailure(known []*cause.Failure, found *store.Finding) bool {
	n := found.Call + 1
	return n < len(found.Minimal.Calls) && cause.Explain(known, found.Minimal.Prefix(n))
}

// unlessEnded returns err, or nil if ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
