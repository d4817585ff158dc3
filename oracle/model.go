package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
)

// modelCheck checks the values of a solution. They must fulfil the clauses and the assumptions. If some values are
// unknown ("not important", or never asked for), some completion must. A model that holds proves that there is a
// solution.
type modelCheck struct{}

func (modelCheck) explain(*Judge, *instance, proof) string { return "the solver's own model" }

func (m modelCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if !s.solution || !s.hasValues || s.truth.feasible == no {
		return
	}
	v := &s.model
	for _, l := range in.Assumed {
		if val := in.ValueOf(l.Index()); val == problem.TrueOf(1-l.Sign()) {
			v.holds = no
			m.falsified(j, in, "assumption", fmt.Sprintf("the assumption %d is false", in.Vars.NumberOf(l)))
			return
		}
	}
	if in.Beyond {
		m.largeModel(j, in)
	} else {
		m.smallModel(j, in)
	}
	switch v.holds {
	case no:
		if broken := in.BrokenClause(); broken >= 0 {
			m.falsified(j, in, "hard clause", fmt.Sprintf("the hard clause %s is false", in.ClauseText(broken)))
		} else {
			m.falsified(j, in, "no completion", "no completion of the values fulfils the clauses and assumptions")
		}
	case yes:
		j.decide()
		j.provedFeasible(in, s.lastCall())
		s.truth.decided = s.truth.decided || !s.optimal
		if v.exact && v.hi == 0 || v.leastOnly {
			s.truth.improve(v.cost, j.proof(s.lastCall()))
		}
	}
}

func (modelCheck) falsified(j *Judge, in *instance, detail, observed string) {
	s := &in.answer
	j.decide()
	s.truth.decided = true
	known := "the clauses and assumptions of the trace"
	if s.truth.feasible == yes {
		known += "; a solution exists: " + j.known(in, s.truth.feasibleBy)
	}
	j.report(in, Finding{Class: ModelFalsifies, Call: s.lastCall(), Detail: detail,
		Observed: observed + "; the values: " + in.ValuesText(),
		Expected: "values that fulfil every hard clause and every assumption", Known: known})
}

// smallModel looks the values up in the cube.
func (modelCheck) smallModel(j *Judge, in *instance) {
	s := &in.answer
	v := &s.model
	v.condition = s.truth.condition
	for i := range in.Vars.All {
		w := &in.Vars.All[i]
		if w.Dim >= 0 && w.Epoch == in.Epoch && w.Value.Known() {
			v.condition.Require(w.Dim, int(w.Value-problem.True))
		}
	}
	v.holds = no
	if in.Feasible.Has(&v.condition) {
		v.holds = yes
	}
	if v.holds == no || !j.weighted || !j.weightsClear(in) {
		return
	}
	v.hi, v.cost, v.exact = in.CostOfValues()
	if v.exact {
		return
	}
	costs := in.ObjectiveOf()
	if costs == nil {
		return
	}
	v.hi, v.leastOnly = 0, true
	v.cost = costs.Least(&in.Feasible, &v.condition, cube.NoCost)
	if s.objective.known {
		v.fits = no
		if costs.Exactly(&in.Feasible, &v.condition, s.objective.value) {
			v.fits = yes
		}
	}
}

// largeModel evaluates the clauses. If the known values leave few variables open, it searches a cube of these.
func (modelCheck) largeModel(j *Judge, in *instance) {
	s := &in.answer
	v := &s.model
	v.holds = j.free.clauses(in, j.budget.MaxVars)
	if v.holds == no || !j.weighted || !j.weightsClear(in) {
		return
	}
	v.hi, v.cost, v.exact = in.CostOfValues()
	if !v.exact && v.holds == yes && in.SumHi == 0 {
		j.free.weigh(in, j.budget.MaxVars, v, &s.objective)
	}
}
