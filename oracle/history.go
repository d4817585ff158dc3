package oracle

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
)

// A history keeps the last answers of an instance, for checks that compare answers. These need no reference and
// work for problems of any size.
type history struct {
	records [8]record
	used    int
	next    int
	current record
}

// A record is one answer of solve: the problem, what the answer claims, and what is proven.
type record struct {
	call, last int // the solve; the last query that told something about its answer
	status     int32
	clauses    int           // the number of hard clauses then
	weights    uint32        // the version of the weights
	assumed    []problem.Lit // sorted
	objective  told          // not contested
	decided    bool          // proven right or wrong

	none bool // claims that there is no solution

	exists bool // claims a solution
	holds  bool // its values were checked: there is one
	priced bool // cost is the cost that it claims
	exact  bool // cost is the computed cost of its values
	cost   uint64

	// For an answer that claims an optimum: if a solution costs less than claim, the answer is a failure of
	// this class and detail.
	claims bool
	claim  uint64
	class  Class
	detail string
}

func (h *history) reset() { h.used, h.next = 0, 0 }

func (r *record) sameProblem(o *record) bool {
	return r.clauses == o.clauses && r.weights == o.weights && slices.Equal(r.assumed, o.assumed)
}

// isHarderThan reports whether every solution of r's problem also solves o's. As no call removes a clause, it
// compares only their numbers. The weights may differ.
func (r *record) isHarderThan(o *record) bool {
	return r.clauses >= o.clauses && isSubset(o.assumed, r.assumed)
}

func isSubset(small, large []problem.Lit) bool {
	for _, l := range small {
		i, found := slices.BinarySearch(large, l)
		if !found {
			return false
		}
		large = large[i+1:]
	}
	return true
}

// record returns the record of the current answer. It makes the record when the first check asks for it, after
// the checks of the answer by itself.
func (in *instance) record(j *Judge) *record {
	if !in.answer.recorded {
		in.answer.recorded = true
		in.history.note(j, in)
	}
	return &in.history.current
}

func (h *history) note(j *Judge, in *instance) {
	s, m := &in.answer, &in.answer.model
	slices.Sort(in.Assumed)
	r := &h.current
	*r = record{call: s.call, last: s.lastCall(), status: s.status, clauses: len(in.Ends), weights: in.WeightVersion,
		assumed: append(r.assumed[:0], in.Assumed...), decided: s.truth.decided,
		none: s.status == apimodel.Unsatisfiable, exists: s.solution}
	if s.objective.known && !s.objective.contested {
		r.objective = s.objective
		r.last = max(r.last, s.objective.call)
	}
	r.holds = s.solution && m.holds == yes && s.truth.feasible != no
	if !j.weighted || in.SumHi != 0 || !j.weightsClear(in) {
		return
	}
	if r.exact = r.holds && m.exact && m.hi == 0; r.exact {
		r.priced, r.cost = true, m.cost
	} else if r.objective.known && s.solution {
		r.priced, r.cost = true, r.objective.value
	}
	if !s.optimal {
		return
	}
	switch agree := m.fits == yes || r.exact && m.cost == r.objective.value; {
	case r.objective.known && agree:
		r.claims, r.claim, r.class, r.detail = true, r.objective.value, NotOptimal, notOptimal
	case r.objective.known && !r.exact && m.fits != no:
		r.claims, r.claim, r.class, r.detail = true, r.objective.value, OneValueDiffers, ObjectiveNotOptimal
	case !r.objective.known && r.exact:
		r.claims, r.claim, r.class, r.detail = true, m.cost, OneValueDiffers, modelNotOptimal
	}
}

// keep stores the current record, or adds its knowledge to the record of the same problem.
func (h *history) keep() {
	r := &h.current
	if !r.none && !r.exists {
		return
	}
	for i := range h.used {
		if o := &h.records[i]; o.sameProblem(r) && o.status == r.status {
			if !o.objective.known {
				o.objective = r.objective
			}
			if o.exact || !r.exact {
				return
			}
		}
	}
	o := &h.records[h.next]
	assumed := append(o.assumed[:0], r.assumed...)
	*o = *r
	o.assumed = assumed
	h.used = max(h.used, h.next+1)
	h.next = (h.next + 1) % len(h.records)
}

// repeatCheck compares solves of the same problem (clauses, weights, assumptions) that ran to their end.
type repeatCheck struct{}

