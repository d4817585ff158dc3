package oracle

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// repeatCheck compares solves of the same problem: same clauses, same weights,
// same assumptions, both run to their end. It knows nothing about the problem
// and works for any size.
type repeatCheck struct{}

func (repeatCheck) name() string { return "repeat" }

func (repeatCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if s.status != apimodel.Unsatisfied && (j.weighted || s.status != apimodel.Satisfiable) && !s.optimal {
		return
	}
	rs := &in.records
	if rs.version != in.version {
		rs.version, rs.used = in.version, 0
	}
	slices.Sort(in.assumed)
	for i := range rs.used {
		r := &rs.of[i]
		if !slices.Equal(r.assumed, in.assumed) {
			continue
		}
		if r.status != s.status {
			j.decide()
			j.report(in, Finding{Class: AnswersDiffer, Call: s.call, Detail: "status",
				Observed: fmt.Sprintf("status %d", s.status), Expected: fmt.Sprintf("status %d, as before", r.status),
				Known: fmt.Sprintf("the answer to call %d: the same problem", r.call)})
			return
		}
		if !s.optimal || !s.objective.known || s.objective.contested || !j.weightsClear(in) {
			j.decide()
			return
		}
		if !r.objective.known {
			r.objective = s.objective
			return
		}
		j.decide()
		if r.objective.value != s.objective.value {
			j.report(in, Finding{Class: AnswersDiffer, Call: s.objective.call, Detail: "objective",
				Observed: fmt.Sprintf("objective %d", s.objective.value), Expected: fmt.Sprintf("objective %d, as before", r.objective.value),
				Known: fmt.Sprintf("the answer to call %d: the same problem", r.objective.call)})
		}
		return
	}
	if rs.used < len(rs.of) {
		r := &rs.of[rs.used]
		rs.used++
		r.call, r.status = s.call, s.status
		r.assumed = append(r.assumed[:0], in.assumed...)
		r.objective = s.objective
		r.objective.known = s.optimal && s.objective.known && !s.objective.contested
	}
}

// A recordStore keeps the first few different solves of one version of the
// formula.
type recordStore struct {
	version uint32
	of      [8]record
	used    int
}

type record struct {
	call      int
	status    int32
	assumed   []lit
	objective told
}

func (rs *recordStore) reset() { rs.used = 0 }
