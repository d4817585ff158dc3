package trial

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// tableSizes are the largest variables of the traces that TableBytes runs.
var tableSizes = [...]int32{1 << 17, 1 << 19, 1 << 21}

// tableSlack is how far the slopes between the sizes may differ. Tables that double when
// they are full give slopes up to twice the mean.
const tableSlack = 4

// TableBytes returns the bytes of memory that a target takes for each variable up to the
// largest one that a trace uses, whether or not the trace uses the others. It returns 0
// if the memory does not grow in proportion.
func TableBytes(ctx context.Context, target *replay.Target, limits replay.Limits) (float64, error) {
	var at [len(tableSizes)]float64
	for i, v := range tableSizes {
		t := &trace.Trace{Model: target.Model}
		t.Clause(0, true, v)
		t.Plain(0, apimodel.OpSolve)
		run, err := PeakGrowth(ctx, target, limits, t)
		if err != nil || run.End != trace.Finished {
			return 0, err
		}
		at[i] = float64(run.Usage.PeakKB) * 1024
	}
	first := (at[1] - at[0]) / float64(tableSizes[1]-tableSizes[0])
	second := (at[2] - at[1]) / float64(tableSizes[2]-tableSizes[1])
	if first < 1 || second < 1 || first > tableSlack*second || second > tableSlack*first {
		return 0, nil
	}
	return (at[2] - at[0]) / float64(tableSizes[2]-tableSizes[0]), nil
}
