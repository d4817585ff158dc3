package oracle

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
)

// exhaustiveCheck knows everything about a problem of few variables: whether
// there is a solution, and the optimum. The set of the assignments that fulfil
// the clauses is kept up to date while clauses come in; a solve only has to
// look at the part of it that fulfils the assumptions.
type exhaustiveCheck struct{}

func (exhaustiveCheck) name() string { return "exhaustive" }

func (exhaustiveCheck) explain(j *Judge, in *instance, p proof) string {
	if in.beyond {
		return "the assumptions or an empty clause, which contradict themselves"
	}
	return fmt.Sprintf("exhaustive search over %d variables", in.feasible.Dims())
}

func (c exhaustiveCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if !s.solution && s.status != apimodel.Unsatisfied {
		return
	}
	s.truth.condition = in.assumptions(nil)
	in.beyond = in.beyond || !j.budget.spend(in.feasible.Words())
	switch {
	case !in.beyond && in.feasible.Has(&s.truth.condition):
		j.provedFeasible(in, s.call)
	case !in.beyond, in.contradictsItself():
		j.provedInfeasible(in, s.call)
	default:
		return
	}
	j.decide()
	if s.truth.feasible == no || !s.optimal {
		s.truth.decided = true
		return
	}
	s.truth.decided = in.sumHi == 0 && j.weightsClear(in) // by optimum, when that is asked for
}

// optimum searches for the optimum, where there is something to compare it
// with. The cost of the solver's own model, checked before, is nearly always
// the best one and cuts the search short.
func (in *instance) optimum() {
	s := &in.now
	if in.beyond || in.sumHi != 0 || s.truth.feasible != yes {
		return
	}
	costs := in.objectiveOf()
	known := uint64(cube.NoCost)
	if s.truth.atMost.known {
		known = s.truth.atMost.cost
	}
	s.truth.least = bound{true, costs.Least(&in.feasible, &s.truth.condition, known), s.truth.feasibleBy}
}

// contradictsItself sees the two contradictions that need no search.
func (in *instance) contradictsItself() bool {
	for _, l := range in.assumed {
		if in.isAssumed(l.not()) {
			return true
		}
	}
	return in.emptyClause
}

// weightsClear reports whether the target's policies say what the weights of
// the instance mean.
func (j *Judge) weightsClear(in *instance) bool {
	return (!in.zeroWeight || j.rules.zeroWeightKnown) && (!in.redeclared || j.rules.redeclareKnown)
}

// provedFeasible notes that the check at work knows a solution; an answer that
// denied it is wrong.
func (j *Judge) provedFeasible(in *instance, call int) {
	s := &in.now
	if s.truth.feasible != unknown {
		return
	}
	s.truth.feasible, s.truth.feasibleBy = yes, j.proof(call)
	if s.status == apimodel.Unsatisfied {
		s.truth.decided = true
		f := Finding{Class: ClaimsNoSolution, Call: s.call, Detail: claimsNoSolution, Observed: "status 20",
			Expected: "a solution", Known: j.known(in, s.truth.feasibleBy)}
		if !in.beyond {
			f.Expected = "a solution: " + in.assignmentText(in.feasible.First(&s.truth.condition))
		}
		j.report(in, f)
	}
}

// provedInfeasible notes that the check at work knows that there is no solution.
func (j *Judge) provedInfeasible(in *instance, call int) {
	s := &in.now
	if s.truth.feasible != unknown {
		return
	}
	s.truth.feasible, s.truth.feasibleBy = no, j.proof(call)
	if s.solution {
		s.truth.decided = true
		j.report(in, Finding{Class: ClaimsSolution, Call: s.call, Detail: "claims a solution",
			Observed: fmt.Sprintf("status %d", s.status), Expected: "status 20", Known: j.known(in, s.truth.feasibleBy)})
	}
}

// assignmentText lists the literals that an assignment of the cube makes true,
// and those of the assumptions outside of it.
func (in *instance) assignmentText(assignment uint32) string {
	var b strings.Builder
	for i := range in.vars.all {
		v := &in.vars.all[i]
		number := v.number
		switch {
		case v.hidden:
			continue
		case v.dim >= 0:
			if assignment>>v.dim&1 == 0 {
				number = -number
			}
		case v.assumed[0] == in.epoch:
		case v.assumed[1] == in.epoch:
			number = -number
		default:
			continue
		}
		fmt.Fprintf(&b, "%d ", number)
	}
	return strings.TrimSpace(b.String())
}

// An explainer says in words how its check knows something.
type explainer interface {
	explain(j *Judge, in *instance, p proof) string
}

func (j *Judge) known(in *instance, p proof) string {
	if e, ok := j.checks[p.check].(explainer); ok {
		return e.explain(j, in, p)
	}
	return j.checks[p.check].name()
}
