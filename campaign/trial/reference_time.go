package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// ReferenceShare defines easy problems: the built-in library solves them within
// 1/ReferenceShare of the limit.
const ReferenceShare = 1000

// ReferenceRuns is the number of runs of the built-in library; the fastest counts. If that is too slow, up
// to mostReferenceRuns follow, so that a busy machine does not make an easy problem look hard.
const ReferenceRuns, mostReferenceRuns = 3, 10

// ReferenceTime returns the time that the built-in library takes for all calls of the trace. If that is
// more than a thousandth of the limit, or if the library gives no answer, why says so: the problem may be
// hard, and slowness proves nothing. The library runs the trace without callbacks, options and limits,
// because a search that stops early does not show how hard the problem is.
func ReferenceTime(ctx context.Context, t *trace.Trace, limit time.Duration) (took time.Duration, why string,
	err error) {
	target, err := targets.Resolve("ref", t.Model.Name, nil)
	if err != nil {
		return 0, "", err
	}
	plain := WithoutSteering(t)
	if err := trace.Check(plain); err != nil {
		return 0, "the trace is illegal without its callbacks and options, " +
			"so the reference library cannot tell how hard it is", nil
	}
	limits := replay.DefaultLimits
	limits.CPU, limits.Wall = max(limit/100, 100*time.Millisecond), max(limit/10, time.Second)
	runner, err := replay.Open(target, replay.Persistent, limits)
	if err != nil {
		return 0, "", err
	}
	defer runner.Close()
	allowed := limit / ReferenceShare
	for i := 0; i < ReferenceRuns || took > allowed && i < mostReferenceRuns; i++ {
		var run trace.Run
		if err := runner.Run(ctx, plain, &run); err != nil {
			return 0, "", err
		}
		if run.End != trace.Finished {
			return 0, fmt.Sprintf("the built-in reference library gives no answer either (%v)", run.End), nil
		}
		if d := time.Duration(run.Usage.WallNanos); i == 0 || d < took {
			took = d
		}
	}
	if took > allowed {
		return took, fmt.Sprintf("slow, but not a proven hang: the built-in reference library needs %v, more than "+
			"a thousandth of the limit of %v", took, limit), nil
	}
	return took, "", nil
}

// WithoutSteering returns the trace without callbacks, options, limits and havoc.
func WithoutSteering(t *trace.Trace) *trace.Trace {
	plain := &trace.Trace{Model: t.Model}
	for i := range t.Calls {
		if c := &t.Calls[i]; !c.Op.Does(apimodel.Steers) {
			plain.Append(t, c)
		}
	}
	return plain
}
