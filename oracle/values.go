package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/trace"
)

// valueCheck records the answers of val, model and obj, and reports contradictions: two values of one variable, two
// objectives of one solution, a number that is not a value of the literal. From then on, a contradicted value counts as
// unknown, so that no check concludes anything from it.
type valueCheck struct{}

func (v valueCheck) query(j *Judge, in *instance, q *query) {
	switch q.c.Op.Reply() {
	case apimodel.ReplyLit:
		v.val(j, in, q)
	case apimodel.ReplyModel:
		v.model(j, in, q)
	case apimodel.ReplyWeight:
		v.obj(j, in, q)
	}
}

// fact reports a signature that is NULL, because clients use it as a text.
func (valueCheck) fact(j *Judge, _ *instance, call int, c *trace.Call, a *trace.Answer) {
	if c.Op == apimodel.OpSignature && a.Strange {
		j.report(nil, Finding{Class: ValuesDisagree, Call: call, Detail: "no signature", Observed: "signature returned NULL",
			Expected: "the name and the version of the library", Known: "the interface"})
	}
}

func (v valueCheck) val(j *Judge, in *instance, q *query) {
	asked := j.t.Lit(q.c)
	l := in.Vars.Literal(asked)
	got := int32(q.a.Num)
	if q.unseen && got != 0 && j.rules.unseenIsZero {
		j.decideBy(in, Finding{Class: ValuesDisagree, Call: q.call, Detail: "value of an unseen variable",
			Observed: fmt.Sprintf("val %d answered %d", asked, got),
			Expected: "0: no call named the variable before", Known: "policy unseen-val = zero"})
	}
	switch got {
	case 0:
		v.note(j, in, q, l.Index(), problem.Zero)
	case asked:
		v.note(j, in, q, l.Index(), problem.TrueOf(l.Sign()))
	case -asked:
		v.note(j, in, q, l.Index(), problem.TrueOf(1-l.Sign()))
	default:
		j.decideBy(in, Finding{Class: ValuesDisagree, Call: q.call, Detail: "no value of its literal",
			Observed: fmt.Sprintf("val %d answered %d", asked, got),
			Expected: fmt.Sprintf("%d, %d or 0", asked, -asked), Known: "the interface"})
	}
}

// note records a value and compares it with earlier answers.
func (v valueCheck) note(j *Judge, in *instance, q *query, index int, got problem.Value) {
	s := &in.answer
	had := in.ValueOf(index)
	switch {
	case had == problem.Unasked:
		in.SetValue(index, got)
		s.hasValues, s.valuesCall = true, q.call
	case had == got:
		j.decide()
	case had == problem.Contested:
	case in.Vars.All[index].Life != in.Life && !j.rules.unseenIsConsistent: // only queries named it
	case had == problem.Zero || got == problem.Zero:
		if !j.rules.zeroValueConsistent {
			if got.Known() {
				in.SetValue(index, got)
				s.valuesCall = q.call
			}
			return
		}
		v.contradiction(j, in, q, index, "0 and a value", had, got)
	default:
		v.contradiction(j, in, q, index, "true and false", had, got)
	}
}

func (valueCheck) contradiction(j *Judge, in *instance, q *query, index int, detail string, had, got problem.Value) {
	in.SetValue(index, problem.Contested)
	if j.ofQuantified && !j.rules.otherValuesAreZero && !in.hasOuterValue(index) {
		return
	}
	j.decide()
	says := [...]string{problem.True: "true", problem.False: "false", problem.Zero: "not important (0)"}
	j.report(in, Finding{Class: ValuesDisagree, Call: q.call, Detail: detail,
		Observed: fmt.Sprintf("variable %d is %s, and was %s before", in.Vars.All[index].Number, says[got], says[had]),
		Expected: "one value in one solution", Known: fmt.Sprintf("the answers since call %d", in.answer.call+1)})
}

// model records the values of all variables that the calls and queries of this life named. A variable that the answer
// lacks is "not important", unless some val answered a number that is not a value of its literal: that may be the val
// of this variable.
func (v valueCheck) model(j *Judge, in *instance, q *query) {
	lits := j.run.Answers.ListOf(q.a)
	j.queries++
	listed, foreign := 0, 0
	for _, number := range lits {
		index := in.Vars.Find(trace.Var(number))
		if index < 0 {
			foreign++
			continue
		}
		if w := &in.Vars.All[index]; w.ListedIn != j.queries {
			w.ListedIn = j.queries
			listed++
		}
		sign := problem.SignOf(number)
		v.note(j, in, q, index, problem.TrueOf(sign))
	}
	if q.a.Strange {
		j.decideBy(in, Finding{Class: ValuesDisagree, Call: q.call, Detail: "no value of its literal",
			Observed: "a val of the model answered neither its literal nor the negation nor 0",
			Expected: "one of the three", Known: "the interface"})
	} else if listed < len(in.Vars.All) {
		for index := range in.Vars.All {
			w := &in.Vars.All[index]
			if w.ListedIn != j.queries && (w.Life == in.Life || w.Queried == in.Life) {
				v.note(j, in, q, index, problem.Zero)
			}
		}
	}
	if foreign > 9*len(in.Vars.All) {
		j.decideBy(in, Finding{Class: ModelTooBig, Call: q.call, Detail: "unnamed variables",
			Observed: fmt.Sprintf("%d literals, %d of them of variables that were never named", len(lits), foreign),
			Expected: fmt.Sprintf("at most %d variables", len(in.Vars.All)), Known: "the calls of the trace"})
	}
}

func (valueCheck) obj(j *Judge, in *instance, q *query) {
	o := &in.answer.objective
	switch {
	case !o.known:
		*o = told{known: true, value: q.a.Num, call: q.call}
	case o.value == q.a.Num:
		j.decide()
	case !o.contested:
		o.contested = true
		j.decideBy(in, Finding{Class: ValuesDisagree, Call: q.call, Detail: "two objectives",
			Observed: fmt.Sprintf("obj answered %d, and %d before", q.a.Num, o.value),
			Expected: "one objective of one solution", Known: fmt.Sprintf("the answer to call %d", o.call+1)})
	}
}
