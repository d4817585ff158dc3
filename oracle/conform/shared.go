package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
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

// reason returns what the failure may have in common with failures of other cases. A wrong
// status concerns only its own case.
func (r *Result) reason() (sharedReason, bool) {
	class := oracle.Class(r.Class)
	if r.Outcome != Fail || classAdvice[class] == "" || class == oracle.WrongStatus ||
		r.Call < 1 || r.Call > len(r.Case.Trace.Calls) {
		return sharedReason{}, false
	}
	op := r.Case.Trace.Calls[r.Call-1].Op
	if op == apimodel.OpModel { // asks val of every variable
		op = apimodel.OpVal
	}
	return sharedReason{class: class, op: op, name: r.Case.Model().Call(op).Name}, true
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
	reasons = slices.DeleteFunc(reasons, func(s sharedReason) bool { return s.rows < leastShared })
	for i := range r.Results {
		result := &r.Results[i]
		result.Alike = 0
		if of, ok := result.reason(); ok {
			if at := find(of); at >= 0 {
				result.Alike = reasons[at].rows
			}
		}
	}
	return reasons
}

// String says what fails in which call, and what to look at.
func (s sharedReason) String() string {
	return fmt.Sprintf("%d cases fail for one reason, whatever each of them is about: %s %s in %s. %s",
		s.rows, s.class, s.class.Info().Name, s.name, classAdvice[s.class])
}

// blamed returns the numbers of the sentences that the failure contradicts: those of the case, unless
// another sentence is about the values of the function that answered wrongly.
func (r *Result) blamed() []int {
	of, ok := r.reason()
	if !ok || of.class != oracle.ValuesDisagree {
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
