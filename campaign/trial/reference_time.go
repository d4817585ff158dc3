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

// ReferenceShare says how much faster than the limit the built-in library must
// solve a problem that counts as easy: it may need 1/referenceShare of the limit.
const ReferenceShare = 1000

// The best of referenceRuns counts, or of mostReferenceRuns if fewer would refute
// a hang: a busy machine does not make a problem hard.
const ReferenceRuns, mostReferenceRuns = 3, 10

// ReferenceTime returns how long the built-in library takes for all calls of the
// trace. If that is more than a thousandth of the limit, or if the library has no
// answer, why says so: the problem may be hard, and slowness proves nothing.
// Callbacks, options and limits are left out, because a search that is stopped
// early would say nothing about how hard the problem is.
func ReferenceTime(ctx context.Context, t *trace.Trace, limit time.Duration) (took time.Duration, why string,
	err error) {
	target, err := targets.Resolve("ref", t.Model.Name, nil)
	if err != nil {
		return 0, "", err
	}
	plain := WithoutSteering(t)
	if err := trace.Check(plain); err != nil {
		return 0,
			"without its callbacks and options the trace is not legal, so the reference library cannot tell how hard it is", nil
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
			return 0, fmt.Sprintf("the built-in reference library has no answer either (%v)", run.End), nil
		}
		if d := time.Duration(run.Usage.WallNanos); i == 0 || d < took {
			took = d
		}
	}
	if took > allowed {
		return took, fmt.Sprintf("slow, and no hang as far as is known: the built-in reference library needs %v, more than "+
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
