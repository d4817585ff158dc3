package oracle

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A constraint is a clause that holds in the next solve only. It is stored as the clause "not s, or
// the constraint" over a variable s that no call names, and the next solve assumes s, so every check
// that handles clauses and assumptions handles constraints. No client can ask whether s failed, so s
// counts as an assumption that may have failed.

// constrain replaces the constraint of the next solve.
func (j *Judge) constrain(in *instance, lits []int32) {
	number := j.unnamed(in)
	in.vars.literal(number)
	in.vars.all[in.vars.find(number)].hidden = true
	in.addClause(append([]int32{-number}, lits...), true, &j.budget)
	in.selector = number
}

// unnamed returns a variable that occurs neither in the trace nor in an earlier constraint. Large
// traces seldom have constraints, so it searches each time.
func (j *Judge) unnamed(in *instance) int32 {
	for number := int32(1<<31 - 1); ; number-- {
		if in.vars.find(number) < 0 && !slices.Contains(j.t.Lits, number) && !slices.Contains(j.t.Lits, -number) {
			return number
		}
	}
}

// assumeConstraint makes the constraint an assumption of the solve that begins.
func (in *instance) assumeConstraint() {
	if in.selector != 0 {
		in.assume(in.selector)
		in.selector = 0
	}
}

// limit allows the next solve to give up.
func (in *instance) limit(c *trace.Call) {
	bit := uint8(1)
	if c.Op == apimodel.OpLimitDecisions {
		bit = 2
	}
	if in.limits |= bit; c.Flags&trace.Off != 0 {
		in.limits &^= bit
	}
}

// simplify treats the answer of simplify as that of a solve: 20 denies that the clauses have a
// solution under the assumptions and the constraint, and 10 claims at least that the clauses have one.
// No query may follow.
func (j *Judge) simplify(i int, in *instance, a *trace.Answer) {
	status := int32(a.Num)
	if status == apimodel.Satisfiable || a.Kind == trace.NotAnswered {
		in.forgetAssumptions()
	}
	in.begin(i, status, status == apimodel.Satisfiable, false)
	if a.Kind == trace.NotAnswered || status == apimodel.Interrupted {
		in.now.open = false
		return
	}
	j.solves++
}

// forgetAssumptions drops the assumptions for the next solve.
func (in *instance) forgetAssumptions() {
	for _, l := range in.pending {
		in.vars.all[l.index()].assumed[l.sign()] = 0
	}
	in.pending, in.selector = in.pending[:0], 0
}
