package shrink

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Slowdown reduces a trace that takes a target much longer than another target, such as an earlier
// version. The reduction keeps the ratio of the two times.
type Slowdown struct {
	Target, Than *replay.Target
	Description  *apimodel.Description // of the target
	Limits       replay.Limits
	Factor       float64       // the least ratio of the two times
	Least        time.Duration // the least time on the target; less is noise
	Config       dd.Config
}

// Times are the times that the solves of a trace take on two targets, each the least of several runs.
type Times struct{ Target, Than time.Duration }

// Ratio returns the target's time as a multiple of the other's.
func (t Times) Ratio() float64 { return float64(t.Target) / float64(max(t.Than, time.Microsecond)) }

const slowdownRuns = 3 // of a candidate that looks slow: one run may have met a busy machine

// measure runs a trace on both targets and reports whether the target is slower. It stops at the first
// quick run of the target.
func (s *Slowdown) measure(ctx context.Context, pair *slowPair, t *trace.Trace) (Times, bool, error) {
	var least Times
	for i := range slowdownRuns {
		took, err := pair.run(ctx, pair.target, t)
		if err != nil {
			return least, false, err
		}
		if i == 0 || took < least.Target {
			least.Target = took
		}
		if least.Target < s.Least {
			return least, false, nil
		}
		// Take the best run of the other target, too: it may be slow by chance.
		if took, err = pair.run(ctx, pair.than, t); err != nil {
			return least, false, err
		}
		if i == 0 || took < least.Than {
			least.Than = took
		}
	}
	return least, least.Ratio() >= s.Factor, nil
}

// Reduce reduces the trace while the target stays slower. It runs one test at a time, because tests side by
// side would slow each other down.
func (s *Slowdown) Reduce(ctx context.Context, t *trace.Trace) (result dd.Result, before, after Times, err error) {
	pair := &slowPair{limits: s.Limits}
	defer pair.close()
	if pair.target, err = replay.Open(s.Target, replay.Fork, s.Limits); err != nil {
		return
	}
	if pair.than, err = replay.Open(s.Than, replay.Fork, s.Limits); err != nil {
		return
	}
	slower := false
	if before, slower, err = s.measure(ctx, pair, t); err != nil {
		return
	}
	if !slower {
		return result, before, after, &NotSlowerError{before, s.Factor, s.Least}
	}
	config := s.Config
	config.Workers, config.Description = 1, s.Description
	config.Known = &dd.Verdict{Same: true, Call: -1}
	test := dd.TestFunc(func(ctx context.Context, _ int, candidate *trace.Trace) (dd.Verdict, error) {
		_, slower, err := s.measure(ctx, pair, candidate)
		return dd.Verdict{Same: slower, Call: -1}, err
	})
	if result, err = dd.Minimize(ctx, t, test, config); err != nil {
		return
	}
	after, _, err = s.measure(context.WithoutCancel(ctx), pair, result.Trace)
	return
}

// A NotSlowerError reports a trace on which the target is not slow enough to reduce it.
type NotSlowerError struct {
	Times  Times
	Factor float64
	Least  time.Duration
}

// Error returns the message.
func (e *NotSlowerError) Error() string {
	return fmt.Sprintf("its solves take %v, and %v on the other target: want at least %v and %g times as long",
		e.Times.Target.Round(time.Microsecond), e.Times.Than.Round(time.Microsecond), e.Least, e.Factor)
}

// A slowPair runs traces on two targets.
type slowPair struct {
	target, than replay.Runner
	limits       replay.Limits
}

func (p *slowPair) close() {
	for _, r := range []replay.Runner{p.target, p.than} {
		if r != nil {
			r.Close()
		}
	}
}

// run returns the time that the solves took. A run that met a time limit took at least the limit; a run
// that died in another way counts as quick.
func (p *slowPair) run(ctx context.Context, r replay.Runner, t *trace.Trace) (time.Duration, error) {
	var run trace.Run
	if err := r.Run(ctx, t, &run); err != nil {
		return 0, err
	}
	took := run.SolveTime()
	switch run.End {
	case trace.Finished:
	case trace.OutOfCPU:
		took = max(took, p.limits.CPU)
	case trace.OutOfTime:
		took = max(took, p.limits.Wall)
	default:
		took = 0
	}
	return took, nil
}
