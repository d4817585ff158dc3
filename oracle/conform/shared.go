package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// leastShared is how many cases must fail alike before the report names one reason for all.
const leastShared = 3

// A sharedReason is a reason for which several cases fail, whatever each of them tests.
type sharedReason struct {
	class oracle.Class
	op    apimodel.Op
	name  string // of the call
	rows  int
}

// neverAdvice says what to look at if no answer of the suite was right where these failures are.
var neverAdvice = map[oracle.Class]string{
	oracle.ClaimsSolution: "No solve answered 20 where that is right: does solve pass the answer of the solver on, " +
		"and add the clauses?",
	oracle.ClaimsNoSolution: "No solve answered 10 or 30 where that is right: does solve pass the answer of the " +
		"solver on, and add the clauses?",
	oracle.OneValueDiffers: "No cost above 0 was right: val_obj returns the sum of the weights of the soft literals " +
		"that are true in the solution.",
}

// reason returns what the failure may have in common with failures of other cases.
func (r *Result) reason() (sharedReason, bool) {
	class, calls := oracle.Class(r.Class), r.Case.Trace.Calls
	if r.Outcome != Fail || classAdvice[class] == "" && neverAdvice[class] == "" || r.Call < 1 || r.Call > len(calls)+1 {
		return sharedReason{}, false
	}
	op := apimodel.OpRelease // of all solvers that are left
	if r.Call <= len(calls) {
		op = calls[r.Call-1].Op
	}
	switch op {
	case apimodel.OpModel: // asks val of every variable
		op = apimodel.OpVal
	case apimodel.OpCore: // asks failed of every assumption
		op = apimodel.OpFailed
	}
	return sharedReason{class: class, op: op, name: r.Case.Model().Call(op).Name}, true
}

// right reports whether an answer was right of the kind that is wrong in failures of the class. Then each concerns
// only its own case.
func (r *Report) right(class oracle.Class) bool {
	is := map[oracle.Class]func(apimodel.Op, int64) bool{
		oracle.ClaimsSolution: func(op apimodel.Op, want int64) bool {
			return op == apimodel.OpSolve && want == apimodel.Unsatisfiable
		},
		oracle.ClaimsNoSolution: func(op apimodel.Op, want int64) bool {
			return op == apimodel.OpSolve && want != apimodel.Unsatisfiable && want != apimodel.Interrupted
		},
		oracle.OneValueDiffers: func(op apimodel.Op, want int64) bool { return op == apimodel.OpObj && want != 0 },
		oracle.ModelFalsifies:  func(op apimodel.Op, want int64) bool { return op == apimodel.OpVal && want != 0 },
	}[class]
	return slices.ContainsFunc(r.Results, func(result Result) bool {
		t := result.Case.Trace
		for i := range t.Calls {
			if want := t.Want.At(i); result.Outcome == Pass && want.Kind == trace.Answered && is(t.Calls[i].Op, want.Int()) {
				return true
			}
		}
		return false
	})
}

// share sets Alike in all results, and returns the reasons that several cases share.
func (r *Report) share() []sharedReason {
	var reasons []sharedReason
	find := func(of sharedReason) int {
		return slices.IndexFunc(reasons, func(o sharedReason) bool { return o.class == of.class && o.op == of.op })
	}
	for i := range r.Results {
		of, ok := r.Results[i].reason()
		if !ok {
			continue
		}
		at := find(of)
		if at < 0 {
			at = len(reasons)
			reasons = append(reasons, of)
		}
		reasons[at].rows++
	}
	reasons = slices.DeleteFunc(reasons, func(s sharedReason) bool {
		return s.rows < leastShared || neverAdvice[s.class] != "" && r.right(s.class)
	})
	for i := range r.Results {
		result := &r.Results[i]
		result.Alike, result.noneRight = 0, false
		if of, ok := result.reason(); ok {
			if at := find(of); at >= 0 {
				result.Alike = reasons[at].rows
				result.noneRight = of.class == oracle.ModelFalsifies && !r.right(of.class)
			}
		}
	}
	return reasons
}

// String says what fails in which call, and what to look at.
func (s sharedReason) String() string {
	return fmt.Sprintf("%d cases fail for one reason, whatever each of them is about: %s %s in %s. %s",
		s.rows, s.class, s.class.Info().Name, s.name, cmp.Or(classAdvice[s.class], neverAdvice[s.class]))
}

// blamed returns the numbers of the sentences that the failure contradicts: those of the case, unless
// another sentence is about the values of the function that answered wrongly. A solution that is none may be the
// fault of any call, unless no value of the suite was right.
func (r *Result) blamed() []int {
	of, ok := r.reason()
	if !ok || of.class != oracle.ValuesDisagree && !r.noneRight {
		return r.Case.Checks
	}
	m := r.Case.header
	function := m.Call(of.op).Function
	for _, n := range r.Case.Checks {
		if r.Case.Sentence(n).Function == function {
			return r.Case.Checks
		}
	}
	// The models that extend IPASIR have only the sentences that they add.
	for _, s := range Sentences(m) {
		if s.Function == function && strings.HasPrefix(s.Text, "Returns the literal ") {
			return []int{s.Number}
		}
	}
	return r.Case.Checks
}
