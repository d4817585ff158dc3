package conform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Smoke returns the cases that a target should pass before it runs any others.
func Smoke(m *apimodel.Model) []*Case {
	return slices.DeleteFunc(For(m), func(c *Case) bool { return c.Advice == "" })
}

// classAdvice says what to look at after a failure of a class. A fault of these classes makes many cases fail,
// and mostly not because of what a case tests.
var classAdvice = map[oracle.Class]string{
	oracle.ValuesDisagree: "val returns its argument when that literal is true, its argument negated when it is false, " +
		"or 0 when either will do: not 1, -1 or a sign. Mind negative arguments.",
	oracle.ModelFalsifies: "The values are not those of a solution: is the model copied before something else is done " +
		"with the solver, and are the variables numbered alike?",
	oracle.WrongCore: "failed returns 1 for the assumptions of the core, each with the sign that it was assumed " +
		"with; the core of a solver often holds their negations.",
	oracle.WrongStatus: "solve returns 10, 20, 30, 40 or 0, not the number that the solver inside has for it.",
	oracle.Segfault:    "Run the trace under a debugger or with AddressSanitizer: ipafuzz replay --way inproc.",
	oracle.Abort: "An assertion, an exception that leaves the library, or a damaged heap: what it wrote says " +
		"which; ipafuzz replay --way inproc runs the trace under a debugger.",
	oracle.OtherExit: "A library never ends the process: look for exit in it, and for exceptions.",
	oracle.Deadlock:  "A thread waits for a lock or a condition for ever: the trace says in which call.",
	oracle.TooSlow:   "It should take a fraction of a second: is there a loop, or a wait for input?",
	oracle.GaveUp: "Only the callback may stop a solve, and 40 is for calls that the solver does not support. " +
		"A library with limits of its own: policy give-up=allowed.",
	oracle.Trespass: "docs/targets.md says what a target may do. If the solver needs this call, pass --no-containment.",
}

// Excuse says how a target declares that it refuses what the case is about, if it did not answer and there is a
// policy for that. Solvers of quantified formulas also answer wrongly instead.
func (r *Result) Excuse() string {
	answered := r.Class == "" || r.Class[0] != '1' && r.Class[0] != '4'
	if answered && !r.Case.Model().Quantified() {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(r.Case.Policies)) {
		if policy := apimodel.PolicyNamed(name); r.Case.Policies[name] == "allowed" &&
			slices.Contains(policy.Values, "rejected") {
			return fmt.Sprintf("If it does not allow this, say so in its entry of the targets file: policies = { %s = "+
				"\"rejected\" }", name)
		}
	}
	return ""
}

// Advice says what to look at when a case of the smoke part fails.
func (r *Result) Advice() string {
	if r.Class == string(oracle.TooSlow) && r.Case.Group() == "terminate" {
		return r.Case.Advice // the case must stop a search that takes minutes
	}
	if r.Class == string(oracle.ModelFalsifies) && r.Case.Group() == "instances" {
		return r.Case.Advice // the model is another solver's
	}
	if advice := classAdvice[oracle.Class(r.Class)]; advice != "" {
		return advice
	}
	return r.Case.Advice
}
