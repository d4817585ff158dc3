package oracle

import (
	"fmt"
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
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
	for i := range in.models.used {
		if m := &in.models.of[i]; j.trySolution(in, m, m.call) {
			return
		}
	}
}

// solutionsHelp reports whether a solution may refute the answer: exhaustive search is impossible, and the answer
// denies that there is a solution or claims an optimum.
func (j *Judge) solutionsHelp(in *instance) bool {
	s := &in.now
	return in.beyond && s.truth.feasible != no &&
		(s.status == apimodel.Unsatisfiable || s.optimal && in.sumHi == 0 && j.weightsClear(in))
}

// trySolution tries a solution on the current problem. It reports whether the solution refutes the answer. call is
// the call that the proof names.
func (j *Judge) trySolution(in *instance, m *storedModel, call int) bool {
	s := &in.now
	if !in.models.fulfils(in, m, in.assumed) {
		return false
	}
	j.provedFeasible(in, call)
	if s.status == apimodel.Unsatisfiable {
		j.decide()
		return true
	}
	if hi, cost := in.models.cost(in); hi == 0 {
		s.truth.improve(cost, j.proof(call))
	}
	return false
}

// A modelStore keeps the last few solutions of an instance.
type modelStore struct {
	of   [8]storedModel
	used int
	next int

	assignment []value // by index: the assignment that fulfils made last
}

type storedModel struct {
	call   int     // of the solve
	values []value // by index; unasked where the solver said nothing
}

func (st *modelStore) reset() { st.used, st.next = 0, 0 }

// fewestBeyond is the number of variables from which on an instance keeps solutions, because it may soon be too
// large for exhaustive search.
const fewestBeyond = 12

// remember keeps the solution of the answer that is being closed.
func (in *instance) remember() {
	s := &in.now
	if !in.beyond && in.feasible.Dims() < fewestBeyond {
		return
	}
	if !s.solution || !s.hasValues || s.model.holds == no || s.truth.feasible == no {
		return
	}
	st := &in.models
	m := &st.of[st.next]
	st.next = (st.next + 1) % len(st.of)
	st.used = max(st.used, st.next)
	if st.next == 0 {
		st.used = len(st.of)
	}
	m.call = s.call
	m.values = m.values[:0]
	for i := range in.vars.all {
		m.values = append(m.values, in.valueOf(i))
	}
}

// fulfils completes a stored solution, makes the required literals true, and reports whether the result fulfils
// every hard clause. It checks the result, so the stored solution may be wrong.
func (st *modelStore) fulfils(in *instance, m *storedModel, required []lit) bool {
	st.assignment = st.assignment[:0]
	for i := range in.vars.all {
		val := unasked
		if i < len(m.values) {
			val = m.values[i]
		}
		if !val.known() { // make the cheaper literal true
			val = isFalse
			if w := &in.vars.all[i].weight; w[1] > w[0] {
				val = isTrue
			}
		}
		st.assignment = append(st.assignment, val)
	}
	for _, l := range required {
		st.assignment[l.index()] = trueOf(l.sign())
	}
	for _, l := range required { // they may contradict each other
		if st.assignment[l.index()] != trueOf(l.sign()) {
			return false
		}
	}
next:
	for i := range in.ends {
		for _, l := range in.clause(i) {
			if st.assignment[l.index()] == trueOf(l.sign()) {
				continue next
			}
		}
		return false
	}
	return true
}

// cost returns the cost of the assignment that fulfils made last.
func (st *modelStore) cost(in *instance) (hi, lo uint64) {
	for _, index := range in.softs {
		var carry uint64
		lo, carry = bits.Add64(lo, in.vars.all[index].weight[st.assignment[index]-isTrue], 0)
		hi += carry
	}
	return hi, lo
}

// anyFulfils returns the call of a stored solution that fulfils the clauses together with the required
// literals.
func (st *modelStore) anyFulfils(in *instance, required []lit) (call int, found bool) {
	for i := range st.used {
		if m := &st.of[i]; st.fulfils(in, m, required) {
			return m.call, true
		}
	}
	return 0, false
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
	if in.now.truth.decided || !j.solutionsHelp(in) {
		return
	}
	for i := range j.t.Planted {
		p := &j.t.Planted[i]
		if p.Instance == in.id && j.trySolution(in, j.completed(in, p.Lits), in.now.call) {
			return
		}
	}
}

// completed turns literals into values by index.
func (j *Judge) completed(in *instance, lits []int32) *storedModel {
	m := &j.planted
	m.values = m.values[:0]
	for range in.vars.all {
		m.values = append(m.values, unasked)
	}
	for _, number := range lits {
		if index := in.vars.find(trace.Var(number)); index >= 0 {
			m.values[index] = trueOf(signOf(number))
		}
	}
	return m
}
