package oracle

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
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
	for _, l := range in.assumed {
		if in.vars.all[l.index()].hidden {
			f.note(j, in, q, l, map[int32]failure{0: didNotFail, 1: didFail}[got])
			return
		}
	}
	if got == 1 {
		f.wrong(j, in, q, "no constraint", "constraint-failed answered 1", "0: there was no constraint",
			fmt.Sprintf("the calls before call %d", in.now.call+1))
	}
}

func (f failedCheck) failed(j *Judge, in *instance, q *query) {
	asked := j.t.Lit(q.c)
	l := in.vars.literal(asked)
	got := int32(q.a.Num)
	switch {
	case !in.isAssumed(l):
		if got != 0 && j.rules.failedOnlyAssumptions {
			f.wrong(j, in, q, "not an assumption", fmt.Sprintf("failed %d answered %d", asked, got), "0: it was not assumed",
				"policy failed-non-assumption = zero")
		}
	case got == 0:
		f.note(j, in, q, l, didNotFail)
	case got == 1:
		f.note(j, in, q, l, didFail)
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
		index := in.vars.find(trace.Var(number))
		sign := signOf(number)
		if index < 0 || !in.isAssumed(lit(index<<1|sign)) {
			f.wrong(j, in, q, "not an assumption", fmt.Sprintf("the core holds %d", number),
				"assumptions of the last solve only", fmt.Sprintf("the assumptions of call %d", in.now.call+1))
			continue
		}
		in.vars.all[index].failedIn[sign] = j.queries
		f.note(j, in, q, lit(index<<1|sign), didFail)
	}
	for _, l := range in.assumed {
		if v := &in.vars.all[l.index()]; !v.hidden && v.failedIn[l.sign()] != j.queries {
			f.note(j, in, q, l, didNotFail)
		}
	}
}

func (f failedCheck) note(j *Judge, in *instance, q *query, l lit, got failure) {
	had := &in.vars.all[l.index()].failed[l.sign()]
	switch *had {
	case notTold:
		*had = got
		in.now.coreCall = q.call
	case got:
		j.decide()
	case toldBoth:
	default:
		*had = toldBoth
		f.wrong(j, in, q, "failed and not failed",
			fmt.Sprintf("assumption %d failed in one answer and not in another", in.vars.numberOf(l)),
			"one answer for one solve", fmt.Sprintf("the answers since call %d", in.now.call+1))
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
	s := &in.now
	if s.status != apimodel.Unsatisfiable || s.coreCall < 0 || s.truth.feasible == yes {
		return // the status is already a finding, and no set of assumptions is a core
	}
	known := ""
	if !in.beyond {
		j.decide()
		k := in.assumptions(provedInnocent)
		if !in.feasible.Has(&k) {
			return
		}
		known = fmt.Sprintf("%s; one solution: %s", in.searched(),
			in.assignmentText(in.feasible.First(&k)))
	} else {
		j.scratch = j.scratch[:0]
		for _, l := range in.assumed {
			if !provedInnocent(&in.vars.all[l.index()], l.sign()) {
				j.scratch = append(j.scratch, l)
			}
		}
		if call, found := in.models.anyFulfils(in, j.scratch); found {
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
func provedInnocent(v *variable, sign int) bool { return v.failed[sign] == didNotFail }

func (in *instance) coreText() string {
	var b strings.Builder
	for _, l := range in.assumed {
		v := &in.vars.all[l.index()]
		if v.hidden {
			if v.failed[l.sign()] != didNotFail {
				b.WriteString("and the constraint ")
			}
			continue
		}
		switch v.failed[l.sign()] {
		case didFail:
			fmt.Fprintf(&b, "%d ", in.vars.numberOf(l))
		case notTold, toldBoth:
			fmt.Fprintf(&b, "(%d) ", in.vars.numberOf(l))
		}
	}
	if b.Len() == 0 {
		return "none"
	}
	return strings.TrimSpace(b.String())
}
