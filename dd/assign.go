package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// assignVariables gives variables the value that fulfils most clauses. These clauses go, and the
// others lose a literal. What is left mostly still has a solution if the problem had one, so a
// large formula gets small in a few tests: half of the variables are in most of the clauses. If
// only single variables can go, the passes for calls and variables are better. In a quantified
// formula, the value of a variable may depend on others.
//
// If a query fails, the pass begins with half of the variables and takes its time. Other failures, such as
// crashes, often need a few clauses and no solution of the others: the pass calls finds them soon.
func assignVariables(r *reducer) error {
	if r.settled || r.best.Model.Quantified() {
		return nil
	}
	vars := unrelaxed(r.best, relaxationsOf(r.best))
	g := guess{patience: 2}
	if r.failsToAnswer() {
		g = guess{patience: 5, some: true}
	}
	return r.guessed(len(vars), g, func(t *trace.Trace, gone []bool) *trace.Trace {
		return assigned(t, vars, gone)
	})
}

// assigned returns the trace in which the variables that are gone have a value.
func assigned(t *trace.Trace, vars []int32, gone []bool) *trace.Trace {
	has := make(map[int32]bool)
	for i, v := range vars {
		has[v] = gone[i]
	}
	byClause, balance := relaxed(relaxationsOf(t)), balanceOf(t)
	fulfilled := make(map[int]bool)
	for i := range t.Calls {
		if !t.Calls[i].Op.IsClause() || inPieces(t, i) {
			continue
		}
		if !slices.ContainsFunc(t.Args(&t.Calls[i]), func(lit int32) bool {
			v := trace.Var(lit)
			return has[v] && (lit > 0) == (balance[v] >= 0)
		}) {
			continue
		}
		fulfilled[i] = true
		if x := byClause[i]; x != nil {
			for _, soft := range x.softs {
				fulfilled[soft] = true
			}
		}
	}
	return dropLits(t, byClause, func(call, _ int, lit int32) bool { return fulfilled[call] || has[trace.Var(lit)] })
}
