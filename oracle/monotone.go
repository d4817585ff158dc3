package oracle

import "fmt"

// monotoneCheck compares solves of problems of which one is harder: it has the
// other's clauses and assumptions and perhaps more. What solves the harder one
// solves the easier one, so adding a clause or an assumption never brings a
// solution and never lowers the optimum. When the solution was checked, the
// answer about the easier problem is proven wrong; otherwise the two answers
// contradict each other.
type monotoneCheck struct{}

func (monotoneCheck) name() string { return "monotone" }

func (c monotoneCheck) answer(j *Judge, in *instance) {
	now := in.record(j)
	for i := range in.history.used {
		r := &in.history.of[i]
		if r.decided && now.decided {
			continue
		}
		if now.isHarderThan(r) && c.compare(j, in, now, r) || r.isHarderThan(now) && c.compare(j, in, r, now) {
			return
		}
	}
}

// compare reports what the answer about a harder problem says against the one
// about an easier problem.
func (c monotoneCheck) compare(j *Judge, in *instance, harder, easier *record) bool {
	if !harder.exists || easier.decided {
		return false
	}
	var f Finding
	costs := harder.weights == easier.weights && harder.priced && easier.claims && harder.cost < easier.claim
	switch {
	case easier.none && harder.holds:
		f.Class, f.Detail = ClaimsNoSolution, claimsNoSolution
		f.Observed = fmt.Sprintf("status 20 in call %d", easier.call)
		f.Expected = fmt.Sprintf("a solution: that of call %d", harder.call)
	case costs && harder.exact:
		f.Class, f.Detail = easier.class, easier.detail
		f.Observed = fmt.Sprintf("optimum %d claimed in call %d", easier.claim, easier.call)
		f.Expected = fmt.Sprintf("at most %d, the cost of the solution of call %d", harder.cost, harder.call)
	case harder.sameProblem(easier):
		return false // repeat compares these
	case easier.none:
		f.Class, f.Detail = AnswersDiffer, "a harder problem has a solution"
		f.Observed = fmt.Sprintf("status %d in call %d, status 20 in call %d", harder.status, harder.call, easier.call)
		f.Expected = fmt.Sprintf("no solution in call %d, or one in call %d", harder.call, easier.call)
	case costs:
		f.Class, f.Detail = AnswersDiffer, "a harder problem is cheaper"
		f.Observed = fmt.Sprintf("a solution that costs %d in call %d, optimum %d in call %d", harder.cost, harder.call, easier.claim, easier.call)
		f.Expected = fmt.Sprintf("at least as much in call %d as in call %d", harder.call, easier.call)
	default:
		return false
	}
	f.Call = in.history.current.last
	f.Known = fmt.Sprintf("all clauses and assumptions of call %d hold in call %d", easier.call, harder.call)
	if harder.holds && f.Class != AnswersDiffer {
		f.Known += fmt.Sprintf(", and the values of call %d were checked against them", harder.call)
	}
	solve := harder.call
	if f.Class != AnswersDiffer {
		solve = easier.call
		easier.decided = true // said once
	}
	j.decide()
	j.reportOf(in, solve, f)
	return true
}
