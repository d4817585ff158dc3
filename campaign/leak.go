package campaign

import (
	"context"
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A trace that leaves the C heap larger than it found it is no leak yet:
// libraries fill caches once. It is one when every round of it, long after the
// first, leaves the heap larger again.
const (
	leakRounds       = 20
	leakRoundsJudged = 10
	// leakChecksMost bounds the work for a library that fills caches slowly.
	leakChecksMost = 64
)

// heapFinding is the finding of a trace that leaks, without the number of bytes.
func heapFinding(t *trace.Trace) oracle.Finding {
	return oracle.Finding{Class: oracle.Leak, Check: "heap", Call: len(t.Calls), Weight: oracle.NoWeights,
		Detail:   "the heap grows with every run",
		Expected: "after the last release the heap is what it was",
		Known:    "allocated bytes as the C library counts them"}
}

func observedLeak(growth int64) string {
	return fmt.Sprintf("every run of the trace, after %d runs, leaves at least %d bytes more on the heap", leakRounds-leakRoundsJudged, growth)
}

// checkLeak runs a suspicious trace many times in one fresh process.
func (l *lane) checkLeak(ctx context.Context, t *trace.Trace, from source.Origin) error {
	finding, who := heapFinding(t), l.group[0]
	key := finding.Key(l.c.target(who).Name)
	if !l.c.wantsLeakCheck(key) {
		return nil
	}
	growth, err := heapGrowth(ctx, l.c.target(who), l.c.config.Limits, t)
	if err != nil || growth == 0 {
		return err
	}
	finding.Observed = observedLeak(growth)
	found := l.c.newFound(who, finding, key, t, from)
	if _, err := l.confirmer.replay(ctx, who, found.Minimal, &found.Run); err != nil {
		return err
	}
	return l.reduce(ctx, found)
}

// heapGrowth returns the least number of bytes that a late round of the trace
// leaves, 0 when one of them leaves none.
func heapGrowth(ctx context.Context, target *replay.Target, limits replay.Limits, t *trace.Trace) (int64, error) {
	runner, err := replay.OpenHeap(target, limits)
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

func (c *Campaign) wantsLeakCheck(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.byKey[key]; known != nil {
		known.Hits++
		return false
	}
	c.leakChecks++
	return c.leakChecks <= leakChecksMost
}
