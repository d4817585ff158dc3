package followup

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// alone returns the calls that must show the failure again in a process of their own.
func (x *failure) alone() *trace.Trace {
	if x.run.Cut == nil {
		return x.found.Original
	}
	return x.found.Original.Prefix(x.run.Cut.Calls)
}

// rerun runs these calls and returns what they show. They get only as much time as the calls before a limit need.
func (f *follower) rerun(ctx context.Context, x *failure) ([]oracle.Finding, error) {
	found := x.found
	found.Minimal = x.alone()
	if x.run.Cut != nil {
		session := f.group.Session(found.Target)
		usual := session.Limits()
		session.SetLimits(limit.Within(usual, x.run.Cut.Took, limit.LeastCPU+f.costs.Warmup(), limit.LeastWall))
		defer session.SetLimits(usual)
	}
	return f.group.Findings(ctx, found.Target, found.Minimal, found.Key, &found.Run, true)
}
