package trial

import (
	"context"
	"fmt"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Libraries fill caches once, so one run that leaves the C heap larger does not prove a leak. A trace leaks
// if, in one process, each of the last leakRoundsJudged of leakRounds runs leaves the heap larger again.
const (
	leakRounds       = 20
	leakRoundsJudged = 10
)

// HeapFinding returns the finding for a trace that leaks, without the number of bytes.
func HeapFinding(t *trace.Trace) oracle.Finding {
	return oracle.Finding{Class: oracle.Leak, Check: "heap", Call: len(t.Calls), Weight: oracle.NoWeights,
		Detail:   "the heap grows with every run",
		Expected: "after the last release the heap is what it was",
		Known:    "allocated bytes as the C library counts them"}
}

// ObservedLeak describes a leak of growth bytes in every run.
func ObservedLeak(growth int64) string {
	return fmt.Sprintf("after %d runs, every further run of the trace leaves at least %d more bytes on the heap",
		leakRounds-leakRoundsJudged, growth)
}

// HeapGrowth returns the least number of bytes by which a late run of the trace grows the heap, or 0 if
// some late run does not grow it.
func HeapGrowth(ctx context.Context, target *replay.Target, limits replay.Limits, t *trace.Trace) (int64, error) {
	leave, err := enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	runner, err := replay.OpenHeap(ctx, target, limits)
	if err != nil {
		return 0, err
	}
	defer runner.Close()
	var least int64
	for round := range leakRounds {
		var run trace.Run
		if err := runner.Run(ctx, t, &run); err != nil {
			return 0, err
		}
		if run.End != trace.Finished {
			return 0, nil
		}
		if round < leakRounds-leakRoundsJudged {
			continue
		}
		if run.Usage.HeapDelta <= 0 {
			return 0, nil
		}
		if least == 0 || run.Usage.HeapDelta < least {
			least = run.Usage.HeapDelta
		}
	}
	return least, nil
}
