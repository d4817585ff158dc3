package oracle

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// coreCheck looks at the failed assumptions: together with the clauses they
// must be unsatisfiable. Assumptions that were not asked about may all have
// failed, so what is checked is the assumptions without those that are known
// not to have; that set only gets smaller with every question.
type coreCheck struct{}

func (coreCheck) name() string { return "core" }

func (coreCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if s.status != apimodel.Unsatisfied || s.coreCall < 0 || s.truth.feasible == yes {
		return // wrongly unsatisfiable is a finding already, and no set would be a core
	}
	known := ""
	if !in.beyond {
		j.decide()
		k := in.assumptions(provedInnocent)
		if !in.feasible.Has(&k) {
			return
		}
		known = fmt.Sprintf("exhaustive search over %d variables; one solution: %s", in.feasible.Dims(), in.assignmentText(in.feasible.First(&k)))
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
