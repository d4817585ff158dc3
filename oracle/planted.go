package oracle

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// plantedCheck tries the solution that a generator built its formula around and
// wrote into the header of the trace:
//
//	# planted @0 bound=17 1 -2 3 1001
//
// Nothing of it is believed, not even the bound: the assignment is checked
// against the clauses and assumptions of the solve, and its cost is added up. So
// a header that is wrong, or a trace that was changed since, does no harm.
type plantedCheck struct{}

func (plantedCheck) name() string { return "planted" }

func (plantedCheck) explain(*Judge, *instance, proof) string {
	return "the planted solution in the header of the trace, checked against every hard clause and assumption"
}

func (plantedCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if len(j.t.Planted) == 0 || !in.beyond || s.truth.decided || s.truth.feasible == no {
		return
	}
	denied := s.status == apimodel.Unsatisfied
	priced := s.optimal && in.sumHi == 0 && j.weightsClear(in)
	if !denied && !priced {
		return
	}
	for i := range j.t.Planted {
		p := &j.t.Planted[i]
		if p.Instance != in.id || !in.models.fulfils(in, j.completed(in, p.Lits), in.assumed) {
			continue
		}
		j.provedFeasible(in, s.call)
		if denied {
			j.decide()
			return
		}
		if hi, cost := in.models.cost(in); hi == 0 {
			s.truth.improve(cost, j.proof(s.call))
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
			m.values[index] = isTrue
			if number < 0 {
				m.values[index] = isFalse
			}
		}
	}
	return m
}
