package compare

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// aloneCheck is the check that findings of Alone name.
const aloneCheck = "alone"

// Alone compares the answers of an instance among others with its answers to the same calls alone (t.Project). The
// problems are the same. So if two statuses or optima differ, one is wrong, and the other instances have caused it.
// Alone does not compare answers that may differ: models, cores, and those of interrupted searches. It also ignores
// runs in which an allocation failed, because alone, an instance makes fewer allocations. It returns nil if it finds
// no difference.
func Alone(t *trace.Trace, run *trace.Run, instance uint16, alone *trace.Run) *oracle.Finding {
	_, failed := run.AllocationFailed(len(t.Calls))
	if _, alsoAlone := alone.AllocationFailed(len(t.Calls)); failed || alsoAlone {
		return nil
	}
	differ := func(call int, detail string, got, want any) *oracle.Finding {
		return &oracle.Finding{Class: oracle.InstancesMix, Check: aloneCheck, Call: call, Instance: instance,
			Weight: oracle.NoWeights,
			Detail: "with other instances only: " + detail, Observed: fmt.Sprintf("%s %v", detail, got),
			Expected: fmt.Sprintf("%s %v, the answer when no other instance runs", detail, want),
			Known:    "a run of this instance alone"}
	}
	at := -1 // in the run alone
	optimal := false
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Instance != instance {
			continue
		}
		at++
		if run.End != trace.Finished && i >= run.Call || alone.End != trace.Finished && at >= alone.Call {
			return nil
		}
		a, b := run.Answers.At(i), alone.Answers.At(at)
		switch {
		case c.Op == apimodel.OpSolve:
			if a.Kind != b.Kind {
				return nil
			}
			one, other := int32(a.Num), int32(b.Num)
			optimal = one == apimodel.Optimum && other == apimodel.Optimum
			if conclusive(one) && conclusive(other) && (one == apimodel.Unsatisfiable) != (other == apimodel.Unsatisfiable) {
				return differ(i, "status", one, other)
			}
		case c.Op == apimodel.OpObj:
			if optimal && a.Kind == trace.Answered && b.Kind == trace.Answered && a.Num != b.Num {
				return differ(i, "objective", a.Num, b.Num)
			}
		case c.Op.Does(apimodel.ShapesProblem):
			if a.Kind != b.Kind {
				return nil // another problem from here on
			}
			optimal = false
		}
	}
	return nil
}

// conclusive reports whether a status says that there is a solution or that there is none.
func conclusive(status int32) bool {
	return status == apimodel.Satisfiable || status == apimodel.Unsatisfiable || status == apimodel.Optimum
}
