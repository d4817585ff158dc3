package oracle

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// A solved is the state of one answer of solve: what it claims, what queries have told about it, and what
// checks have proven.
type solved struct {
	open     bool // the client may still ask about it
	recorded bool // history.current is its record
	call     int
	status   int32

	solution bool // the status says that there is a solution to ask about
	optimal  bool // the status says that it is the cheapest

	limited          bool     // the solve had a limit and may give up
	terminate, learn callback // as they were during the solve

	hasValues  bool // val or model told a value
	valuesCall int  // the last query that told a new value
	objective  told
	noValues   bool // the client asked for values, and the target told none
	noCost     bool // the same of the objective
	coreCall   int  // the last query that told something new about an assumption; -1: none

	wantObjective told // the right answer of obj in the trace

	truth truth
	model modelVerdict

	certified   bool // the reference knows the right answer, with a proof
	certificate *reference.Certificate
}

// A told is an objective value that the target told, and the call that returned it.
type told struct {
	known, contested bool
	value            uint64
	call             int
}

// A tri is yes, no or unknown.
type tri uint8

const (
	unknown tri = iota
	yes
	no
)

// A truth is what checks have proven about the problem of a solve, whatever the answer is. Later checks build
// on it.
type truth struct {
	feasible   tri
	feasibleBy proof

	least     bound // the true optimum
	atMost    bound // the cost of the cheapest known solution
	decided   bool  // the answer of the solve is proven right or wrong
	condition cube.Condition
}

// A bound is a cost and its proof.
type bound struct {
	known bool
	cost  uint64
	by    proof
}

// A proof says how something is known. Only a finding turns it into text.
type proof struct {
	check int // its index in checks
	call  int // the answer that the proof rests on, if any
}

// differs reports whether a claimed optimum is proven not to be the optimum.
func (t *truth) differs(cost uint64) bool {
	return t.least.known && cost != t.least.cost || t.atMost.known && cost > t.atMost.cost
}

// improve records the cost of a solution as an upper bound of the optimum.
func (t *truth) improve(cost uint64, by proof) {
	if !t.atMost.known || cost < t.atMost.cost {
		t.atMost = bound{true, cost, by}
	}
}

// best returns the optimum, or else the best known bound on it.
func (t *truth) best() bound {
	if t.least.known {
		return t.least
	}
	return t.atMost
}

// A modelVerdict is what the checks found out about the values of a solution.
type modelVerdict struct {
	holds tri  // some completion of the values fulfils clauses and assumptions
	exact bool // cost is the cost of every completion
	// The cost of the model, if every soft literal has a value (exact), or the cost of its cheapest
	// completion (leastOnly).
	hi, cost  uint64
	leastOnly bool // cost is that of the cheapest completion
	fits      tri  // some completion costs what obj answered
	condition cube.Condition
}

// begin starts a new answer: the pending assumptions become those of the solve.
func (in *instance) begin(call int, status int32, solution, optimal bool) {
	in.Problem.Begin()
	in.answer = solved{open: true, call: call, status: status, solution: solution, optimal: optimal,
		terminate: in.terminate, learn: in.learn, limited: in.limits != 0, coreCall: -1}
	in.limits = 0
}

// lastCall returns the last call that the verdict about the values depends on.
func (s *solved) lastCall() int {
	call := s.call
	if s.hasValues {
		call = max(call, s.valuesCall)
	}
	return call
}

// A Solve is what a judge knows about one answer of solve after all queries about it. To compare targets, the
// proofs and the numbers of the published classification are enough: o_solver, o_model and, over all targets,
// o_min.
type Solve struct {
	Call     int
	Instance uint16
	Status   int32
	Weight   WeightClass

	Solution, Optimal bool // what the status claims
	Last              int  // the last query that the verdict depends on
	Clear             bool // the policies of the target define what the weights mean
	Beyond            bool // the weights sum to 2^64 or more, so a cost may not fit an objective

	Feasible, Infeasible bool // proven by the target's own judge
	FeasibleBy           Source
	AtMost               Cost // the cost of the cheapest checked solution
	Least                Cost // the proven optimum

	Objective Cost // o_solver
	Model     Cost // o_model
	Falsified bool // the model was checked and is wrong
}

// A Source names the check that has proven something, and the answer that the proof rests on.
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

// Solves returns the answers of solve in the last run, if Config.Compared is set. They are in the order of
// the calls that ended the queries about them. The slice is valid until the next Judge.
func (j *Judge) Solves() []Solve { return j.kept }

func (j *Judge) solveOf(in *instance) Solve {
	s := &in.answer
	v := Solve{Call: s.call, Instance: in.id, Status: s.status, Weight: NoWeights,
		Solution: s.solution, Optimal: s.optimal, Last: s.lastCall(),
		Feasible: s.truth.feasible == yes, Infeasible: s.truth.feasible == no, FeasibleBy: j.sourceOf(s.truth.feasibleBy),
		Falsified: s.model.holds == no}
	if !j.weighted {
		return v
	}
	v.Weight = in.weightClass()
	v.Clear, v.Beyond = j.weightsClear(in), in.SumHi != 0
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

// costOfModel returns o_model. If the model leaves values open, o_model is the claimed objective if some
// completion costs that, and otherwise the cost of the cheapest completion.
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

// Proven reports whether the whole answer is proven right: the status and, for an optimum, that no solution is
// cheaper.
func (s *Solve) Proven() bool {
	switch {
	case s.Status == apimodel.Unsatisfiable:
		return s.Infeasible
	case s.Optimal:
		return s.Feasible && s.Clear && s.Least.Known && s.Objective.Known && s.Least.Value == s.Objective.Value
	}
	return s.Solution && s.Feasible
}
