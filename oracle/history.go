package oracle

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A history keeps what an instance answered to its last solves, for the checks
// that compare answers with each other. They need no reference and work for
// problems of any size.
type history struct {
	of      [8]record
	used    int
	next    int
	current record
}

// A record is one answer of solve: the problem, what the answer claims of it, and
// what is known for certain.
type record struct {
	call, last int // the solve; the last query that said something of its answer
	status     int32
	clauses    int    // the hard clauses were the first so many
	weights    uint32 // the version of the weights
	assumed    []lit  // sorted
	objective  told   // not contested
	decided    bool   // proven right or wrong

	none bool // claims that there is no solution

	exists bool // claims a solution
	holds  bool // its values were checked: there is one
	priced bool // cost is what it claims the solution to cost
	exact  bool // cost is what its values were found to cost
	cost   uint64

	// Of an answer that claims an optimum: no solution costs less than claim,
	// and the fault that it is when one does.
	claims bool
	claim  uint64
	class  Class
	detail string
}

func (h *history) reset() { h.used, h.next = 0, 0 }

// sameProblem reports whether the two records are of one problem.
func (r *record) sameProblem(o *record) bool {
	return r.clauses == o.clauses && r.weights == o.weights && slices.Equal(r.assumed, o.assumed)
}

// isHarderThan reports whether every solution of r's problem is one of o's. The
// weights may differ. Clauses are never taken back.
func (r *record) isHarderThan(o *record) bool {
	return r.clauses >= o.clauses && isSubset(o.assumed, r.assumed)
}

func isSubset(small, large []lit) bool {
	for _, l := range small {
		i, found := slices.BinarySearch(large, l)
		if !found {
			return false
		}
		large = large[i+1:]
	}
	return true
}

// record returns the record of the answer that is being judged, made when the
// first check asks for it: those come behind the checks of the answer alone.
func (in *instance) record(j *Judge) *record {
	if !in.now.recorded {
		in.now.recorded = true
		in.history.note(j, in)
	}
	return &in.history.current
}

func (h *history) note(j *Judge, in *instance) {
	s, m := &in.now, &in.now.model
	slices.Sort(in.assumed)
	r := &h.current
	*r = record{call: s.call, last: s.lastCall(), status: s.status, clauses: len(in.ends), weights: in.weightVersion,
		assumed: append(r.assumed[:0], in.assumed...), decided: s.truth.decided,
		none: s.status == apimodel.Unsatisfied, exists: s.solution}
	if s.objective.known && !s.objective.contested {
		r.objective = s.objective
		r.last = max(r.last, s.objective.call)
	}
	r.holds = s.solution && m.holds == yes && s.truth.feasible != no
	if !j.weighted || in.sumHi != 0 || !j.weightsClear(in) {
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
		r.claims, r.claim, r.class, r.detail = true, r.objective.value, OneValueDiffers, objectiveNotOptimal
	case !r.objective.known && r.exact:
		r.claims, r.claim, r.class, r.detail = true, m.cost, OneValueDiffers, modelNotOptimal
	}
}

// keep stores the current record, or adds what it knows to the one of the same
// problem.
func (h *history) keep() {
	r := &h.current
	if !r.none && !r.exists {
		return
	}
	for i := range h.used {
		if o := &h.of[i]; o.sameProblem(r) && o.status == r.status {
			if !o.objective.known {
				o.objective = r.objective
			}
			if o.exact || !r.exact {
				return
			}
		}
	}
	o := &h.of[h.next]
	assumed := append(o.assumed[:0], r.assumed...)
	*o = *r
	o.assumed = assumed
	h.used = max(h.used, h.next+1)
	h.next = (h.next + 1) % len(h.of)
}
