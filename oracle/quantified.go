package oracle

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/oracle/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
)

// quantified returns the solver of an instance, and creates one if there is none.
func (j *Judge) quantified(in *instance) *quantified.Solver {
	if in.quantified == nil {
		in.quantified = quantified.NewSolver(j.deciding, in.id)
	}
	return in.quantified
}

// stepQuantified is step for the model qbf, after its common part.
func (j *Judge) stepQuantified(i int, c *trace.Call, a *trace.Answer, in *instance) {
	q := j.quantified(in)
	switch {
	case c.Op.Does(apimodel.Renews):
		in.renew()
		q.Renew(in.id)
	case c.Op == apimodel.OpTerminate:
		in.terminate.set(c)
	case c.Op == apimodel.OpSolve:
		q.Apply(j.t, i)
		j.solve(i, in, a)
	case c.Op.Does(apimodel.Poses):
		if c.Op == apimodel.OpAssume {
			in.Assume(j.t.Lit(c))
		} else if c.Op.HasLits() {
			for _, l := range j.t.Args(c) {
				in.Use(l)
			}
		}
		q.Apply(j.t, i)
	}
}

// quantifiedCheck checks answers about quantified formulas with package quantified: whether the status is right,
// whether the values of the outermost block win, and whether the answer rests on the failed assumptions. It also
// compares answers with each other.
type quantifiedCheck struct{}

func (quantifiedCheck) explain(_ *Judge, in *instance, _ proof) string {
	return in.quantified.Explain()
}

func (c quantifiedCheck) answer(j *Judge, in *instance) {
	s, q := &in.answer, in.quantified
	if q.Blind || s.status != apimodel.Satisfiable && s.status != apimodel.Unsatisfiable {
		return
	}
	claimed := quantified.False
	if s.solution {
		claimed = quantified.True
	}
	answer := q.Judge(s.call, claimed)
	if q.Verdict.Truth != quantified.Unknown {
		c.status(j, in)
	}
	if answer.Known == quantified.Unknown || answer.Known == answer.Claimed {
		c.values(j, in)
		c.core(j, in)
	}
	c.relate(j, in)
	q.History.Keep()
	if err := q.Err(); err != nil && j.disagreement == nil {
		j.disagreement = fmt.Errorf("the checks disagree about the solve in call %d: %w", s.call+1, err)
	}
}

// status compares the status with what is known.
func (c quantifiedCheck) status(j *Judge, in *instance) {
	s, q := &in.answer, in.quantified
	answer := q.History.Next()
	answer.Known = q.Verdict.Truth
	j.decide()
	s.truth.decided = true
	s.truth.feasible, s.truth.feasibleBy = no, j.proof(s.call)
	if answer.Known == quantified.True {
		s.truth.feasible = yes
	}
	if answer.Known == answer.Claimed {
		return
	}
	f := Finding{Class: ClaimsSolution, Detail: claimsSolution, Call: s.call,
		Observed: fmt.Sprintf("status %d: the formula is %v", s.status, answer.Claimed), Expected: "status 20: it is false",
		Known: c.explain(j, in, proof{})}
	if answer.Known == quantified.True {
		f.Class, f.Detail, f.Expected = ClaimsNoSolution, claimsNoSolution, "status 10: it is true"
	}
	if win := q.Win(q.Assumed()); len(win) > 0 {
		f.Expected += fmt.Sprintf("; values that show it: %d", win)
	}
	j.report(in, f)
}

// values checks the values that queries have told. If the player of the outermost block wins, its values must win.
// Otherwise, no variable has a value.
func (c quantifiedCheck) values(j *Judge, in *instance) {
	s, q := &in.answer, in.quantified
	if !s.hasValues {
		return
	}
	universal, last := q.OutermostLevels()
	wins := s.solution != universal // the player of the outermost block does
	j.lits = append(j.lits[:0], q.Assumed()...)
	for i := range in.Vars.All {
		number := in.Vars.All[i].Number
		if in.Vars.All[i].Life != in.Life {
			continue // only queries name it: policy unseen-val
		}
		switch in.ValueOf(i) {
		case problem.True:
		case problem.False:
			number = -number
		default:
			continue
		}
		switch {
		case !wins || q.Level(trace.Var(number)) > last:
			c.noValue(j, in, number, wins)
		case slices.Contains(j.lits, -number):
			c.falsified(j, in, "assumption", fmt.Sprintf("the assumption %d is false", -number))
			return
		case !slices.Contains(j.lits[:len(q.Assumed())], number):
			j.lits = append(j.lits, number)
		}
	}
	if !wins {
		return
	}
	verdict := q.Under(j.lits)
	if verdict.Truth == quantified.Unknown {
		return
	}
	j.decide()
	answer := q.History.Next()
	if verdict.Truth != answer.Claimed {
		s.model.holds = no
		other := map[quantified.Truth]string{quantified.True: "false", quantified.False: "true"}[answer.Claimed]
		c.falsified(j, in, "do not win", "with these values the formula is "+other+", by "+verdict.String())
		return
	}
	s.model.holds = yes
	if answer.Known == quantified.Unknown {
		q.Verdict, answer.Known = verdict, verdict.Truth
		s.truth.decided = true
		s.truth.feasible, s.truth.feasibleBy = no, j.proof(s.lastCall())
		if s.solution {
			s.truth.feasible = yes
		}
	}
}

