package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The memory of a persistent process says little of one trace: it is the peak of
// all. So a leap of it only makes the traces of that batch suspect, and each is
// weighed in processes of its own, by what the peak grows beyond that of a trace
// that makes a solver and nothing else.
const (
	leapKB        = 64 << 10
	memoryBatches = 8 // suspected in a lane; each costs a process a trace
)

// leaps notes the peaks of the processes and returns the places in the
// group of those whose peak has leapt.
func (l *lane) leaps(b *numbered) (places []int) {
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
		if peak > l.peaks[k]+leapKB && l.weighed < memoryBatches {
			l.weighed++
			places = append(places, k)
		}
		l.peaks[k] = max(l.peaks[k], peak)
	}
	return places
}

// weigh looks for the trace of a batch that made the peak of a target leap.
func (l *lane) weigh(ctx context.Context, place int, b *numbered) error {
	who := l.group[place]
	for i, t := range b.Traces {
		grown, err := l.growthOfPeak(ctx, place, t)
		if err != nil {
			return err
		}
		if grown.Usage.PeakKB < leapKB {
			continue
		}
		f, err := l.tooLarge(ctx, place, t)
		if f == nil || err != nil {
			return err
		}
		key := f.Key(l.c.target(who).Name)
		if !l.c.wants(key) {
			return nil
		}
		found := l.c.newFound(who, *f, key, t, b.origin(i))
		found.Rate = Rate{Failed: 2, Runs: 2}
		again, err := l.tooLarge(ctx, place, t)
		if err != nil {
			return err
		}
		if again == nil {
			l.c.unconfirm(found.unconfirmed(""))
			return nil
		}
		if _, err := l.confirmer.replay(ctx, who, found.Minimal, &found.Run); err != nil {
			return err
		}
		return l.c.add(found)
	}
	return nil
}

// tooLarge compares what the trace costs every target.
func (l *lane) tooLarge(ctx context.Context, place int, t *trace.Trace) (*oracle.Finding, error) {
	ballots := make([]oracle.Ballot, 1+len(l.rivals))
	for k := range ballots {
		run, err := l.growthOfPeak(ctx, k, t)
		if err != nil {
			return nil, err
		}
		ballots[k] = oracle.Ballot{Target: l.c.target(l.group[k]).Name, Run: run}
	}
	for _, f := range (oracle.Resources{Factor: l.c.config.Factor}).Compare(t, ballots)[place] {
		if f.Class == oracle.TooMuchMemory {
			return &f, nil
		}
	}
	return nil, nil
}

// growthOfPeak runs the trace in a fresh process. The peak is a sample: what is
// held for less than some milliseconds is not seen.
func (l *lane) growthOfPeak(ctx context.Context, place int, t *trace.Trace) (*trace.Run, error) {
	return PeakGrowth(ctx, l.c.target(l.group[place]), l.c.config.Limits, t)
}

// Leaps reports whether the peak of a process, in KiB, is so high that it is
// worth to weigh the trace.
func Leaps(peakKB uint64) bool { return peakKB >= leapKB }

// PeakGrowth runs a trace in a fresh process; PeakKB of its usage is by how much
// the peak exceeds that of a trace that makes a solver and nothing else.
func PeakGrowth(ctx context.Context, target *replay.Target, limits replay.Limits, t *trace.Trace) (*trace.Run, error) {
	runner, err := replay.Open(target, replay.Persistent, limits)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	idle := &trace.Trace{Model: t.Model}
	idle.Plain(0, apimodel.OpInit)
	var before trace.Run
	if err := runner.Run(ctx, idle, &before); err != nil {
		return nil, err
	}
	run := new(trace.Run)
	if err := runner.Run(ctx, t, run); err != nil {
		return nil, err
	}
	const least = 1 // 0 would be "unknown"
	run.Usage.PeakKB = max(least, run.Usage.PeakKB-min(run.Usage.PeakKB, before.Usage.PeakKB))
	return run, nil
}
