package shrink

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Compared reduces a trace whose failure shows only in comparison with the target's rivals. It runs every
// candidate on all of them. The failure showed in the given call. If the final run does not show it,
// After.Failed is 0. Compared is as prompt as a Reducer with Prompt.
func Compared(
	ctx context.Context, group *trial.Group, target string, key oracle.Key, call int, t *trace.Trace, config dd.Config,
) (*Reduction, error) {
	return (&comparison{group, target, key, time.Now}).reduce(ctx, call, t, config)
}

// A comparison is how a failure shows that Compared keeps.
type comparison struct {
	group  *trial.Group
	target string
	key    oracle.Key
	now    func() time.Time
}

func (c *comparison) reduce(ctx context.Context, call int, t *trace.Trace, config dd.Config) (*Reduction, error) {
	interim := newInterim(c.now, c.shows)
	test := func(ctx context.Context, _ int, candidate *trace.Trace) (dd.Verdict, error) {
		if err := interim.confirm(ctx); err != nil {
			return dd.Verdict{}, err
		}
		var run trace.Run
		findings, err := c.group.Findings(ctx, c.target, candidate, c.key, &run, false)
		if err != nil {
			return dd.Verdict{}, err
		}
		same := trial.WithKey(findings, c.target, c.key)
		if same < 0 {
			return dd.Verdict{Call: -1}, nil
		}
		return dd.Verdict{Same: true, Call: findings[same].Call}, nil
	}
	config.Known = &dd.Verdict{Same: true, Call: call}
	config.OnBest = interim.watch(config.OnBest)
	reduced, err := dd.Minimize(ctx, t, dd.TestFunc(test), config)
	if err != nil {
		return nil, err
	}
	// Run the result once more. If it does not fail now, the failure depends on chance, and the caller
	// keeps the confirmed trace.
	result := &Reduction{Result: reduced}
	late, stop := outlasting(ctx)
	defer stop()
	if _, err = c.shows(late, result); err != nil && !interim.rescue(ctx, result) {
		return nil, err
	}
	result.Expecting = result.Trace
	return result, nil
}

// shows runs the trace of a result once more and completes the result. It reports whether the trace fails.
func (c *comparison) shows(ctx context.Context, result *Reduction) (bool, error) {
	result.Key, result.After = c.key, trial.Rate{Runs: 1}
	findings, err := c.group.Findings(ctx, c.target, result.Trace, c.key, &result.Run, true)
	same := trial.WithKey(findings, c.target, c.key)
	if err != nil || same < 0 {
		return false, err
	}
	result.After.Failed = 1
	result.Finding = findings[same]
	result.Others = slices.Delete(slices.Clone(findings), same, same+1)
	return true, nil
}
