package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// If values of the outermost block do not win, the answer under these values tells why. Two experiments ask for it, in
// the place of the solve that gave the values, since a defect of later solves would be another one. One assumes the
// values, the other writes them into the clauses. The answer of a target that ignores such assumptions tells nothing.

// underValues returns, for each answer whose values do not win, the trace up to its solve under the values.
func underValues(t *trace.Trace, answers *trace.Answers, failures []oracle.Finding) (traces []*trace.Trace) {
	for i := range failures {
		f := &failures[i]
		if f.Class != oracle.ModelFalsifies || f.Solve < 0 || f.Voted {
			continue
		}
		if at := queryAfter(t, f.Solve, apimodel.OpModel); at >= 0 {
			formula, assumed := posedTo(t, f.Solve)
			universal, outermost := formula.Outermost()
			values := slices.DeleteFunc(slices.Clone(answers.ListOf(answers.At(at))), func(lit int32) bool {
				return !slices.Contains(outermost, trace.Var(lit)) || slices.Contains(assumed, lit)
			})
			if under := assuming(t, f.Solve, append(assumed, values...)); under != nil {
				traces = append(traces, under)
			}
			if universal && len(assumed) == 0 {
				if under := withValues(t, f.Solve, values); under != nil {
					traces = append(traces, under)
				}
			}
		}
	}
	return traces
}

// withValues returns the trace up to the solve, with the negated values added to each clause that has none of their
// variables. If the values win, the formula is false. A search that takes universal literals out of clauses does not
// look at assumptions, but at these. Earlier solves are on other formulas.
func withValues(t *trace.Trace, solve int, values []int32) *trace.Trace {
	t = t.Prefix(solve + 1)
	_, of := livesOf(t)
	has := func(lit int32) bool { return slices.Contains(values, lit) || slices.Contains(values, -lit) }
	without, gone := make(map[int][]int32), make(map[int]bool)
	for i, clause := range clausesOf(t) {
		if of[i] != of[solve] || slices.ContainsFunc(clause.lits, has) {
			continue
		}
		without[i] = clause.lits
		for _, piece := range clause.pieces {
			gone[piece] = piece != i
		}
	}
	return edit(t, func(d *draft, i int, c *trace.Call) {
		lits, ok := without[i]
		switch {
		case ok:
			lits = slices.Clone(lits)
			for _, lit := range values {
				lits = append(lits, -lit)
			}
			d.clause(c.Instance, lits...)
		case !gone[i]:
			d.keep(i)
		}
	}).legal(func(other int) (same, cost bool) { return of[other] != of[solve], false })
}

// assuming returns the trace up to the solve, which has other assumptions.
func assuming(t *trace.Trace, solve int, assumptions []int32) *trace.Trace {
	t = t.Prefix(solve + 1)
	_, of := livesOf(t)
	before := solveBefore(t, solve)
	return edit(t, func(d *draft, i int, c *trace.Call) {
		if i > before && of[i] == of[solve] && c.Op == apimodel.OpAssume {
			return
		}
		if i == solve {
			for _, lit := range assumptions {
				d.to.Literal(c.Instance, apimodel.OpAssume, lit)
				d.origin = append(d.origin, -1)
			}
		}
		d.keep(i)
	}).legal(func(other int) (same, cost bool) { return other != solve, false })
}

// posedTo returns the formula and the assumptions of a solve.
func posedTo(t *trace.Trace, solve int) (qbf.Formula, []int32) {
	state := qbf.NewState(t.Calls[solve].Instance)
	for i := range t.Calls[:solve] {
		state.Apply(t, i)
	}
	return state.Formula(), state.Assumptions()
}
