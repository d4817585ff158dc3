package campaign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// checkLeak adds a follow-up that runs a suspicious trace many times in one fresh process.
func (l *lane) checkLeak(t *trace.Trace, from source.Origin) {
	finding, target := trial.HeapFinding(t), l.targets[0]
	name := l.c.target(target).Name
	key := finding.Key(name)
	if !l.c.followUps.hasCapacity() || !l.c.registry.WantsLeakCheck(key) {
		return
	}
	kind, found := l.kind, l.newFailure(target, t, finding, key, from, 0).found
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming, Cost: costOf(found)}, target: target, from: from,
		do: func(ctx context.Context, f *follower) error {
			defer l.c.registry.Settled(key, true)
			growth, rate, err := l.c.leaksIn(ctx, target, found.Original)
			if rate.Failed > 0 {
				f.doing.seen = found
			}
			if err != nil || rate.Failed == 0 {
				return err
			}
			found.Observed, found.Rate = trial.ObservedLeak(growth), rate
			if !rate.Always() {
				l.c.registry.Unconfirmed(found.AsUnconfirmed(
					fmt.Sprintf("the heap grew in only %s processes: seen, but not reproducible", rate)))
				return nil
			}
			if _, err := f.group.Session(name).Run(ctx, found.Minimal, &found.Run); err != nil {
				return err
			}
			f.c.reduceLater(found, kind)
			return nil
		}})
}

// leaksIn runs a trace many times in each of sureRuns fresh processes, until one does not leak. It returns the least
// growth and in how many of them the trace leaked.
func (c *Campaign) leaksIn(ctx context.Context, target int, t *trace.Trace) (least int64, rate trial.Rate, err error) {
	for rate.Always() && rate.Runs < sureRuns {
		growth, err := trial.HeapGrowth(ctx, c.target(target), c.config.Limits, t)
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

// checkExit adds a follow-up that runs a trace in a process that exits normally, so that the destructors of
// the library run. Lanes kill their processes.
func (l *lane) checkExit(t *trace.Trace, from source.Origin) {
	target := l.targets[0]
	isProgram := l.c.target(target).Kind == replay.Pipe || l.c.target(target).Kind == replay.File
	if isProgram || l.c.config.Way == replay.Fork || !l.c.followUps.hasCapacity() {
		return
	}
	l.exited = true
	t, kind, name := t.Clone(), l.kind, l.c.target(target).Name
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming}, target: target, from: from,
		do: func(ctx context.Context, f *follower) error {
			var run trace.Run
			findings, err := f.group.Session(name).Run(ctx, t, &run)
			if err != nil || !run.Death.AtExit {
				return err
			}
			at := slices.IndexFunc(findings, func(f oracle.Finding) bool { return f.Call == run.Call })
			if at < 0 {
				return nil
			}
			key := findings[at].Key(name)
			if !l.c.registry.Wants(key, true) {
				return nil
			}
			defer l.c.registry.Settled(key, true)
			x := &failure{found: l.c.newFound(target, findings[at], key, t, from), kind: kind, end: run.End}
			l.c.registry.Stamp(x.found)
			f.doing.seen = x.found
			return f.confirm(ctx, x)
		}})
}

// memoryBatches bounds how often a lane has the traces of a batch weighed; each trace costs a process. The
// peak memory of a persistent process covers all its traces, so if it jumps, every trace of the batch is a
// suspect. Each suspect runs again in a fresh process. Its memory is the peak of that process less the peak
// of one that only creates a solver.
const memoryBatches = 8

// peakJumped records the peaks of the processes and returns the members of the group whose peak has jumped.
func (l *lane) peakJumped(b *numbered) (members []int) {
	if len(l.rivals) < 2 || len(b.Traces) == 0 {
		return nil
	}
	last := len(b.Traces) - 1
	for k := range 1 + len(l.rivals) {
		peak := b.Runs[last].Usage.PeakKB
		if k > 0 {
			peak = b.others[k-1].Runs[last].Usage.PeakKB
		}
		if l.peaks == nil {
			l.peaks = make(map[int]uint64)
		}
		if peak > l.peaks[k]+trial.LeapKB && l.weighed < memoryBatches {
			l.weighed++
			members = append(members, k)
		}
		l.peaks[k] = max(l.peaks[k], peak)
	}
	return members
}

// weighLater adds a follow-up that finds the trace of a batch at which a member's peak jumped.
func (l *lane) weighLater(member int, b *numbered) {
	traces := make([]*trace.Trace, len(b.Traces))
	for i, t := range b.Traces {
		traces[i] = t.Clone()
	}
	origin, first := b.origin(0), b.first
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming, Cost: time.Second}, target: l.targets[0],
		from: origin,
		do: func(ctx context.Context, f *follower) error {
			for i, t := range traces {
				from := source.Origin{Stream: origin.Stream, Number: first + uint64(i)}
				if done, err := f.weigh(ctx, member, t, from); done || err != nil {
					return err
				}
			}
			return nil
		}})
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
	key := finding.Key(f.c.target(target).Name)
	if !f.c.registry.Wants(key, !finding.Voted) {
		return true, nil
	}
	defer f.c.registry.Settled(key, !finding.Voted)
	found := f.c.newFound(target, *finding, key, t, from)
	found.Rate = trial.Rate{Failed: 2, Runs: 2}
	f.doing.seen = found
	again, err := f.tooLarge(ctx, member, t)
	if err != nil {
		return true, err
	}
	if again == nil {
		f.c.registry.Unconfirmed(found.AsUnconfirmed(""))
		return true, nil
	}
	if _, err := f.group.Session(found.Target).Run(ctx, found.Minimal, &found.Run); err != nil {
		return true, err
	}
	return true, f.c.add(found)
}

