package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// countCheck looks at the answers of enumerate: the two counts must agree, and
// where exhaustive search knows how many solutions there are, be that number.
type countCheck struct{}

func (countCheck) name() string { return "count" }

func (countCheck) explain(_ *Judge, in *instance, _ proof) string {
	return fmt.Sprintf("exhaustive search over %d variables", in.feasible.Dims())
}

func (countCheck) fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer) {
	if c.Op != apimodel.OpEnumerate {
		return
	}
	most, one, other := uint32(c.Num), uint32(a.Num), uint32(a.Num>>32)
	right, known := in.solutions(&j.budget)
	right = min(right, uint64(most))
	f := Finding{Call: call, Observed: fmt.Sprintf("%d solutions one way, %d the other", one, other),
		Expected: "the same number twice", Known: "the answer contradicts itself"}
	if known {
		j.decide()
		f.Expected = fmt.Sprintf("%d solutions", right)
		f.Known = j.known(in, j.proof(call))
	}
	switch {
	case one != other:
		f.Class, f.Detail = AnswersDiffer, "counts of solutions"
	case known && uint64(one) > right, one > most:
		f.Class, f.Detail = ClaimsSolution, "counts too many solutions"
	case known && uint64(one) < right:
		f.Class, f.Detail = ClaimsNoSolution, "counts too few solutions"
	default:
		return
	}
	j.reportOf(in, -1, f)
}

// solutions counts the assignments of the variables in clauses that fulfil all
// clauses, when it can.
func (in *instance) solutions(b *searchBudget) (uint64, bool) {
	if in.emptyClause {
		return 0, true
	}
	if in.beyond || !b.spend(in.feasible.Words()) {
		return 0, false
	}
	return in.feasible.Count(), true
}
