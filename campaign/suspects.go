package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// checkLeak runs a suspicious trace many times in one fresh process.
func (l *lane) checkLeak(ctx context.Context, t *trace.Trace, from source.Origin) error {
	finding, target := trial.HeapFinding(t), l.targets[0]
	key := finding.Key(l.c.target(target).Name)
	if !l.c.registry.WantsLeakCheck(key) {
		return nil
	}
	growth, err := trial.HeapGrowth(ctx, l.c.target(target), l.c.config.Limits, t)
	if err != nil || growth == 0 {
		return err
	}
	finding.Observed = trial.ObservedLeak(growth)
	found := l.c.newFound(target, finding, key, t, from)
	if _, err := l.group.Session(l.c.target(target).Name).Run(ctx, found.Minimal, &found.Run); err != nil {
		return err
	}
	return l.reduce(ctx, found)
}

// memoryBatches bounds the batches of a lane whose traces are weighed; each trace costs a
// process. The peak memory of a persistent process covers all its traces. So a jump of the
// peak only makes the traces of the batch suspects. Each runs again in a fresh process,
// and its memory is the peak less that of a trace that only creates a solver.
const memoryBatches = 8

// peakJumped notes the peaks of the processes and returns the members of the group whose
// peak has jumped.
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

// weigh looks for the trace of a batch that made the peak of a member jump.
func (l *lane) weigh(ctx context.Context, member int, b *numbered) error {
	target := l.targets[member]
	for i, t := range b.Traces {
		grown, err := l.growthOfPeak(ctx, member, t)
		if err != nil {
			return err
		}
		if grown.Usage.PeakKB < trial.LeapKB {
			continue
		}
		f, err := l.tooLarge(ctx, member, t)
		if f == nil || err != nil {
			return err
		}
		key := f.Key(l.c.target(target).Name)
		if !l.c.registry.Wants(key, false) {
			return nil
		}
		found := l.c.newFound(target, *f, key, t, b.origin(i))
		found.Rate = trial.Rate{Failed: 2, Runs: 2}
		again, err := l.tooLarge(ctx, member, t)
		if err != nil {
			return err
		}
		if again == nil {
			l.c.registry.Unconfirmed(found.AsUnconfirmed(""))
			return nil
		}
		if _, err := l.group.Session(l.c.target(target).Name).Run(ctx, found.Minimal, &found.Run); err != nil {
			return err
		}
		return l.c.add(found)
	}
	return nil
}

// tooLarge compares the memory that the trace takes on every target.
func (l *lane) tooLarge(ctx context.Context, member int, t *trace.Trace) (*oracle.Finding, error) {
	ballots := make([]compare.Ballot, 1+len(l.rivals))
	for k := range ballots {
		run, err := l.growthOfPeak(ctx, k, t)
		if err != nil {
			return nil, err
		}
		ballots[k] = compare.Ballot{Target: l.c.target(l.targets[k]).Name, Run: run}
	}
	for _, f := range (compare.Resources{Factor: l.c.config.Factor}).Compare(t, ballots)[member] {
		if f.Class == oracle.TooMuchMemory {
			return &f, nil
		}
	}
	return nil, nil
}

// growthOfPeak runs the trace in a fresh process. The peak is sampled and misses memory
// that is held for less than some milliseconds.
func (l *lane) growthOfPeak(ctx context.Context, member int, t *trace.Trace) (*trace.Run, error) {
	return trial.PeakGrowth(ctx, l.c.target(l.targets[member]), l.c.config.Limits, t)
}

// A suspicion is an error message that one of several consecutive traces wrote; it is
// unknown which.
type suspicion struct {
	key         oracle.Key
	target      int
	stream      *source.Stream
	first, last uint64 // numbers of the suspects
	wanted      bool   // worth a confirmation, and the trace that wrote it is unknown

	// The latest suspect that does not write the message alone.
	trace   *trace.Trace
	finding oracle.Finding
	from    source.Origin
}

