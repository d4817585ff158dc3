package trial

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// tableSizes are the largest variables of the traces that TableBytes runs. Tables that are large from the
// start grow only with the later sizes.
var tableSizes = [...]int32{1 << 17, 1 << 19, 1 << 21, 1 << 23, 1 << 25}

// tableSlack bounds how far the slopes between the sizes may differ. Tables that double when they are full
// give slopes up to twice the mean.
const tableSlack = 4

// TableBytes returns the bytes of memory that a target takes for each variable up to the largest in a
// trace, whether or not the trace uses the smaller ones. It returns 0 if the memory does not grow in
// proportion. If the target only reserves address space and uses little of it, reserved is that for each variable.
func TableBytes(ctx context.Context, target *replay.Target, limits replay.Limits) (taken, reserved float64, err error) {
	var sizes, at, spaces []float64
	for _, v := range tableSizes {
		t := &trace.Trace{Model: target.Model}
		t.Clause(0, true, v)
		t.Plain(0, apimodel.OpSolve)
		run, space, err := growth(ctx, target, limits, t)
		if err != nil || run.End != trace.Finished {
			return 0, 0, err
		}
		sizes, at = append(sizes, float64(v)), append(at, float64(run.Usage.PeakKB)*1024)
		if slope := lastSlope(sizes, at); slope > 0 {
			return slope, 0, nil
		}
		spaces = append(spaces, float64(space)*1024)
	}
	return 0, lastSlope(sizes, spaces), nil
}

// lastSlope returns the slope between the last three points, or 0 if there are fewer or if they are not
// near a rising line.
func lastSlope(x, y []float64) float64 {
	n := len(x)
	if n < 3 {
		return 0
	}
	slope := func(from, to int) float64 { return (y[to] - y[from]) / (x[to] - x[from]) }
	first, second := slope(n-3, n-2), slope(n-2, n-1)
	if first < 1 || second < 1 || first > tableSlack*second || second > tableSlack*first {
		return 0
	}
	return slope(n-3, n-1)
}
