package shrink

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Slowdown is a trace that takes a target much longer than another one, say the
// version before. The ratio is what is kept while the trace becomes smaller.
type Slowdown struct {
	Target, Than *replay.Target
	Description  *apimodel.Description // of the target
	Limits       replay.Limits
	Factor       float64       // how many times as long it takes at least
	Least        time.Duration // what it takes at least: less is noise
	Config       dd.Config
}

// Times are what the solves of a trace took, each the least of several runs.
type Times struct{ Target, Than time.Duration }

// Ratio is how many times as long the target took.
func (t Times) Ratio() float64 { return float64(t.Target) / float64(max(t.Than, time.Microsecond)) }

const slowdownRuns = 3 // of a candidate that looks slow: a busy machine is slow once

// Measure runs a trace on both, until one run refutes that it is slower: one of the
// target that is quick.
func (s *Slowdown) Measure(ctx context.Context, pair *slowPair, t *trace.Trace) (Times, bool, error) {
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
		// The other one may be slow by chance as well: its best run counts, so
		// that noise never makes a slowdown smaller than it is.
		if took, err = pair.run(ctx, pair.than, t); err != nil {
			return least, false, err
		}
		if i == 0 || took < least.Than {
			least.Than = took
		}
	}
	return least, least.Ratio() >= s.Factor, nil
}

// Reduce makes the trace smaller while the target stays slower. Tests run one
// after the other: side by side they would slow each other down.
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
	if before, slower, err = s.Measure(ctx, pair, t); err != nil {
		return
	}
	if !slower {
		return result, before, after, &NotSlowerError{before, s.Factor, s.Least}
	}
	config := s.Config
	config.Workers, config.Description = 1, s.Description
	config.Known = &dd.Verdict{Same: true, Call: -1}
	test := dd.TestFunc(func(ctx context.Context, _ int, candidate *trace.Trace) (dd.Verdict, error) {
		_, slower, err := s.Measure(ctx, pair, candidate)
		return dd.Verdict{Same: slower, Call: -1}, err
	})
	if result, err = dd.Minimize(ctx, t, test, config); err != nil {
		return
	}
	after, _, err = s.Measure(context.WithoutCancel(ctx), pair, result.Trace)
	return
}

// A NotSlowerError is a trace that does not take the target so much longer.
type NotSlowerError struct {
	Times  Times
	Factor float64
	Least  time.Duration
}

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

// run is what the solves took. One that met a limit took the limit; one that died
// otherwise says nothing and counts as quick.
func (p *slowPair) run(ctx context.Context, r replay.Runner, t *trace.Trace) (time.Duration, error) {
	var run trace.Run
	if err := r.Run(ctx, t, &run); err != nil {
		return 0, err
	}
	took := trial.SolveTime(&run)
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