func (repeatCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	final := func(status int32) bool {
		return status == apimodel.Unsatisfiable || status == apimodel.Optimum || !j.weighted && status == apimodel.Satisfiable
	}
	if !final(s.status) {
		return
	}
	current := in.record(j)
	for i := range in.history.used {
		r := &in.history.records[i]
		if !final(r.status) || !r.sameProblem(current) {
			continue
		}
		j.decide()
		if r.status != s.status {
			j.report(in, Finding{Class: AnswersDiffer, Call: s.call, Detail: "status",
				Observed: fmt.Sprintf("status %d", s.status), Expected: fmt.Sprintf("status %d, as before", r.status),
				Known: fmt.Sprintf("the answer to call %d: the same problem", r.call+1)})
			return
		}
		if !s.optimal || !current.objective.known || in.SumHi != 0 || !j.weightsClear(in) {
			return
		}
		if !r.objective.known {
			continue
		}
		if r.objective.value != current.objective.value {
			j.report(in, Finding{Class: AnswersDiffer, Call: current.objective.call, Detail: "objective",
				Observed: fmt.Sprintf("objective %d", current.objective.value),
				Expected: fmt.Sprintf("objective %d, as before", r.objective.value),
				Known:    fmt.Sprintf("the answer to call %d: the same problem", r.objective.call+1)})
		}
		return
	}
}

// monotoneCheck compares solves of two problems if one is harder: it has all clauses and assumptions of the other,
// and perhaps more. A solution of the harder problem solves the easier one. So a clause or an assumption more never
// creates a solution and never lowers the optimum. If the solution was checked, the answer to the easier problem is
// proven wrong. Otherwise, the two answers contradict each other.
type monotoneCheck struct{}

func (c monotoneCheck) answer(j *Judge, in *instance) {
	own := in.record(j)
	for i := range in.history.used {
		r := &in.history.records[i]
		if r.decided && own.decided {
			continue
		}
		if own.isHarderThan(r) && c.compare(j, in, own, r) || r.isHarderThan(own) && c.compare(j, in, r, own) {
			return
		}
	}
}

// compare reports a contradiction between the answers to a harder and an easier problem.
func (c monotoneCheck) compare(j *Judge, in *instance, harder, easier *record) bool {
	if !harder.exists || easier.decided {
		return false
	}
	var f Finding
	hard, easy := harder.call+1, easier.call+1 // people count calls from 1
	costs := harder.weights == easier.weights && harder.priced && easier.claims && harder.cost < easier.claim
	switch {
	case easier.none && harder.holds:
		f.Class, f.Detail = ClaimsNoSolution, claimsNoSolution
		f.Observed = fmt.Sprintf("status 20 in call %d", easy)
		f.Expected = fmt.Sprintf("a solution: that of call %d", hard)
	case costs && harder.exact:
		f.Class, f.Detail = easier.class, easier.detail
		f.Observed = fmt.Sprintf("optimum %d claimed in call %d", easier.claim, easy)
		f.Expected = fmt.Sprintf("at most %d, the cost of the solution of call %d", harder.cost, hard)
	case harder.sameProblem(easier):
		return false // repeatCheck compares these
	case easier.none:
		f.Class, f.Detail = AnswersDiffer, harderHasSolution
		f.Observed = fmt.Sprintf("status %d in call %d, status 20 in call %d", harder.status, hard, easy)
		f.Expected = fmt.Sprintf("no solution in call %d, or one in call %d", hard, easy)
	case costs:
		f.Class, f.Detail = AnswersDiffer, "a harder problem is cheaper"
		f.Observed = fmt.Sprintf("a solution that costs %d in call %d, optimum %d in call %d", harder.cost, hard,
			easier.claim, easy)
		f.Expected = fmt.Sprintf("at least as much in call %d as in call %d", hard, easy)
	default:
		return false
	}
	f.Call = in.history.current.last
	f.Known = fmt.Sprintf("all clauses and assumptions of call %d hold in call %d", easy, hard)
	if harder.holds && f.Class != AnswersDiffer {
		f.Known += fmt.Sprintf(", and the values of call %d were checked against them", hard)
	}
	solve := harder.call
	if f.Class != AnswersDiffer {
		solve = easier.call
		easier.decided = true // reported once
	}
	j.decide()
	j.reportOf(in, solve, f)
	return true
}
