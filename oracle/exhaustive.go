package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/trace"
)

// exhaustiveCheck decides problems of few variables: whether there is a solution, and the optimum. The
// instance updates the set of assignments that fulfil the clauses as clauses come in. A solve looks only
// at those that fulfil the assumptions.
type exhaustiveCheck struct{}

func (exhaustiveCheck) explain(j *Judge, in *instance, p proof) string {
	if in.Beyond {
		return "the assumptions or an empty clause, which contradict themselves"
	}
	return in.Searched()
}

func (c exhaustiveCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if !s.solution && s.status != apimodel.Unsatisfiable {
		return
	}
	s.truth.condition = in.Assumptions(nil)
	in.Beyond = in.Beyond || !j.budget.Spend(in.SearchWords())
	switch {
	case !in.Beyond && in.Feasible.Has(&s.truth.condition):
		j.provedFeasible(in, s.call)
	case !in.Beyond, in.ContradictsItself():
		j.provedInfeasible(in, s.call)
	default:
		return
	}
	j.decide()
	if s.truth.feasible == no || !s.optimal {
		s.truth.decided = true
		return
	}
	s.truth.decided = in.SumHi == 0 && j.weightsClear(in) // objectiveCheck calls optimum if the client asked
}

// optimum searches for the optimum. The cost of the solver's own model, checked before, is nearly
// always the best one and cuts the search short.
func (in *instance) optimum() {
	s := &in.answer
	if in.Beyond || in.SumHi != 0 || s.truth.feasible != yes {
		return
	}
	costs := in.ObjectiveOf()
	known := uint64(cube.NoCost)
	if s.truth.atMost.known {
		known = s.truth.atMost.cost
	}
	s.truth.least = bound{true, costs.Least(&in.Feasible, &s.truth.condition, known), s.truth.feasibleBy}
}

// weightsClear reports whether the policies of the target define what the weights of the instance
// mean.
func (j *Judge) weightsClear(in *instance) bool {
	return (!in.ZeroWeight || j.rules.zeroWeightKnown) && (!in.Redeclared || j.rules.redeclareKnown)
}

// provedFeasible records that the current check knows a solution. It reports an answer that denies one.
func (j *Judge) provedFeasible(in *instance, call int) {
	s := &in.answer
	if s.truth.feasible != unknown {
		return
	}
	s.truth.feasible, s.truth.feasibleBy = yes, j.proof(call)
	if s.status == apimodel.Unsatisfiable {
		s.truth.decided = true
		f := Finding{Class: ClaimsNoSolution, Call: s.call, Detail: claimsNoSolution, Observed: "status 20",
			Expected: "a solution", Known: j.known(in, s.truth.feasibleBy)}
		if !in.Beyond {
			if literals := in.AssignmentText(in.Feasible.First(&s.truth.condition)); literals != "" {
				f.Expected += ": " + literals
			}
		}
		j.report(in, f)
	}
}

// provedInfeasible records that the current check knows that there is no solution. It reports an answer that
// claims one.
func (j *Judge) provedInfeasible(in *instance, call int) {
	s := &in.answer
	if s.truth.feasible != unknown {
		return
	}
	s.truth.feasible, s.truth.feasibleBy = no, j.proof(call)
	if s.solution {
		s.truth.decided = true
		j.report(in, Finding{Class: ClaimsSolution, Call: s.call, Detail: claimsSolution,
			Observed: fmt.Sprintf("status %d", s.status), Expected: "status 20", Known: j.known(in, s.truth.feasibleBy)})
	}
}

// An explainer is a check that says in words how it knows a fact.
type explainer interface {
	explain(j *Judge, in *instance, p proof) string
}

func (j *Judge) known(in *instance, p proof) string {
	if e, ok := checks[p.check].rule.(explainer); ok {
		return e.explain(j, in, p)
	}
	return checks[p.check].name
}

// Bounds of the exhaustive search in one trace.
const (
	highestMaxVars = 26      // 8 MiB
	defaultWords   = 1 << 20 // about a millisecond: 20 variables in a trace of a few clauses, 16 in one of a thousand
)

// countCheck checks the answers of enumerate: the two counts must agree and, where exhaustive search
// knows the number of solutions, equal it.
type countCheck struct{}

func (countCheck) explain(_ *Judge, in *instance, _ proof) string {
	return in.Searched()
}

func (countCheck) fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer) {
	if c.Op != apimodel.OpEnumerate {
		return
	}
	most, one, other := uint32(c.Num), uint32(a.Num), uint32(a.Num>>32)
	right, known := in.Solutions(&j.budget)
	right = min(right, uint64(most))
	f := Finding{Call: call,
		Observed: fmt.Sprintf("%s one way, %d the other", printable.Things(int64(one), "solution"), other),
		Expected: "the same number twice", Known: "the answer contradicts itself"}
	if known {
		j.decide()
		f.Expected = printable.Things(right, "solution")
		f.Known = j.known(in, j.proof(call))
	}
	switch {
	case one != other:
		f.Class, f.Detail = AnswersDiffer, "counts of solutions"
	case known && uint64(one) > right, one > most:
		f.Class, f.Detail = ClaimsSolution, "counts too many solutions"
	case known && uint64(one) < right:
		f.Class, f.Detail = ClaimsNoSolution, "counts too few solutions"
	default:
		return
	}
	j.reportOf(in, -1, f)
}

// leastCheck checks solutions of targets that promise as few true variables as possible (policy
// solutions = least). Exhaustive search finds out how few.
type leastCheck struct{}

func (leastCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if s.status != apimodel.Satisfiable || in.Beyond || s.model.holds != yes {
		return
	}
	var ones cube.Costs
	told := uint64(0)
	for i := range in.Vars.All {
		v := &in.Vars.All[i]
		if v.Dim < 0 {
			continue
		}
		switch in.ValueOf(i) {
		case problem.True:
			told++
		case problem.False, problem.Zero: // an unimportant variable may be false
		default:
			return // not asked for
		}
		ones.Add(v.Dim, [2]uint64{1, 0})
	}
	ones.Finish()
	j.decide()
	if least := ones.Least(&in.Feasible, &s.truth.condition, cube.NoCost); least < told {
		j.report(in, Finding{Class: NotOptimal, Call: s.lastCall(), Detail: "more true variables than needed",
			Observed: printable.Things(told, "true variable") + ": " + in.ValuesText(), Expected: fmt.Sprint(least),
			Known: in.Searched()})
	}
}
