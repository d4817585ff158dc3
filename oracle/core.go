package oracle

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

// failedCheck records the answers of failed, core and constraint-failed, and reports contradictions between them.
// coreCheck decides whether the failed assumptions are a core.
type failedCheck struct{}

func (f failedCheck) query(j *Judge, in *instance, q *query) {
	switch reply := q.c.Op.Reply(); {
	case reply == apimodel.ReplyCore:
		f.core(j, in, q)
	case reply == apimodel.ReplyFlag && q.c.Op.HasLits():
		f.failed(j, in, q)
	case reply == apimodel.ReplyFlag:
		f.constraint(j, in, q)
	}
}

// constraint records an answer about the constraint as an answer about its hidden assumption. If
// there is no constraint, the only right answer is 0.
func (f failedCheck) constraint(j *Judge, in *instance, q *query) {
	got := int32(q.a.Num)
	if got != 0 && got != 1 {
		f.wrong(j, in, q, "neither 0 nor 1", fmt.Sprintf("constraint-failed answered %d", got), "0 or 1", "the interface")
		return
	}
	for _, l := range in.Assumed {
		if in.Vars.All[l.Index()].Hidden {
			f.note(j, in, q, l, map[int32]problem.Failure{0: problem.DidNotFail, 1: problem.DidFail}[got])
			return
		}
	}
	if got == 1 {
		f.wrong(j, in, q, "no constraint", "constraint-failed answered 1", "0: there was no constraint",
			fmt.Sprintf("the calls before call %d", in.answer.call+1))
	}
}

func (f failedCheck) failed(j *Judge, in *instance, q *query) {
	asked := j.t.Lit(q.c)
	l := in.Vars.Literal(asked)
	got := int32(q.a.Num)
	switch {
	case !in.IsAssumed(l):
		if got != 0 && j.rules.failedOnlyAssumptions {
			f.wrong(j, in, q, "not an assumption", fmt.Sprintf("failed %d answered %d", asked, got), "0: it was not assumed",
				"policy failed-non-assumption = zero")
		}
	case got == 0:
		f.note(j, in, q, l, problem.DidNotFail)
	case got == 1:
		f.note(j, in, q, l, problem.DidFail)
	default:
		f.wrong(j, in, q, "neither 0 nor 1", fmt.Sprintf("failed %d answered %d", asked, got), "0 or 1", "the interface")
	}
}

// core records one answer for every assumption: those that the core does not list did not fail. If the library answered
// neither 0 nor 1 for some assumption, core reports that and concludes nothing else from the answer.
func (f failedCheck) core(j *Judge, in *instance, q *query) {
	if q.a.Strange {
		f.wrong(j, in, q, "neither 0 nor 1", "a failed of the core answered neither 0 nor 1", "0 or 1", "the interface")
		return
	}
	j.queries++
	for _, number := range j.run.Answers.ListOf(q.a) {
		index := in.Vars.Find(trace.Var(number))
		sign := problem.SignOf(number)
		if index < 0 || !in.IsAssumed(problem.Lit(index<<1|sign)) {
			f.wrong(j, in, q, "not an assumption", fmt.Sprintf("the core holds %d", number),
				"assumptions of the last solve only", fmt.Sprintf("the assumptions of call %d", in.answer.call+1))
			continue
		}
		in.Vars.All[index].FailedIn[sign] = j.queries
		f.note(j, in, q, problem.Lit(index<<1|sign), problem.DidFail)
	}
	for _, l := range in.Assumed {
		if v := &in.Vars.All[l.Index()]; !v.Hidden && v.FailedIn[l.Sign()] != j.queries {
			f.note(j, in, q, l, problem.DidNotFail)
		}
	}
}

func (f failedCheck) note(j *Judge, in *instance, q *query, l problem.Lit, got problem.Failure) {
	had := &in.Vars.All[l.Index()].Failed[l.Sign()]
	switch *had {
	case problem.NotTold:
		*had = got
		in.answer.coreCall = q.call
	case got:
		j.decide()
	case problem.ToldBoth:
	default:
		*had = problem.ToldBoth
		f.wrong(j, in, q, "failed and not failed",
			fmt.Sprintf("assumption %d failed in one answer and not in another", in.Vars.NumberOf(l)),
			"one answer for one solve", fmt.Sprintf("the answers since call %d", in.answer.call+1))
	}
}

func (failedCheck) wrong(j *Judge, in *instance, q *query, detail, observed, expected, known string) {
	j.decideBy(in, Finding{Class: WrongCore, Call: q.call, Detail: detail, Observed: observed, Expected: expected,
		Known: known})
}

// coreCheck checks that the clauses and the failed assumptions together are unsatisfiable. Assumptions that the
// client did not ask about may have failed, so coreCheck takes all but those that are known not to have failed.
type coreCheck struct{}

func (coreCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if s.status != apimodel.Unsatisfiable || s.coreCall < 0 || s.truth.feasible == yes {
		return // the status is already a finding, and no set of assumptions is a core
	}
	known := ""
	if !in.Beyond {
		j.decide()
		k := in.Assumptions(provedInnocent)
		if !in.Feasible.Has(&k) {
			return
		}
		known = fmt.Sprintf("%s; one solution: %s", in.Searched(),
			in.AssignmentText(in.Feasible.First(&k)))
	} else {
		j.scratch = j.scratch[:0]
		for _, l := range in.Assumed {
			if !provedInnocent(&in.Vars.All[l.Index()], l.Sign()) {
				j.scratch = append(j.scratch, l)
			}
		}
		if call, found := in.models.AnyFulfils(&in.Problem, j.scratch); found {
			known = knownSolutionCheck{}.explain(j, in, proof{call: call})
		} else if answer, ok := j.refer(in, j.scratch, false); ok && answer.Status == reference.Satisfiable {
			known = byReference
		} else {
			if ok {
				j.decide()
			}
			return
		}
		j.decide()
	}
	j.report(in, Finding{Class: WrongCore, Call: s.coreCall, Detail: "not a core",
		Observed: "failed assumptions: " + in.coreText(), Expected: "assumptions that contradict the clauses", Known: known})
}

// provedInnocent reports whether an assumption is known not to have failed.
func provedInnocent(v *problem.Variable, sign int) bool { return v.Failed[sign] == problem.DidNotFail }

func (in *instance) coreText() string {
	var b strings.Builder
	for _, l := range in.Assumed {
		v := &in.Vars.All[l.Index()]
		if v.Hidden {
			if v.Failed[l.Sign()] != problem.DidNotFail {
				b.WriteString("and the constraint ")
			}
			continue
		}
		switch v.Failed[l.Sign()] {
		case problem.DidFail:
			fmt.Fprintf(&b, "%d ", in.Vars.NumberOf(l))
		case problem.NotTold, problem.ToldBoth:
			fmt.Fprintf(&b, "(%d) ", in.Vars.NumberOf(l))
		}
	}
	if b.Len() == 0 {
		return "none"
	}
	return strings.TrimSpace(b.String())
}
