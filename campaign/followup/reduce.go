package followup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/diagnose"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A number of tests bounds reductions in a campaign, so that slow and fast machines come to the same
// result. The time limit is a last resort, for targets that take seconds per trace; a finding says if its
// reduction met it.
const (
	reduceTests = 3000 // many times the tests of a tiny trace
	reduceIdle  = 1000 // tests in a row without progress
	reduceTime  = 2 * time.Minute
)

// Reduction is the usual budget of reductions.
var Reduction = dd.Budget{Tests: reduceTests, Idle: reduceIdle}

// reduction returns the stage that reduces a confirmed finding and adds it to the registry; nil if another task has
// the key.
func (u *FollowUps) reduction(found *store.Finding) *task {
	if !u.Registry.Reserve(found) {
		return nil
	}
	u.Registry.Confirm(found)
	slow := found.Class == oracle.TooSlow || found.Class == oracle.TooMuchMemory ||
		u.takesLong(u.Number(found.Target), time.Duration(found.Run.Usage.WallNanos)) // each trial that fails is slow
	job := pace.Job{Stage: pace.Reducing, Cost: costOf(found), Slow: slow}
	return &task{Job: job, target: u.targetOf(found), from: u.originOf(found), kind: found.Made, limit: reduceTime,
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

// reduceStored reduces a stored finding and replaces its directory.
func (f *follower) reduceStored(ctx context.Context, found *store.Finding) error {
	smaller := *found
	smaller.Minimal, smaller.NotMinimal, smaller.Resumed = store.WithoutOrigin(found.Minimal), "", false
	smaller.Undecided, smaller.IsMinimal = false, false
	f.u.Registry.Reserve(&smaller)
	defer f.u.Registry.Release(&smaller)
	side := make(shrink.SideFailures)
	if err := f.run(ctx, &smaller, side); err != nil {
		return err
	}
	if trace.CallsAlone(smaller.Minimal) != trace.CallsAlone(found.Minimal) || smaller.IsMinimal {
		f.u.program(&smaller)
		settle(&smaller)
		if err := f.u.Registry.Replace(&smaller); err != nil {
			return err
		}
	}
	return f.reduceSideFailures(ctx, found, side)
}

// reduceAndAdd reduces a confirmed finding with a reserved key and adds it. Then it reduces and adds its
// side failures.
func (f *follower) reduceAndAdd(ctx context.Context, found *store.Finding) error {
	defer f.u.Registry.Release(found)
	// A failure seen this often stays confirmed. After many traces that says little: one of them may fail by chance.
	oftenEnough := found.Rate.Failed >= sureRuns && found.History == 0
	side := make(shrink.SideFailures)
	if err := f.run(ctx, found, side); err != nil {
		return err
	}
	// Races rarely reproduce. That it does not occur in order is evidence enough.
	byThreads := found.Class == oracle.InstancesMix && trial.RunsAtOnce(found.Original)
	if found.Rate.Share() < foundShare && !oftenEnough && !byThreads {
		return f.u.Registry.GiveUp(found, tooRare(found.Rate))
	}
	if err := f.u.keep(found); err != nil {
		return err
	}
	return f.reduceSideFailures(ctx, found, side)
}

// A trace that fails in fewer of its runs than foundShare makes no finding: nobody could work with it. A
// trace that fails in fewer than leastShare is not reduced.
const (
	foundShare = 0.1
	leastShare = 0.25
)

// reduceSideFailures makes findings of those side failures that the registry wants, and of the side
// failures of these reductions in turn.
func (f *follower) reduceSideFailures(ctx context.Context, in *store.Finding, side shrink.SideFailures) error {
	for f.u.Others && len(side) > 0 && ctx.Err() == nil {
		key, traces := side.Next()
		if err := f.reduceSideFailure(ctx, in, key, traces); err != nil {
			return err
		}
	}
	return nil
}

// reduceSideFailure makes a finding of a side failure, from the first of its traces that shows it again. If
// other traces reduce to something else, the finding keeps the results as variants, since another fault may
// have the same key.
func (f *follower) reduceSideFailure(
	ctx context.Context, in *store.Finding, key oracle.Key, traces []*trace.Trace,
) error {
	if !f.u.Registry.Wants(key, false) {
		return nil
	}
	defer f.u.Registry.Settled(key, false)
	var first *store.Finding
	side := make(shrink.SideFailures)
	for _, t := range traces {
		other := &store.Finding{Key: key, Target: in.Target, Seed: in.Seed, Choice: in.Choice, Original: t, Minimal: t,
			Facts: store.Facts{Cell: in.Cell, Number: in.Number, MetIn: in.Key, Rate: trial.Rate{Failed: 1, Runs: 1}}}
		same, err := f.group.Shows(ctx, in.Target, t, key, &other.Run)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return err
		}
		if same == nil {
			continue // it was never confirmed, so nothing is lost
		}
		other.Finding = *same
		if first == nil {
			if !f.u.Registry.Reserve(other) {
				return nil
			}
			defer f.u.Registry.Release(other)
			first = other
			f.u.Registry.Confirm(other)
		}
		if err := f.run(ctx, other, side); err != nil {
			return err
		}
		if other != first && !first.ReducesTo(other.Minimal) {
			first.Siblings = append(first.Siblings, &store.Finding{Original: other.Original, Minimal: other.Minimal})
		}
	}
	if first == nil {
		return nil
	}
	if err := f.u.keep(first); err != nil {
		return err
	}
	return f.reduceSideFailures(ctx, first, side)
}

// run reduces the trace of a confirmed finding and notes side failures. If the reduction fails, the finding
// keeps its confirmed trace.
func (f *follower) run(ctx context.Context, found *store.Finding, side shrink.SideFailures) error {
	if f.u.Reduction.Tests == 0 {
		return nil
	}
	target := f.u.Number(found.Target)
	config := dd.Config{Budget: f.u.Reduction, Workers: 1, Seed: found.Seed, Parts: found.Parts,
		Description: f.u.All[target].Description, Allowed: f.allowed(found),
		Events: dd.Events{Progress: f.progress(found)}}
	if found.Compared() {
		result, err := shrink.Compared(ctx, f.group, found.Target, found.Key, found.Call, found.Minimal, config)
		if err != nil && ctx.Err() != nil {
			found.NotMinimal = whyCutOff(ctx)
			return nil
		}
		if err != nil {
			return err
		}
		takeCompared(found, result)
		found.Right, err = shrink.RightAnswers(context.WithoutCancel(ctx), found.Minimal)
		return err
	}
	config.OnOther = side.Note
	limits := found.LimitsOf(f.group.Session(found.Target).Limits())
	reducer := &shrink.Reducer{Config: config, Target: f.u.All[target].Target, Limits: limits, Key: found.Key,
		LeastShare: leastShare, LeastCPU: f.leastCPU(found), Prompt: true}
	result, err := reducer.Reduce(ctx, found.Minimal)
	var lost *shrink.NotFailingError
	var rare *shrink.RareError
	switch {
	case errors.As(err, &rare):
		found.Rate, found.NotMinimal = rare.Rate, rare.Error()
		return nil
	case errors.As(err, &lost): // it fails by chance: keep the confirmed trace
		found.Rate.Runs += lost.Runs
		found.NotMinimal = fmt.Sprintf("it did not fail in %d more runs", lost.Runs)
		return nil
	case err != nil && ctx.Err() != nil:
		found.NotMinimal = whyCutOff(ctx)
		return nil
	case err != nil:
		return err
	case result.After.Failed == 0: // the reduced trace failed by chance, too, and did not fail again
		found.Rate.Failed += result.Before.Failed
		found.Rate.Runs += result.Before.Runs
		found.NotMinimal = lostAgain
		return nil
	case result.After.Share() < foundShare && found.History == 0: // only chance took the candidates for failing ones
		found.NotMinimal = fmt.Sprintf("the reduced trace failed in only %s runs", result.After)
		return nil
	}
	takeReduction(found, result)
	return f.diagnose(ctx, found)
}

// leastCPU returns the least processor time of the versions of a finding's trace.
func (f *follower) leastCPU(found *store.Finding) time.Duration {
	if f.u.Registry.Hangs(found.Target) {
		return limit.HangingCPU
	}
	return limit.LeastCPU
}

// causeTime is the longest time to determine one cause.
const causeTime = 10 * time.Second

// diagnose determines the cause of a reduced finding. The cause stays unknown if that takes too long or the
// campaign ends.
func (f *follower) diagnose(ctx context.Context, found *store.Finding) error {
	u := f.u
	used := func() time.Duration { return u.Pacer.Used(&f.doing.Job) }
	begun := used()
	if found.History > 0 || !f.sample && u.Budgets.Causes.Left() < 0 {
		found.Undecided = found.History == 0
		return nil
	}
	if !f.sample { // examine adds up the time of samples
		defer func() { u.Budgets.Causes.Spend(used() - begun) }()
	}
	u.Registry.Reduced(found)
	target, limits := u.Number(found.Target), found.LimitsOf(f.group.Session(found.Target).Limits())
	failure := diagnose.Failure{Key: found.Finding.Key(found.Target), Minimal: found.Minimal,
		Originals: []*trace.Trace{found.Original}, Rate: found.Rate}
	if failure.MeetsLimit() {
		limits = limit.ToMeet(limits, found.Class, &found.Run, limit.LeastCPU)
	} else if u.Registry.Hangs(found.Target) {
		took := time.Duration(found.Run.Usage.WallNanos)
		limits = limit.Within(limits, took, limit.HangingCPU, limit.LeastWall)
	}
	session := trial.NewExamination(u.All[target].Target, u.All[target].Description, limits, false)
	defer session.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	allowed := f.allowed(found)
	failure.Config = dd.Config{Description: u.All[target].Description, Allowed: func(t *trace.Trace) bool {
		if used()-begun > causeTime {
			stop(engine.ErrTime)
		}
		return allowed == nil || allowed(t)
	}}
	if f.explained != nil {
		if explained, err := f.isExplained(ctx, found, &failure, session); explained || err != nil {
			return unlessEnded(ctx, err)
		}
	}
	result, err := failure.Run(ctx, session)
	switch {
	case err != nil && ctx.Err() != nil:
		found.Undecided = whyCutOff(ctx) == store.RunEnded
		return nil
	case err != nil || result == nil:
		return err
	}
	found.Diagnosis, found.Undecided = result.Diagnosis, false
	if trace.CallsAlone(result.Normal) != trace.CallsAlone(found.Minimal) {
		found.Normal = result.Normal
	}
	return nil
}

// isExplained reports whether a few experiments show that a failure has the fault of another finding, as
// most examined failures have.
func (f *follower) isExplained(ctx context.Context, found *store.Finding, failure *diagnose.Failure,
	session *trial.Session) (explained bool, err error) {
	if found.Diagnosis, err = failure.Cause(ctx, session); err != nil || found.Diagnosis == nil {
		return false, err
	}
	found.Locate()
	if f.u.Registry.Explains(found) {
		return true, nil
	}
	found.Diagnosis = nil
	return false, nil
}

// allowed returns a function that rejects candidates that the user excluded or that a known cause explains.
// It returns nil if nothing is excluded.
func (f *follower) allowed(found *store.Finding) func(*trace.Trace) bool {
	allowed := f.u.Book.Cells[found.Cell].Excludes(f.u.Avoid, found.Minimal)
	if len(f.explained) == 0 {
		return allowed
	}
	return func(t *trace.Trace) bool { return (allowed == nil || allowed(t)) && !cause.Explain(f.explained, t) }
}

// whyCutOff names what ended the context of a reduction: its time limit or the end of the campaign.
func whyCutOff(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), engine.ErrTime) {
		return engine.ErrTime.Error()
	}
	return store.RunEnded
}

