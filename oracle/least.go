package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
)

// leastCheck is for a target that promises solutions with as few true variables
// as there can be (policy solutions = least): exhaustive search knows how few.
type leastCheck struct{}

func (leastCheck) name() string { return "least" }

func (leastCheck) concerns(j *Judge) bool { return j.rules.leastTrue && !j.weighted }

func (leastCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if s.status != apimodel.Satisfiable || in.beyond || s.model.holds != yes {
		return
	}
	var ones cube.Costs
	told := uint64(0)
	for i := range in.vars.all {
		v := &in.vars.all[i]
		if v.dim < 0 {
			continue
		}
		switch in.valueOf(i) {
		case isTrue:
			told++
		case isFalse, isZero: // what is not important may be false
		default:
			return // not asked for
		}
		ones.Add(v.dim, [2]uint64{1, 0})
	}
	ones.Finish()
	j.decide()
	if least := ones.Least(&in.feasible, &s.truth.condition, cube.NoCost); least < told {
		j.report(in, Finding{Class: NotOptimal, Call: s.lastCall(), Detail: "more true variables than needed",
			Observed: fmt.Sprintf("%d variables are true: %s", told, in.valuesText()), Expected: fmt.Sprintf("%d", least),
			Known: fmt.Sprintf("exhaustive search over %d variables", in.feasible.Dims())})
	}
}