// tooLarge compares the memory that the trace takes on all targets. It returns the finding, or nil.
func (f *follower) tooLarge(ctx context.Context, member int, t *trace.Trace) (*oracle.Finding, error) {
	ballots := make([]compare.Ballot, len(f.targets))
	for k := range ballots {
		run, err := f.growthOfPeak(ctx, k, t)
		if err != nil {
			return nil, err
		}
		ballots[k] = compare.Ballot{Target: f.c.target(f.targets[k]).Name, Run: run}
	}
	for _, found := range (compare.Resources{Factor: f.c.config.Factor}).Compare(t, ballots)[member] {
		if found.Class == oracle.TooMuchMemory {
			return &found, nil
		}
	}
	return nil, nil
}

// growthOfPeak runs the trace in a fresh process. The peak is sampled, so it misses memory that is held for
// only a few milliseconds.
func (f *follower) growthOfPeak(ctx context.Context, member int, t *trace.Trace) (*trace.Run, error) {
	return trial.PeakGrowth(ctx, f.c.target(f.targets[member]), f.c.config.Limits, t)
}

// A suspicion is an error message of which it is known only that one of several consecutive traces wrote
// it.
type suspicion struct {
	key         oracle.Key
	target      int
	stream      *source.Stream
	first, last uint64 // numbers of the suspects
	wanted      bool   // the registry wants the key
	failures    []*failure
}

// suspect adds a trace to those that may have written a message.
func (l *lane) suspect(target int, t *trace.Trace, f oracle.Finding, key oracle.Key, from source.Origin) {
	s := &l.suspicion
	first := from.Number - uint64(f.Suspect)
	if s.key != key || s.stream != from.Stream || s.first != first || s.target != target {
		l.endSuspicion(from, 0, true)
		*s = suspicion{key: key, target: target, stream: from.Stream, first: first,
			last: first + uint64(f.Suspects) - 1, wanted: l.wants(key, !f.Voted)}
	}
	if s.wanted {
		s.failures = append(s.failures, l.newFailure(target, t, f, key, from, 0))
	}
}

// endSuspicion adds a follow-up that looks for the trace that wrote a message, once the last suspect has
// been judged. If no suspect writes it alone, it may need the traces before it.
func (l *lane) endSuspicion(from source.Origin, before int, now bool) {
	s := &l.suspicion
	if !s.wanted || !now && from.Stream == s.stream && from.Number < s.last {
		return
	}
	s.wanted = false
	failures, key := s.failures, s.key
	last := failures[len(failures)-1]
	last.history = l.historyOf(before)
	voted := last.found.Voted
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming, Cost: costOf(last.found)}, target: l.targets[0],
		from: l.c.originOf(failures[0].found),
		do: func(ctx context.Context, f *follower) error {
			defer l.c.registry.Settled(key, !voted)
			for _, x := range failures {
				var run trace.Run
				same, err := f.group.Shows(ctx, x.found.Target, x.found.Original, key, &run)
				if err != nil {
					return err
				}
				if same != nil {
					return f.confirm(ctx, x)
				}
			}
			return f.confirm(ctx, last)
		}, seen: last.found})
}

// Each instance in a trace must give the same answers as it gives alone. A failure shows in two ways.
// Either an answer is proven wrong and the instance answers correctly alone (Session.BlameInstances). Or no
// check decides the answers and an instance answers differently alone (checkAlone). Both are class 5.5.

// aloneStride and aloneMost bound the runs of single instances, each of which costs a
// process.
const (
	aloneStride = 4
	aloneMost   = 4096 // traces in a campaign
)

// checkAlone adds a follow-up that runs each instance of a trace alone and compares the answers, which no
// check decided.
func (l *lane) checkAlone(t *trace.Trace, from source.Origin) {
	if from.Number%aloneStride != 0 || t.Instances() < 2 || !l.c.followUps.hasCapacity() ||
		l.c.aloneChecks.Add(1) > aloneMost {
		return
	}
	copied := t.Clone()
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming, Cost: time.Millisecond}, target: l.targets[0],
		from: from,
		do:   func(ctx context.Context, f *follower) error { return f.confirmAlone(ctx, copied, from) }})
}

// confirmAlone makes a finding of a trace in which an instance answers differently than alone.
func (f *follower) confirmAlone(ctx context.Context, t *trace.Trace, from source.Origin) error {
	var run trace.Run
	finding, err := f.group.Sessions[0].DiffersAlone(ctx, t, &run)
	if finding == nil || err != nil {
		return err
	}
	target := f.targets[0]
	key := finding.Key(f.c.target(target).Name)
	if !f.c.registry.Wants(key, !finding.Voted) {
		return nil
	}
	defer f.c.registry.Settled(key, !finding.Voted)
	found := f.c.newFound(target, *finding, key, t, from)
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
		return err
	}
	if !same {
		f.c.registry.Unconfirmed(found.AsUnconfirmed(""))
		return nil
	}
	if found.Minimal, err = dd.Cut(found.Original, found.Call, test); err != nil {
		return err
	}
	return f.c.add(found)
}
