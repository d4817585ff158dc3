package trial

import (
	"context"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// LeapKB is how far the peak memory of a process, in KiB, must jump before its traces are
// measured alone.
const LeapKB = 64 << 10

// PeakGrowth runs a trace in a fresh process. In the run that it returns, Usage.PeakKB is the peak less the
// peak of a trace that only creates a solver.
func PeakGrowth(ctx context.Context, target *replay.Target, limits replay.Limits, t *trace.Trace) (*trace.Run, error) {
	run, _, err := growth(ctx, target, limits, t)
	return run, err
}

// growth is PeakGrowth. It also returns by how many KiB the peak of the address space grew; 0: that is unknown.
func growth(ctx context.Context, target *replay.Target, limits replay.Limits, t *trace.Trace) (
	run *trace.Run, spaceKB uint64, err error,
) {
	leave, err := enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	runner, err := replay.Open(target, replay.Persistent, limits)
	if err != nil {
		return nil, 0, err
	}
	defer runner.Close()
	idle := &trace.Trace{Model: t.Model}
	idle.Idle()
	var before trace.Run
	if err := runner.Run(ctx, idle, &before); err != nil {
		return nil, 0, err
	}
	spaceBefore := measurePeak(runner, &before)
	run = new(trace.Run)
	if err := runner.Run(ctx, t, run); err != nil {
		return nil, 0, err
	}
	space := measurePeak(runner, run)
	const least = 1 // 0 would be "unknown"
	run.Usage.PeakKB = max(least, run.Usage.PeakKB-min(run.Usage.PeakKB, before.Usage.PeakKB))
	return run, space - min(space, spaceBefore), nil
}

// measurePeak sets the exact peak memory of the process in which a run ended, and returns that of its address space.
// On a busy machine, samples may miss a short peak.
func measurePeak(runner replay.Runner, run *trace.Run) (spaceKB uint64) {
	exact, ok := runner.(replay.Peaks)
	if !ok || run.End != trace.Finished {
		return 0
	}
	resident, space := exact.PeakKB()
	run.Usage.PeakKB = max(run.Usage.PeakKB, resident)
	return space
}
