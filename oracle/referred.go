package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// referenceCheck asks the reference about what earlier checks have left open. A checked solution or a checked proof
// certifies its answers.
type referenceCheck struct{}

func (referenceCheck) explain(j *Judge, in *instance, _ proof) string {
	if in.answer.truth.feasible == no {
		return "a proof that there is no solution, found by the reference solver and checked"
	}
	if in.answer.truth.least.known {
		return "a solution found by the reference solver and a proof that none is cheaper, both checked"
	}
	return byReference
}

const byReference = "a solution found by the reference solver and checked"

func (c referenceCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if j.reference == nil || !s.solution && s.status != apimodel.Unsatisfiable {
		return
	}
	if settled := s.truth.decided && s.truth.feasible != unknown; settled && !j.crossCheck {
		return
	}
	priced := j.weighted && s.optimal && in.SumHi == 0 && j.weightsClear(in)
	if s.model.holds == no && !j.crossCheck { // it is wrong at any cost, but perhaps there is no solution at all
		priced = false
	}
	if !priced && s.truth.feasible != unknown && !j.crossCheck {
		return
	}
	answer, known := j.refer(in, in.Assumed, priced)
	if !known {
		return
	}
	c.disagreement(j, in, &answer, priced)
	if j.disagreement != nil {
		return
	}
	s.certified = answer.Certified() && (priced || !s.optimal || answer.Status == reference.Unsatisfiable)
	s.certificate = answer.Certificate
	if j.best = j.best[:0]; priced && answer.Optimal {
		j.best = append(j.best, answer.Model...)
	}
	if answer.CostKnown && answer.Cost < j.problem.Claimed {
		j.cheaper = in.NumbersOf(j.cheaper[:0], answer.Model)
	}
	if !s.truth.decided {
		j.decide()
	}
	if answer.Status == reference.Unsatisfiable {
		j.provedInfeasible(in, s.call)
		s.truth.decided = true
		return
	}
	j.provedFeasible(in, s.call)
	switch {
	case !priced:
		s.truth.decided = s.truth.decided || !s.optimal
	case answer.Optimal:
		if !s.truth.least.known {
			s.truth.least = bound{true, answer.Cost, j.proof(s.call)}
		}
		s.truth.decided = true
	case answer.CostKnown:
		s.truth.improve(answer.Cost, j.proof(s.call))
	}
}

// disagreement compares the answer of the reference with what other checks have proven. If they differ, one of them
// is wrong, whatever the target answered.
func (referenceCheck) disagreement(j *Judge, in *instance, answer *reference.Answer, priced bool) {
	t := &in.answer.truth
	says := func(format string, args ...any) {
		j.disagreement = fmt.Errorf("the checks disagree about the solve in call %d: %s", in.answer.call+1,
			fmt.Sprintf(format, args...))
	}
	switch {
	case t.feasible == yes && answer.Status == reference.Unsatisfiable:
		says("check %s knows a solution, check reference a proof that there is none", checks[t.feasibleBy.check].name)
	case t.feasible == no && answer.Status == reference.Satisfiable:
		says("check %s knows that there is no solution, check reference has one", checks[t.feasibleBy.check].name)
	case priced && t.atMost.known && answer.Optimal && t.atMost.cost < answer.Cost:
		says("check %s knows a solution that costs %d, check reference a proof that none costs less than %d",
			checks[t.atMost.by.check].name, t.atMost.cost, answer.Cost)
	case priced && answer.Optimal && j.crossCheck && !in.Beyond:
		k := in.Assumptions(nil)
		if least := in.ObjectiveOf().Least(&in.Feasible, &k, cube.NoCost); least != answer.Cost {
			says("check exhaustive finds the optimum %d, check reference proves %d", least, answer.Cost)
		}
	}
}

// refer asks the reference about the clauses of the instance under assumptions and, if priced is set, about the
// cheapest solution. known is false if there is no reference, or it does not know the answer.
func (j *Judge) refer(in *instance, assumed []problem.Lit, priced bool) (answer reference.Answer, known bool) {
	if j.reference == nil || j.disagreement != nil {
		return answer, false
	}
	p := &j.problem
	p.Reset()
	for i := range in.Ends {
		for _, l := range in.Clause(i) {
			p.Clauses = append(p.Clauses, problem.NumberOf(l))
		}
		p.Clauses = append(p.Clauses, 0)
	}
	for _, l := range assumed {
		p.Assumptions = append(p.Assumptions, problem.NumberOf(l))
	}
	if priced {
		price(in, p)
	}
	if priced && !j.crossCheck {
		j.knownTo(in, p)
	}
	answer, err := j.reference.Solve(p)
	if err != nil {
		j.disagreement = fmt.Errorf("the reference solver and its checks disagree about the solve in call %d: %w",
			in.answer.call+1, err)
		return answer, false
	}
	answer.Model = in.WithoutRelaxations(answer.Model)
	return answer, answer.Status != reference.Unknown
}

// price adds what solutions cost to the problem: soft literals, and soft clauses with their relaxations.
func price(in *instance, p *reference.Problem) {
	for _, index := range in.Softs {
		for sign, weight := range in.Vars.All[index].Weight {
			if weight != 0 {
				l := problem.Lit(index<<1 | uint32(sign))
				p.Softs = append(p.Softs, reference.Soft{Lit: problem.NumberOf(l), Weight: weight})
			}
		}
	}
	p.Clauses = in.RelaxedClauses(p.Clauses)
	for i := range in.SoftClauses() {
		_, weight := in.SoftClause(i)
		p.Softs = append(p.Softs, reference.Soft{Lit: in.Relaxation(i), Weight: weight})
	}
}

// knownTo adds the target's own solution to the problem, if it holds, which saves the search for a first one. If the
// objective is its cost, knownTo adds that, too: the answer is wrong as soon as any solution is cheaper.
func (j *Judge) knownTo(in *instance, p *reference.Problem) {
	s := &in.answer
	m := &s.model
	if m.holds != yes {
		return
	}
	for i := range in.Vars.All {
		if val := in.ValueOf(i); val.Known() {
			p.Known = append(p.Known, problem.NumberOf(problem.Lit(i)<<1|problem.Lit(val-problem.True)))
		}
	}
	p.Known = in.Relaxations(p.Known, in.ValueOf)
	told := s.objective.known && !s.objective.contested
	if told && m.exact && m.hi == 0 && m.cost == s.objective.value && !j.keeping {
		p.Claimed = m.cost
		p.Suggested = in.LiteralsOf(p.Suggested, j.suggested)
		if in.SoftClauses() > 0 && len(j.suggested) > 0 {
			values := j.completed(in, j.suggested).Values
			p.Suggested = in.Relaxations(p.Suggested, func(index int) problem.Value { return values[index] })
		}
	}
}

// Suggest names literals that are true in a solution of another trace, in the numbers of the traces. If they are a
// solution here, too, that is cheaper than the one that the target calls the best, the judge asks for no other.
func (j *Judge) Suggest(solution []int32) { j.suggested = append(j.suggested[:0], solution...) }

// Cheaper returns the last solution that the reference found in the last run and that was cheaper than the target's, or
// nil: the true literals, in the numbers of the trace. The slice is valid until the next Judge.
func (j *Judge) Cheaper() []int32 { return j.cheaper }
