package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The peak memory of a persistent process is that of all its traces. So a jump of
// the peak only makes the traces of the batch suspects, and each is run again in
// a process of its own, where it counts by how much the peak exceeds that of a
// trace that only creates a solver.
const memoryBatches = 8 // suspected in a lane; each costs a process per trace

// peakJumped notes the peaks of the processes and returns the places in the
// group of those whose peak has leapt.
func (l *lane) peakJumped(b *numbered) (places []int) {
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
			places = append(places, k)
		}
		l.peaks[k] = max(l.peaks[k], peak)
	}
	return places
}

// weigh looks for the trace of a batch that made the peak of a target leap.
func (l *lane) weigh(ctx context.Context, place int, b *numbered) error {
	who := l.targets[place]
	for i, t := range b.Traces {
		grown, err := l.growthOfPeak(ctx, place, t)
		if err != nil {
			return err
		}
		if grown.Usage.PeakKB < trial.LeapKB {
			continue
		}
		f, err := l.tooLarge(ctx, place, t)
		if f == nil || err != nil {
			return err
		}
		key := f.Key(l.c.target(who).Name)
		if !l.c.registry.Wants(key, false) {
			return nil
		}
		found := l.c.newFound(who, *f, key, t, b.origin(i))
		found.Rate = trial.Rate{Failed: 2, Runs: 2}
		again, err := l.tooLarge(ctx, place, t)
		if err != nil {
			return err
		}
		if again == nil {
			l.c.registry.Unconfirmed(found.AsUnconfirmed(""))
			return nil
		}
		if _, err := l.group.Session(l.c.target(who).Name).Run(ctx, found.Minimal, &found.Run); err != nil {
			return err
		}
		return l.c.add(found)
	}
	return nil
}

// tooLarge compares what the trace costs every target.
func (l *lane) tooLarge(ctx context.Context, place int, t *trace.Trace) (*oracle.Finding, error) {
	ballots := make([]compare.Ballot, 1+len(l.rivals))
	for k := range ballots {
		run, err := l.growthOfPeak(ctx, k, t)
		if err != nil {
			return nil, err
		}
		ballots[k] = compare.Ballot{Target: l.c.target(l.targets[k]).Name, Run: run}
	}
	for _, f := range (compare.Resources{Factor: l.c.config.Factor}).Compare(t, ballots)[place] {
		if f.Class == oracle.TooMuchMemory {
			return &f, nil
		}
	}
	return nil, nil
}

// growthOfPeak runs the trace in a fresh process. The peak is a sample: what is
// held for less than some milliseconds is not seen.
func (l *lane) growthOfPeak(ctx context.Context, place int, t *trace.Trace) (*trace.Run, error) {
	return trial.PeakGrowth(ctx, l.c.target(l.targets[place]), l.c.config.Limits, t)
}
