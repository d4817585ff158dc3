package oracle

import "github.com/ipafuzz/ipafuzz/apimodel"

// A Solve is what a judge knows about one answer of solve after all queries about it. Comparing
// targets needs no more than the numbers of the published classification (o_solver, o_model and, over
// all targets, o_min) and the proofs.
type Solve struct {
	Call     int
	Instance uint16
	Status   int32
	Weight   WeightClass

	Solution, Optimal bool // what the status claims
	Last              int  // the last query that the verdict depends on
	Clear             bool // the policies of the target define what the weights mean
	Beyond            bool // the weights sum to 2^64 or more, so that an objective may not be able to say a cost

	Feasible, Infeasible bool // proven by the target's own judge
	FeasibleBy           Source
	AtMost               Cost // the cost of the cheapest checked solution
	Least                Cost // the proven optimum

	Objective Cost // o_solver
	Model     Cost // o_model
	Falsified bool // the model was checked and is wrong
}

// A Source names the answer and the check that a proof rests on.
type Source struct {
	Check string
	Call  int
}

// A Cost is a number, if known, and its source.
type Cost struct {
	Known bool
	Value uint64
	By    Source
}

// Solves returns the answers of solve in the last run, in the order in which they were closed, or
// nothing unless Config.Compared is set. The slice is valid until the next Judge.
func (j *Judge) Solves() []Solve { return j.kept }

func (j *Judge) solveOf(in *instance) Solve {
	s := &in.now
	v := Solve{Call: s.call, Instance: in.id, Status: s.status, Weight: NoWeights,
		Solution: s.solution, Optimal: s.optimal, Last: s.lastCall(),
		Feasible: s.truth.feasible == yes, Infeasible: s.truth.feasible == no, FeasibleBy: j.sourceOf(s.truth.feasibleBy),
		Falsified: s.model.holds == no}
	if !j.weighted {
		return v
	}
	v.Weight = in.weightClass()
	v.Clear, v.Beyond = j.weightsClear(in), in.sumHi != 0
	v.AtMost, v.Least = j.costOf(s.truth.atMost), j.costOf(s.truth.least)
	if s.objective.known && !s.objective.contested {
		v.Objective = Cost{Known: true, Value: s.objective.value}
		v.Last = max(v.Last, s.objective.call)
	}
	if cost, ok := s.costOfModel(); ok {
		v.Model = Cost{true, cost, Source{"model", s.lastCall()}}
	}
	return v
}

func (j *Judge) sourceOf(p proof) Source { return Source{checks[p.check].name, p.call} }

func (j *Judge) costOf(b bound) Cost { return Cost{b.known, b.cost, j.sourceOf(b.by)} }

// costOfModel is o_model. If the model leaves values open, it is the claimed objective if some
// completion costs exactly that, else the cost of the cheapest completion.
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

// Proven reports whether the whole answer is proven right: that there is a solution or none, and that
// nothing is cheaper than an optimum.
func (s *Solve) Proven() bool {
	switch {
	case s.Status == apimodel.Unsatisfiable:
		return s.Infeasible
	case s.Optimal:
		return s.Feasible && s.Clear && s.Least.Known && s.Objective.Known && s.Least.Value == s.Objective.Value
	}
	return s.Solution && s.Feasible
}
