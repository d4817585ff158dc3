package campaign

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A cut is how much of a trace its target ran before a limit ended the run. A failure that came first is confirmed and
// reduced with these calls: with the others, each run would meet the limit again, and a hang that nobody looks for
// would delay the failure.
type cut struct {
	calls  int
	took   time.Duration // by the solves among them
	misses bool          // these calls do not show the failure
}

// cutAt returns how much of the trace to confirm, given the run that showed the failure; nil for all of it.
func cutAt(failed int, t *trace.Trace, run *trace.Run) *cut {
	if !run.End.IsLimit() || failed >= run.Call || run.Call >= len(t.Calls) || trial.RunsAtOnce(t) {
		return nil
	}
	return &cut{calls: run.Call, took: trial.SolveTime(run)}
}

// alone returns the calls that must show the failure again in a process of their own.
func (x *failure) alone() *trace.Trace {
	if x.cut == nil {
		return x.found.Original
	}
	return x.found.Original.Prefix(x.cut.calls)
}

// rerun runs these calls and returns what they show. They get only as much time as the calls before a limit need.
func (f *follower) rerun(ctx context.Context, x *failure) ([]oracle.Finding, error) {
	found := x.found
	found.Minimal = x.alone()
	if x.cut != nil {
		session := f.group.Session(found.Target)
		usual := session.Limits()
		session.SetLimits(trial.LimitsWithin(usual, x.cut.took, trial.LeastCPU+f.costs.Warmup(), trial.LeastWall))
		defer session.SetLimits(usual)
	}
	return f.group.Findings(ctx, found.Target, found.Minimal, found.Key, &found.Run, true)
}
