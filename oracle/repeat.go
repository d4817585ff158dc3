package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// repeatCheck compares solves of the same problem: same clauses, same weights,
// same assumptions, both run to their end.
type repeatCheck struct{}

func (repeatCheck) name() string { return "repeat" }

func (repeatCheck) answer(j *Judge, in *instance) {
	s := &in.now
	final := func(status int32) bool {
		return status == apimodel.Unsatisfied || status == apimodel.Optimum || !j.weighted && status == apimodel.Satisfiable
	}
	if !final(s.status) {
		return
	}
	now := in.record(j)
	for i := range in.history.used {
		r := &in.history.of[i]
		if !final(r.status) || !r.sameProblem(now) {
			continue
		}
		j.decide()
		if r.status != s.status {
			j.report(in, Finding{Class: AnswersDiffer, Call: s.call, Detail: "status",
				Observed: fmt.Sprintf("status %d", s.status), Expected: fmt.Sprintf("status %d, as before", r.status),
				Known: fmt.Sprintf("the answer to call %d: the same problem", r.call)})
			return
		}
		if !s.optimal || !now.objective.known || in.sumHi != 0 || !j.weightsClear(in) {
			return
		}
		if !r.objective.known {
			continue
		}
		if r.objective.value != now.objective.value {
			j.report(in, Finding{Class: AnswersDiffer, Call: now.objective.call, Detail: "objective",
				Observed: fmt.Sprintf("objective %d", now.objective.value), Expected: fmt.Sprintf("objective %d, as before", r.objective.value),
				Known: fmt.Sprintf("the answer to call %d: the same problem", r.objective.call)})
		}
		return
	}
}
