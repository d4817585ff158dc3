package shrink

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Compared reduces a trace whose failure shows only in comparison with the target's rivals. It runs every
// candidate on all of them. The failure showed in the given call. If the final run does not show it,
// After.Failed is 0.
func Compared(
	ctx context.Context, group *trial.Group, target string, key oracle.Key, call int, t *trace.Trace, config dd.Config,
) (*Reduction, error) {
	test := func(ctx context.Context, _ int, candidate *trace.Trace) (dd.Verdict, error) {
		var run trace.Run
		findings, err := group.Findings(ctx, target, candidate, key, &run, false)
		if err != nil {
			return dd.Verdict{}, err
		}
		same := trial.WithKey(findings, target, key)
		if same < 0 {
			return dd.Verdict{Call: -1}, nil
		}
		return dd.Verdict{Same: true, Call: findings[same].Call}, nil
	}
	config.Known = &dd.Verdict{Same: true, Call: call}
	reduced, err := dd.Minimize(ctx, t, dd.TestFunc(test), config)
	if err != nil {
		return nil, err
	}
	// Run the result once more. If it does not fail now, the failure depends on chance, and the caller
	// keeps the confirmed trace.
	result := &Reduction{Result: reduced, Expecting: reduced.Trace, Key: key, After: trial.Rate{Runs: 1}}
	late, stop := outlasting(ctx)
	defer stop()
	findings, err := group.Findings(late, target, reduced.Trace, key, &result.Run, true)
	if err != nil {
		return nil, err
	}
	if same := trial.WithKey(findings, target, key); same >= 0 {
		result.After.Failed = 1
		result.Finding = findings[same]
		result.Others = slices.Delete(slices.Clone(findings), same, same+1)
	}
	return result, nil
}
