package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/trace"
)

// knownSolutionCheck tries earlier solutions of the run on problems that are too large for exhaustive search. A
// solution that still fulfils everything disproves "no solution", and its cost bounds the optimum.
type knownSolutionCheck struct{}

func (knownSolutionCheck) explain(_ *Judge, _ *instance, p proof) string {
	return fmt.Sprintf("the solution of the solve in call %d, completed and checked against every hard clause and "+
		"assumption", p.call+1)
}

func (knownSolutionCheck) answer(j *Judge, in *instance) {
	if !j.solutionsHelp(in) {
		return
	}
	for i := range in.models.All() {
		if m := &in.models.All()[i]; j.trySolution(in, m, m.Call) {
			return
		}
	}
}

// solutionsHelp reports whether a solution may refute the answer: exhaustive search is impossible, and the answer
// denies that there is a solution or claims an optimum.
func (j *Judge) solutionsHelp(in *instance) bool {
	s := &in.answer
	return in.Beyond && s.truth.feasible != no &&
		(s.status == apimodel.Unsatisfiable || s.optimal && in.SumHi == 0 && j.weightsClear(in))
}

// trySolution tries a solution on the current problem. It reports whether the solution refutes the answer. call is
// the call that the proof names.
func (j *Judge) trySolution(in *instance, m *problem.Solution, call int) bool {
	s := &in.answer
	if !in.models.Fulfils(&in.Problem, m, in.Assumed) {
		return false
	}
	j.provedFeasible(in, call)
	if s.status == apimodel.Unsatisfiable {
		j.decide()
		return true
	}
	if hi, cost := in.models.Cost(&in.Problem); hi == 0 {
		s.truth.improve(cost, j.proof(call))
	}
	return false
}

// fewestBeyond is the number of variables from which on an instance keeps solutions, because it may soon be too
// large for exhaustive search.
const fewestBeyond = 12

// remember keeps the solution of the answer that is being closed.
func (in *instance) remember() {
	s := &in.answer
	if !in.Beyond && in.Feasible.Dims() < fewestBeyond {
		return
	}
	if s.solution && s.hasValues && s.model.holds != no && s.truth.feasible != no {
		in.models.Keep(&in.Problem, s.call)
	}
}

// plantedCheck tries the solution around which a generator built its formula. It is
// in the header of the trace:
//
//	# planted @0 bound=17 1 -2 3 1001
//
// The header is not trusted, not even its bound: the assignment is checked against
// the clauses and assumptions of the solve, and its cost is computed. A wrong
// header, or a trace that has changed since, does no harm.
type plantedCheck struct{}

func (plantedCheck) explain(*Judge, *instance, proof) string {
	return "the planted solution in the header of the trace, checked against every hard clause and assumption"
}

func (plantedCheck) answer(j *Judge, in *instance) {
	if in.answer.truth.decided || !j.solutionsHelp(in) {
		return
	}
	for i := range j.t.Planted {
		p := &j.t.Planted[i]
		if p.Instance == in.id && j.trySolution(in, j.completed(in, p.Lits), in.answer.call) {
			return
		}
	}
}

// completed turns literals into values by index.
func (j *Judge) completed(in *instance, lits []int32) *problem.Solution {
	m := &j.planted
	m.Values = m.Values[:0]
	for range in.Vars.All {
		m.Values = append(m.Values, problem.Unasked)
	}
	for _, number := range lits {
		if index := in.Vars.Find(trace.Var(number)); index >= 0 {
			m.Values[index] = problem.TrueOf(problem.SignOf(number))
		}
	}
	return m
}
