package oracle

import "github.com/ipafuzz/ipafuzz/apimodel"

// A Solve is what a judge knows of one answer to solve, once everything that was
// asked about it is known. Comparing targets needs no more: the numbers of the
// published classification (o_solver, o_model and, over all targets, o_min) and
// what is proven.
type Solve struct {
	Call     int
	Instance uint16
	Status   int32
	Weight   WeightClass

	solution, optimal bool
	last              int // the last query that the verdict rests on
	clear             bool

	feasible   tri // proven by the target's own judge
	feasibleBy source
	atMost     known // the cheapest solution that is proven to exist: checked, and its cost computed here
	least      known // the proven optimum

	objective told  // o_solver
	model     known // o_model
	falsified bool  // the model was checked and is none
}

// A source says which answer of which check a proof rests on.
type source struct {
	check string
	call  int
}

// A known is a number, when it is known, and where it is from.
type known struct {
	known bool
	cost  uint64
	by    source
}

// Solves returns what is known of the answers to solve of the last judged run,
// in the order in which they were closed; nothing unless Config.Compared is set.
// The slice is valid until the next Judge.
func (j *Judge) Solves() []Solve { return j.kept }

func (j *Judge) solveOf(in *instance) Solve {
	s := &in.now
	v := Solve{Call: s.call, Instance: in.id, Status: s.status, Weight: NoWeights,
		solution: s.solution, optimal: s.optimal, last: s.lastCall(),
		feasible: s.truth.feasible, feasibleBy: j.sourceOf(s.truth.feasibleBy),
		falsified: s.model.holds == no}
	if !j.weighted {
		return v
	}
	v.Weight = in.weightClass()
	v.clear = j.weightsClear(in)
	v.atMost, v.least = j.knownOf(s.truth.atMost), j.knownOf(s.truth.least)
	if s.objective.known && !s.objective.contested {
		v.objective = s.objective
		v.last = max(v.last, s.objective.call)
	}
	if cost, ok := s.costOfModel(); ok {
		v.model = known{true, cost, source{"model", s.lastCall()}}
	}
	return v
}

func (j *Judge) sourceOf(p proof) source { return source{j.checks[p.check].name(), p.call} }

func (j *Judge) knownOf(b bound) known { return known{b.known, b.cost, j.sourceOf(b.by)} }

// costOfModel is o_model. Where the model leaves values open it is the claimed
// objective, if some completion costs just that, else the cheapest completion.
func (s *solved) costOfModel() (uint64, bool) {
	m := &s.model
	told := s.objective.known && !s.objective.contested
	switch {
	case !s.solution || m.holds == no || m.hi != 0:
		return 0, false
	case m.exact:
		return m.cost, true
	case told && m.fits == yes:
		return s.objective.value, true
	case told && m.fits == unknown:
		return 0, false
	}
	return m.cost, m.leastOnly
}

// Proven reports whether the whole answer is proven to be right: that there is a
// solution or none, and of an optimum that nothing is cheaper.
func (s *Solve) Proven() bool {
	switch {
	case s.Status == apimodel.Unsatisfied:
		return s.feasible == no
	case s.optimal:
		return s.feasible == yes && s.clear && s.least.known && s.objective.known && s.least.cost == s.objective.value
	}
	return s.solution && s.feasible == yes
}
