package trial

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// unforcedRuns is how often a trace must pass when no allocation fails before its failure is blamed on the
// allocation: the failure may depend on chance.
const unforcedRuns = 4

// unforced returns the trace with the same calls, of which none makes an allocation fail.
func unforced(t *trace.Trace) *trace.Trace { return without(t, failsAllocation) }

// failsAllocation reports whether a call sets the option that makes an allocation fail.
func failsAllocation(t *trace.Trace, c *trace.Call) bool {
	if c.Op != apimodel.OpOption {
		return false
	}
	name, _ := t.Option(c)
	return name == apimodel.FailAllocation
}

// blameAllocation gives the failures that follow a failed allocation the classes that they have without it, if
// the trace fails in the same way when no allocation fails: the library is then wrong anyway.
func (s *Session) blameAllocation(ctx context.Context, t *trace.Trace, findings []oracle.Finding) error {
	follows := func(f oracle.Finding) bool { return f.Class == oracle.FailedAllocation }
	plain := unforced(t)
	if !slices.ContainsFunc(findings, follows) || len(plain.Calls) == len(t.Calls) {
		return nil
	}
	if s.anyway == nil { // the other judge keeps what it knows about the run of t
		s.anyway = s.Judge.another()
	}
	for range unforcedRuns {
		var run trace.Run
		if err := s.run(ctx, plain, &run); err != nil {
			return err
		}
		fails, err := s.anyway.judgeUntil(ctx, plain, &run)
		if err != nil {
			return err
		}
		for i := range findings {
			without := findings[i].WithoutAllocation()
			if follows(findings[i]) && slices.ContainsFunc(fails, without.IsAlike) {
				findings[i] = without
			}
		}
		if !slices.ContainsFunc(findings, follows) {
			break
		}
	}
	slices.SortStableFunc(findings, oracle.WorstFirst)
	return nil
}