const lostAgain = "the reduced trace did not fail again"

// takeReduction replaces the trace of a finding by the reduced one.
func takeReduction(f *store.Finding, result *shrink.Reduction) {
	f.Minimal, f.Run, f.Rate = store.WithoutOrigin(result.Expecting), result.Run, result.After
	f.Fixed, f.Sigterm = result.Fixed, result.Sigterm
	f.Tests, f.IsMinimal, f.Right, f.Reducing = result.Stats.Tests, result.Minimal, result.Right, result.Time
	f.Finding, f.Others, f.NotMinimal = result.Finding, result.Others, shrink.WhyNotMinimal(result.Ended)
}

// takeCompared is takeReduction for a finding of a comparison, which keeps the rate at which it was
// confirmed.
func takeCompared(f *store.Finding, result *shrink.Reduction) {
	if result.After.Failed == 0 {
		f.NotMinimal = lostAgain
		return
	}
	rate := f.Rate
	takeReduction(f, result)
	f.Rate = rate
}

// progress returns a function that records the progress of a finding's reduction.
func (f *follower) progress(found *store.Finding) func(dd.Progress) {
	return func(p dd.Progress) { f.u.Registry.Progress(found, p) }
}

// settle records where a reduced finding crashes, and whether its cause is open only because time ran out.
func settle(found *store.Finding) {
	found.Locate()
	cut := found.NotMinimal == store.RunEnded || found.NotMinimal == shrink.Interrupted
	found.Undecided = found.Location == "" && found.Diagnosis == nil && (found.Undecided || cut)
}

// keep adds a confirmed finding to the registry, with a program that shows it.
func (u *FollowUps) keep(found *store.Finding) error {
	u.program(found)
	settle(found)
	return u.Registry.Add(found)
}

// program sets what shows the finding without ipafuzz.
func (u *FollowUps) program(found *store.Finding) {
	target, stem := u.All[u.Number(found.Target)], "repro"
	if target.Kind == replay.File {
		stem = "minimal"
	}
	found.Program = repro.Of(found.Minimal, found.Original, stem, target.Target, target.Description, found.Key,
		found.LimitsOf(u.Limits), found.Right)
}
