package oracle

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/trace"
)

// modelCheck checks the values of a solution. They must fulfil the clauses and the assumptions. If some values are
// unknown ("not important", or never asked for), some completion must. A model that holds proves that there is a
// solution.
type modelCheck struct{}

func (modelCheck) explain(*Judge, *instance, proof) string { return "the solver's own model" }

func (m modelCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if !s.solution || !s.hasValues || s.truth.feasible == no {
		return
	}
	v := &s.model
	for _, l := range in.assumed {
		if val := in.valueOf(l.index()); val == trueOf(1-l.sign()) {
			v.holds = no
			m.falsified(j, in, "assumption", fmt.Sprintf("the assumption %d is false", in.vars.numberOf(l)))
			return
		}
	}
	if in.beyond {
		m.largeModel(j, in)
	} else {
		m.smallModel(j, in)
	}
	switch v.holds {
	case no:
		if broken := in.brokenClause(); broken >= 0 {
			m.falsified(j, in, "hard clause", fmt.Sprintf("the hard clause %s is false", in.clauseText(broken)))
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
	s := &in.now
	j.decide()
	s.truth.decided = true
	known := "the clauses and assumptions of the trace"
	if s.truth.feasible == yes {
		known += "; a solution exists: " + j.known(in, s.truth.feasibleBy)
	}
	j.report(in, Finding{Class: ModelFalsifies, Call: s.lastCall(), Detail: detail,
		Observed: observed + "; the values: " + in.valuesText(),
		Expected: "values that fulfil every hard clause and every assumption", Known: known})
}

// smallModel looks the values up in the cube.
func (modelCheck) smallModel(j *Judge, in *instance) {
	s := &in.now
	v := &s.model
	v.condition = s.truth.condition
	for i := range in.vars.all {
		w := &in.vars.all[i]
		if w.dim >= 0 && w.epoch == in.epoch && w.value.known() {
			v.condition.Require(w.dim, int(w.value-isTrue))
		}
	}
	v.holds = no
	if in.feasible.Has(&v.condition) {
		v.holds = yes
	}
	if v.holds == no || !j.weighted || !j.weightsClear(in) {
		return
	}
	v.hi, v.cost, v.exact = in.costOfValues()
	if v.exact {
		return
	}
	costs := in.objectiveOf()
	if costs == nil {
		return
	}
	v.hi, v.leastOnly = 0, true
	v.cost = costs.Least(&in.feasible, &v.condition, cube.NoCost)
	if s.objective.known {
		v.fits = no
		if costs.Exactly(&in.feasible, &v.condition, s.objective.value) {
			v.fits = yes
		}
	}
}

// largeModel evaluates the clauses. If the known values leave few variables open, it searches a cube of these.
func (modelCheck) largeModel(j *Judge, in *instance) {
	s := &in.now
	v := &s.model
	v.holds = j.free.clauses(in, j.budget.MaxVars)
	if v.holds == no || !j.weighted || !j.weightsClear(in) {
		return
	}
	v.hi, v.cost, v.exact = in.costOfValues()
	if !v.exact && v.holds == yes && in.sumHi == 0 {
		j.free.weigh(in, j.budget.MaxVars, v, &s.objective)
	}
}

// brokenClause returns the first hard clause whose literals are all known to be false, or -1.
func (in *instance) brokenClause() int {
next:
	for i := range in.ends {
		for _, l := range in.clause(i) {
			if in.valueOf(l.index()) == trueOf(1-l.sign()) {
				continue
			}
			if !in.vars.all[l.index()].hidden || !in.isAssumed(l.not()) {
				continue next
			}
		}
		return i
	}
	return -1
}

func (in *instance) clauseText(i int) string {
	var b strings.Builder
	b.WriteString("(")
	for n, l := range in.clause(i) {
		if in.vars.all[l.index()].hidden {
			b.WriteString("of the constraint:")
			n++
		}
		if n > 0 {
			b.WriteByte(' ')
		}
		if !in.vars.all[l.index()].hidden {
			fmt.Fprintf(&b, "%d", in.vars.numberOf(l))
		}
	}
	b.WriteString(")")
	return b.String()
}

// modelText lists the true literals of a solution of the reference.
func (in *instance) modelText(model []int32) string {
	var b strings.Builder
	for i, number := range model {
		if i == longText {
			b.WriteString("...")
			break
		}
		l := lit(trace.Var(number)-1) << 1
		if number < 0 {
			l = l.not()
		}
		if !in.vars.all[l.index()].hidden {
			fmt.Fprintf(&b, "%d ", in.vars.numberOf(l))
		}
	}
	return strings.TrimSpace(b.String())
}

const longText = 200 // variables in a text for people

// valuesText lists the known values.
func (in *instance) valuesText() string {
	var b strings.Builder
	for i := range in.vars.all {
		if i == longText {
			b.WriteString("...")
			break
		}
		switch in.valueOf(i) {
		case isTrue:
			fmt.Fprintf(&b, "%d ", in.vars.all[i].number)
		case isFalse:
			fmt.Fprintf(&b, "%d ", -in.vars.all[i].number)
		}
	}
	return strings.TrimSpace(b.String())
}