// suspected reports whether this trace, run alone, writes the message.
func (l *lane) suspected(
	ctx context.Context, target int, t *trace.Trace, f *oracle.Finding, key oracle.Key, from source.Origin,
) (bool, error) {
	s := &l.suspicion
	first := from.Number - uint64(f.Suspect)
	if s.key != key || s.stream != from.Stream || s.first != first || s.target != target {
		*s = suspicion{key: key, target: target, stream: from.Stream, first: first,
			last: first + uint64(f.Suspects) - 1, wanted: l.c.registry.Wants(key, false)}
	}
	if !s.wanted {
		return false, nil
	}
	var run trace.Run
	same, err := l.group.Shows(ctx, l.c.target(target).Name, t, key, &run)
	if err != nil {
		return false, err
	}
	if s.wanted = same == nil; s.wanted {
		s.trace, s.finding, s.from = t.Clone(), *f, from
	}
	return same != nil, nil
}

// endSuspicion confirms a message that no suspect writes alone, after the last suspect was
// judged: it may need the traces before it.
func (l *lane) endSuspicion(ctx context.Context, from source.Origin, before int) error {
	s := &l.suspicion
	if !s.wanted || from.Stream == s.stream && from.Number < s.last {
		return nil
	}
	s.wanted = false
	err := l.confirm(ctx, s.target, s.trace, s.finding, s.key, s.from, before)
	if err != nil && ctx.Err() != nil {
		l.cutShort(s.finding, s.key, s.from)
		return nil
	}
	return err
}

// Two instances in one trace must give the same answers as alone. There are two ways to
// see that they do not: an answer is proven wrong and correct when the instance runs
// alone (Session.BlameInstances), or no check decides the answers and they differ when it
// runs alone (checkAlone). Both are class 5.5.

// aloneStride and aloneMost bound the runs of single instances, each of which costs a
// process.
const (
	aloneStride = 4
	aloneMost   = 4096 // traces in a campaign
)

// checkAlone runs each instance of a trace alone, if no check decided the answers, and
// compares them.
func (l *lane) checkAlone(ctx context.Context, t *trace.Trace, from source.Origin) error {
	if from.Number%aloneStride != 0 || t.Instances() < 2 || l.c.aloneChecks.Add(1) > aloneMost {
		return nil
	}
	var run trace.Run
	f, err := l.differsAlone(ctx, t, &run)
	if f == nil || err != nil {
		return err
	}
	target := l.targets[0]
	key := f.Key(l.c.target(target).Name)
	if !l.c.registry.Wants(key, false) {
		return nil
	}
	found := l.c.newFound(target, *f, key, t, from)
	found.Rate = trial.Rate{Failed: 2, Runs: 2}
	test := func(candidate *trace.Trace) (bool, error) {
		var run trace.Run
		again, err := l.differsAlone(ctx, candidate, &run)
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
		l.c.registry.Unconfirmed(found.AsUnconfirmed(""))
		return nil
	}
	if found.Minimal, err = dd.Cut(found.Original, found.Call, test); err != nil {
		return err
	}
	return l.c.add(found)
}

// differsAlone runs the trace and each of its instances alone, and returns the first
// difference.
func (l *lane) differsAlone(ctx context.Context, t *trace.Trace, run *trace.Run) (*oracle.Finding, error) {
	if _, err := l.group.Sessions[0].Run(ctx, t, run); err != nil {
		return nil, err
	}
	seen := make(map[uint16]bool)
	for i := range t.Calls {
		instance := t.Calls[i].Instance
		if seen[instance] {
			continue
		}
		seen[instance] = true
		var alone trace.Run
		if _, err := l.group.Sessions[0].Run(ctx, t.Project(instance), &alone); err != nil {
			return nil, err
		}
		if f := compare.Alone(t, run, instance, &alone); f != nil {
			return f, nil
		}
	}
	return nil, nil
}
