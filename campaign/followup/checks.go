package followup

import (
	"context"
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// confirmMessage looks for the trace that wrote a message. If none writes it alone, the last may need the traces
// before it.
func (f *follower) confirmMessage(ctx context.Context, s *suspect.Suspect) (*task, error) {
	defer f.u.Registry.Settled(s.Found.Key, !s.Found.Voted)
	for _, one := range s.OneOf {
		var run trace.Run
		same, err := f.group.Shows(ctx, one.Found.Target, one.Found.Original, s.Found.Key, &run)
		if err != nil {
			return nil, err
		}
		if same != nil {
			return f.confirm(ctx, failureOf(one))
		}
	}
	return f.confirm(ctx, failureOf(s.OneOf[len(s.OneOf)-1]))
}

// confirmLeak runs a trace that left the heap larger many times in fresh processes.
func (f *follower) confirmLeak(ctx context.Context, s *suspect.Suspect) (*task, error) {
	found := s.Found
	defer f.u.Registry.Settled(found.Key, true)
	growth, rate, err := f.u.leaksIn(ctx, s.Target, found.Original)
	if rate.Failed > 0 {
		f.doing.seen = found
	}
	if err != nil || rate.Failed == 0 {
		return nil, err
	}
	found.Observed, found.Rate = trial.ObservedLeak(growth), rate
	if !rate.Always() {
		f.u.Registry.Unconfirmed(found.AsUnconfirmed(
			fmt.Sprintf("the heap grew in only %s processes: seen, but not reproducible", rate)))
		return nil, nil
	}
	if _, err := f.group.Session(found.Target).Run(ctx, found.Minimal, &found.Run); err != nil {
		return nil, err
	}
	return f.u.reduction(found), nil
}

// leaksIn runs a trace many times in each of sureRuns fresh processes, until one does not leak. It returns the least
// growth and in how many of them the trace leaked.
func (u *FollowUps) leaksIn(ctx context.Context, target int, t *trace.Trace) (least int64, rate trial.Rate, err error) {
	for rate.Always() && rate.Runs < sureRuns {
		growth, err := trial.HeapGrowth(ctx, u.All[target].Target, u.Limits, t)
		if err != nil {
			return 0, rate, err
		}
		if rate.Runs++; growth > 0 {
			rate.Failed++
		}
		if least == 0 || growth < least {
			least = growth
		}
	}
	return least, rate, nil
}

// confirmExit runs a trace in a process that exits normally, so that the destructors of the library run.
func (f *follower) confirmExit(ctx context.Context, s *suspect.Suspect) (*task, error) {
	var run trace.Run
	name := f.u.All[s.Target].Name
	findings, err := f.group.Session(name).Run(ctx, s.Trace, &run)
	if err != nil || !run.Death.AtExit {
		return nil, err
	}
	at := slices.IndexFunc(findings, func(f oracle.Finding) bool { return f.Call == run.Call })
	if at < 0 || !f.u.Registry.Wants(findings[at].Key(name), true) {
		return nil, nil
	}
	x := &failure{found: store.New(ctx, name, findings[at], s.Trace, s.From), run: suspect.Run{End: run.End}}
	x.found.Made = s.Made
	defer f.u.Registry.Settled(x.found.Key, true)
	f.u.Registry.Stamp(x.found)
	f.doing.seen = x.found
	return f.confirm(ctx, x)
}

// confirmGrowth finds the trace of a batch at which the peak memory of a member jumped. The peak of a persistent
// process covers all its traces, so each runs again in a fresh process. Its memory is the peak of that process less the
// peak of one that only creates a solver.
func (f *follower) confirmGrowth(ctx context.Context, s *suspect.Suspect) (*task, error) {
	for i, t := range s.Batch {
		from := source.Origin{Stream: s.From.Stream, Number: s.From.Number + uint64(i)}
		if done, err := f.weigh(ctx, s.Member, t, from); done || err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// weigh measures the memory of a trace, and reports whether it made the peak jump.
func (f *follower) weigh(ctx context.Context, member int, t *trace.Trace, from source.Origin) (bool, error) {
	target := f.targets[member]
	grown, err := f.growthOfPeak(ctx, member, t)
	if err != nil || grown.Usage.PeakKB < trial.LeapKB {
		return false, err
	}
	finding, err := f.tooLarge(ctx, member, t)
	if finding == nil || err != nil {
		return true, err
	}
	key := finding.Key(f.u.All[target].Target.Name)
	if !f.u.Registry.Wants(key, !finding.Voted) {
		return true, nil
	}
	defer f.u.Registry.Settled(key, !finding.Voted)
	found := store.New(ctx, f.u.All[target].Name, *finding, t, from)
	found.Rate = trial.Rate{Failed: 2, Runs: 2}
	f.doing.seen = found
	again, err := f.tooLarge(ctx, member, t)
	if err != nil {
		return true, err
	}
	if again == nil {
		f.u.Registry.Unconfirmed(found.AsUnconfirmed(""))
		return true, nil
	}
	if _, err := f.group.Session(found.Target).Run(ctx, found.Minimal, &found.Run); err != nil {
		return true, err
	}
	return true, f.u.keep(found)
}

// tooLarge compares the memory that the trace takes on all targets. It returns the finding, or nil.
func (f *follower) tooLarge(ctx context.Context, member int, t *trace.Trace) (*oracle.Finding, error) {
	ballots := make([]compare.Ballot, len(f.targets))
	for k := range ballots {
		run, err := f.growthOfPeak(ctx, k, t)
		if err != nil {
			return nil, err
		}
		ballots[k] = compare.Ballot{Target: f.u.All[f.targets[k]].Name, Run: run}
	}
	for _, found := range (compare.Resources{Factor: f.u.Factor}).Compare(t, ballots)[member] {
		if found.Class == oracle.TooMuchMemory {
			return &found, nil
		}
	}
	return nil, nil
}

// growthOfPeak runs the trace in a fresh process. The peak is sampled, so it misses memory that is held for
// only a few milliseconds.
func (f *follower) growthOfPeak(ctx context.Context, member int, t *trace.Trace) (*trace.Run, error) {
	return trial.PeakGrowth(ctx, f.u.All[f.targets[member]].Target, f.u.Limits, t)
}

// Each instance in a trace must give the same answers as it gives alone. A failure shows in two ways.
// Either an answer is proven wrong and the instance answers correctly alone (Session.BlameInstances). Or no
// check decides the answers and an instance answers differently alone (confirmMixed). Both are class 5.5.

// confirmMixed runs each instance of a trace alone, and makes a finding of it if one answers differently than alone.
func (f *follower) confirmMixed(ctx context.Context, s *suspect.Suspect) (*task, error) {
	var run trace.Run
	finding, err := f.group.Sessions[0].DiffersAlone(ctx, s.Trace, &run)
	if finding == nil || err != nil {
		return nil, err
	}
	name := f.u.All[s.Target].Name
	if !f.u.Registry.Wants(finding.Key(name), !finding.Voted) {
		return nil, nil
	}
	found := store.New(ctx, name, *finding, s.Trace, s.From)
	found.Made = s.Made
	defer f.u.Registry.Settled(found.Key, !finding.Voted)
	found.Rate = trial.Rate{Failed: 2, Runs: 2}
	f.doing.seen = found
	test := func(candidate *trace.Trace) (bool, error) {
		var run trace.Run
		again, err := f.group.Sessions[0].DiffersAlone(ctx, candidate, &run)
		if again == nil || err != nil || again.Key(found.Target) != found.Key {
			return false, err
		}
		found.Finding, found.Run = *again, run
		return true, nil
	}
	same, err := test(found.Original) // confirm it on the whole trace
	if err != nil {
		return nil, err
	}
	if !same {
		f.u.Registry.Unconfirmed(found.AsUnconfirmed(""))
		return nil, nil
	}
	if found.Minimal, err = dd.Cut(found.Original, found.Call, test); err != nil {
		return nil, err
	}
	return nil, f.u.keep(found)
}
