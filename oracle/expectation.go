package oracle

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// expectationCheck compares answers with the right ones in the trace. It is the last check of an answer, and trusts the
// trace only if no other check knows better.
type expectationCheck struct{}

func (expectationCheck) explain(_ *Judge, _ *instance, p proof) string {
	return fmt.Sprintf("what the trace expects of call %d", p.call+1)
}

// query records the right objective in the trace.
func (expectationCheck) query(j *Judge, in *instance, q *query) {
	if q.c.Op.Reply() != apimodel.ReplyWeight {
		return
	}
	want := j.t.Want.At(q.call)
	if w := &in.answer.wantObjective; want.Kind == trace.Answered && !w.known {
		*w = told{known: true, value: want.Num, call: q.call}
	}
}

func (e expectationCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	want := j.t.Want.At(s.call)
	expected := int32(want.Num)
	if want.Kind != trace.Answered {
		expected = s.status
	} else {
		e.status(j, in, expected)
	}
	if s.wantObjective.known && s.objective.known && !s.objective.contested {
		e.objective(j, in, s.optimal && expected == s.status)
	}
}

func (expectationCheck) status(j *Judge, in *instance, want int32) {
	s := &in.answer
	final := func(status int32) bool {
		return status == apimodel.Satisfiable || status == apimodel.Unsatisfiable || status == apimodel.Optimum && j.weighted
	}
	if want == s.status {
		// The status of an optimum says that there is a solution. Only the objective says whether it is
		// the cheapest.
		if final(want) && (!s.optimal || !s.hasValues && !s.objective.known) && !s.truth.decided {
			j.decide()
			s.truth.decided = true
		}
		return
	}
	proven := false
	wantsSolution := final(want) && want != apimodel.Unsatisfiable
	switch {
	case s.solution && want == apimodel.Unsatisfiable:
		if proven = s.truth.feasible == yes; s.truth.feasible == unknown {
			j.expected(in, Finding{Class: ClaimsSolution, Detail: claimsSolution}, want)
		}
	case s.status == apimodel.Unsatisfiable && wantsSolution:
		if proven = s.truth.feasible == no; s.truth.feasible == unknown {
			j.expected(in, Finding{Class: ClaimsNoSolution, Detail: claimsNoSolution}, want)
		}
	}
	j.mismatches = append(j.mismatches, Mismatch{Call: s.call, Want: fmt.Sprint(want), Got: fmt.Sprint(s.status),
		Proven: proven})
}

func (j *Judge) expected(in *instance, f Finding, want int32) {
	s := &in.answer
	j.decide()
	s.truth.decided = true
	f.Call = s.call
	f.Observed, f.Expected = fmt.Sprintf("status %d", s.status), fmt.Sprintf("status %d", want)
	f.Known = expectationCheck{}.explain(j, in, j.proof(s.call))
	j.report(in, f)
}

// objective compares the answer with the optimum in the trace as objectiveCheck does with the proven one, so that a
// failure has the same key either way. comparable is false for an interrupted search, whose objective may differ.
func (expectationCheck) objective(j *Judge, in *instance, comparable bool) {
	s := &in.answer
	want, got := s.wantObjective.value, s.objective.value
	least := s.truth.least
	disproven := least.known && least.cost != want || s.truth.atMost.known && s.truth.atMost.cost < want
	if comparable && !disproven && !s.truth.decided && s.truth.feasible != no && j.weightsClear(in) {
		expected := truth{feasible: s.truth.feasible, feasibleBy: s.truth.feasibleBy,
			least: bound{true, want, j.proof(s.wantObjective.call)}}
		objectiveCheck{}.compare(j, in, &expected)
	}
	if want != got {
		j.mismatches = append(j.mismatches, Mismatch{Call: s.objective.call, Want: fmt.Sprint(want), Got: fmt.Sprint(got),
			Proven: comparable && disproven})
	}
}

// compareExactly compares answers that no check compares with those in the trace. Two models of one formula may
// differ, so differences are mismatches and not findings.
func (j *Judge) compareExactly(i int, c *trace.Call, a *trace.Answer) {
	all, recorded := &j.t.Want, false
	if all.At(i).Kind == trace.NotAnswered {
		all, recorded = &j.t.Got, true
	}
	want := all.At(i)
	if want.Kind == trace.NotAnswered || a.Kind == trace.NotAnswered {
		return
	}
	reply := j.t.Model.Call(c.Op).Reply
	same := want.Kind == a.Kind
	if same && want.Kind == trace.Answered {
		switch reply {
		case apimodel.ReplyLit, apimodel.ReplyFlag, apimodel.ReplyCode:
			same = int32(want.Num) == int32(a.Num)
		case apimodel.ReplyStatus, apimodel.ReplyWeight: // expectationCheck compares the right ones
			same = !recorded || want.Num == a.Num
		case apimodel.ReplyModel, apimodel.ReplyCore:
			same = want.Strange == a.Strange && slices.Equal(all.ListOf(want), j.run.Answers.ListOf(a))
		case apimodel.ReplyText:
			same = want.Strange == a.Strange && all.TextOf(want) == j.run.Answers.TextOf(a)
		}
	}
	if !same {
		j.mismatches = append(j.mismatches, Mismatch{Call: i, Want: all.Show(want, reply),
			Got: j.run.Answers.Show(a, reply), Recorded: recorded})
	}
}