// hasOuterValue reports whether a variable has a value by the interface: whether it is in the
// outermost block and the player of that block wins. The policy qbf-other-val is about all others.
func (in *instance) hasOuterValue(index int) bool {
	q := in.quantified
	universal, last := q.OutermostLevels()
	w := &in.Vars.All[index]
	return !q.Blind && in.answer.solution != universal && w.Life == in.Life && q.Level(w.Number) <= last
}

func (quantifiedCheck) falsified(j *Judge, in *instance, detail, observed string) {
	s := &in.answer
	j.decide()
	s.truth.decided = true
	j.report(in, Finding{Class: ModelFalsifies, Call: s.lastCall(), Detail: detail,
		Observed: observed + "; the values: " + in.ValuesText(),
		Expected: "values of the outermost block that keep every assumption and show the answer",
		Known:    "the formula and the assumptions of the trace"})
}

// told returns the first call that told the value of a variable after the last solve.
func (j *Judge) told(in *instance, number int32) int {
	s := &in.answer
	for i := s.call + 1; i < s.valuesCall; i++ {
		c, a := &j.t.Calls[i], j.run.Answers.At(i)
		if c.Instance != in.id || a.Kind != trace.Answered {
			continue
		}
		if c.Op == apimodel.OpVal && a.Num != 0 && trace.Var(j.t.Lit(c)) == trace.Var(number) ||
			c.Op == apimodel.OpModel && slices.Contains(j.run.Answers.ListOf(a), number) {
			return i
		}
	}
	return s.valuesCall
}

// noValue reports a value for a variable that must not have one.
func (quantifiedCheck) noValue(j *Judge, in *instance, number int32, wins bool) {
	if !j.rules.otherValuesAreZero {
		return
	}
	f := Finding{Class: ValuesDisagree, Call: j.told(in, number), Detail: "value of another variable",
		Observed: fmt.Sprintf("the value %d", number), Expected: "0: variable not in the outermost block",
		Known: "policy qbf-other-val = zero"}
	if !wins {
		f.Detail = "value after the other answer"
		f.Expected = "0: the answer says that no values of the outermost block win"
	}
	j.decideBy(in, f)
}

// core checks that the answer is the same under the failed assumptions alone. Assumptions that the client did not
// ask about may have failed.
func (quantifiedCheck) core(j *Judge, in *instance) {
	s, q := &in.answer, in.quantified
	if s.coreCall < 0 {
		return
	}
	j.lits = j.lits[:0]
	for _, l := range in.Assumed {
		if !provedInnocent(&in.Vars.All[l.Index()], l.Sign()) {
			j.lits = append(j.lits, in.Vars.NumberOf(l))
		}
	}
	verdict := q.Under(j.lits)
	if verdict.Truth == quantified.Unknown {
		return
	}
	j.decide()
	if verdict.Truth != q.History.Next().Claimed {
		j.report(in, Finding{Class: WrongCore, Call: s.coreCall, Detail: "not a core",
			Observed: "failed assumptions: " + in.coreText(),
			Expected: fmt.Sprintf("assumptions that suffice for the status %d without the others", s.status),
			Known:    fmt.Sprintf("%v: under these it is %v", verdict, verdict.Truth)})
	}
}

// relate compares the answer with earlier ones: a formula that follows from a true one is true.
func (c quantifiedCheck) relate(j *Judge, in *instance) {
	s, q := &in.answer, in.quantified
	answer := q.History.Next()
	if r := q.History.Refuted(); r != nil {
		f := Finding{Class: ClaimsSolution, Detail: claimsSolution, Call: s.lastCall(),
			Observed: fmt.Sprintf("status 10 in call %d", r.Call+1),
			Expected: fmt.Sprintf("status 20: the formula of call %d follows from it and is false", s.call+1),
			Known:    c.explain(j, in, proof{})}
		if r.Claimed == quantified.False {
			f.Class, f.Detail, f.Observed = ClaimsNoSolution, claimsNoSolution, fmt.Sprintf("status 20 in call %d", r.Call+1)
			f.Expected = fmt.Sprintf("status 10: it follows from the formula of call %d, which is true", s.call+1)
		}
		r.Known = answer.Known
		j.decide()
		j.reportOf(in, r.Call, f)
	}
	r := q.History.Contradicted()
	if r == nil {
		return
	}
	f := Finding{Class: AnswersDiffer, Detail: "status", Call: s.call, Observed: fmt.Sprintf("status %d", s.status),
		Expected: fmt.Sprintf("status %d, as before", 30-s.status),
		Known:    fmt.Sprintf("the answer to call %d: the same problem", r.Call+1)}
	if !r.Equal(&answer.Question) {
		f.Detail = harderHasSolution
		f.Observed += fmt.Sprintf(", and %d in call %d", 30-s.status, r.Call+1)
		f.Expected = "two answers that may both be right"
		f.Known = fmt.Sprintf("calls %d and %d: the formula said to be true implies the other", r.Call+1, s.call+1)
	}
	j.decideBy(in, f)
}
