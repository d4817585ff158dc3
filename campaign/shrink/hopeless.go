package shrink

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A wrong answer depends on the problem, too. No target can claim a worse optimum if all solutions cost the
// same, and none can contradict a value that nobody asks for. The candidate itself shows this without a
// run: by its questions, and by a search over all assignments. If its problems are too large for the
// search, the built-in solver answers instead. Only the remaining candidates run on the target.
const (
	searchedVars    = 14 // most variables of a problem that is searched
	searchedClauses = 128
	askedSolves     = 4 // first solves of each solver about which the built-in solver is asked
)

// A demand lists what the judge must see to report a kind of wrong answer. If anything is missing, the
// judge reports nothing or something else.
type demand struct {
	objective, values bool // the client asks for them
	solvable          bool // a solution exists; otherwise the judge reports a claim that there is one
	unsolvable        bool
	costs             bool // not all solutions cost the same
}

// demandOf returns what a failure demands. If known is false, any answer may show the failure.
func demandOf(class oracle.Class, detail string) (d demand, known bool) {
	d.solvable = true
	switch class {
	case oracle.NotOptimal:
		d.objective, d.values, d.costs = true, true, true
		return d, detail == "not optimal"
	case oracle.AllValuesDiffer:
		d.objective, d.values = true, true
	case oracle.OneValueDiffers:
		switch detail {
		case "objective is not the cost of the model":
			d.objective, d.values = true, true
		case oracle.ObjectiveNotOptimal, oracle.ObjectiveOfNoSolution:
			d.objective = true
		case "model is not optimal":
			d.values, d.costs = true, true
		}
	case oracle.ClaimsSolution:
		d = demand{unsolvable: true}
	case oracle.ClaimsNoSolution:
	case oracle.ModelFalsifies:
		d.values = true
	default:
		return d, false
	}
	return d, true
}

// A prediction tells which candidates cannot show a failure.
type prediction struct {
	class   oracle.Class
	demand  demand
	decider decider
}

// predict returns a prediction for the failure of the given trace, or nil if nothing can be predicted.
func predict(key oracle.Key, given *trace.Trace) *prediction {
	d, known := demandOf(key.Class, key.Detail)
	p := &prediction{class: key.Class, demand: d}
	if !known || len(given.Want.Of) > 0 || !p.canFail(given) {
		return nil // its expectations may be wrong, or the judge did not know all that a prediction uses
	}
	return p
}

// canFail reports whether a target could fail on the trace.
func (p *prediction) canFail(t *trace.Trace) bool {
	solvers := make(map[uint16]*problem)
	for i := range t.Calls {
		c := &t.Calls[i]
		q := solvers[c.Instance]
		if q == nil || c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease {
			q = &problem{weights: make(map[int32]uint64)}
			solvers[c.Instance] = q
		}
		switch {
		case c.Op == apimodel.OpClause:
			q.open = append(q.open, t.Args(c)...)
			if c.Flags&trace.Open == 0 {
				q.clauses = append(q.clauses, q.open)
				q.open = nil
			}
		case c.Op == apimodel.OpSoft:
			q.weights[t.Lit(c)] = c.Num
		case c.Op == apimodel.OpSoftClause:
			if !q.soft(t, c) {
				return true
			}
		case c.Op == apimodel.OpAssume:
			q.assumed = append(q.assumed, []int32{t.Lit(c)})
		case c.Op == apimodel.OpSolve:
			q.asked = demand{}
			q.solves++
			q.hopeful = p.mayBeWrong(q)
			q.assumed = nil
		case c.Op == apimodel.OpObj:
			q.asked.objective = true
		case c.Op == apimodel.OpVal, c.Op == apimodel.OpModel:
			q.asked.values = true
		case c.Op.Does(apimodel.Poses | apimodel.Clears), c.Op == apimodel.OpEnumerate:
			return true // there is no prediction for calls of other models
		}
		asked := (q.asked.objective || !p.demand.objective) && (q.asked.values || !p.demand.values)
		if q.hopeful && asked {
			return true
		}
	}
	return false
}

// A problem is what a client asks one solver.
type problem struct {
	clauses, assumed [][]int32
	open             []int32
	weights          map[int32]uint64
	meanings         [][]int32 // clauses that make literals equal to what they stand for
	largest          int32     // variable of the trace, or that stands for a soft clause
	solves           int
	hopeful          bool   // the answer of the last solve may be wrong
	asked            demand // what is asked about that answer
}

// soft adds a soft clause: the negation of its only literal has the weight, or a fresh literal that is true if all
// others are false. An empty clause costs the same in every solution. If there is no fresh variable, soft returns
// false.
func (q *problem) soft(t *trace.Trace, c *trace.Call) bool {
	clause := t.Args(c)
	if len(clause) == 0 {
		return true
	}
	lit := -clause[0]
	if len(clause) > 1 {
		if q.largest == 0 {
			q.largest = slices.Max(t.Variables())
		}
		if q.largest == math.MaxInt32 {
			return false
		}
		q.largest++
		lit = q.largest
		q.meanings = append(q.meanings, append(slices.Clone(clause), lit))
		for _, other := range clause {
			q.meanings = append(q.meanings, []int32{-other, -lit})
		}
	}
	sum, carry := bits.Add64(q.weights[lit], c.Num, 0)
	if carry > 0 {
		sum = math.MaxUint64 // which is too large, too
	}
	q.weights[lit] = sum
	return true
}

// mayBeWrong reports whether an answer to the problem could be wrong in the wanted way.
func (p *prediction) mayBeWrong(q *problem) bool {
	hard := slices.Concat(q.clauses, q.assumed)
	if p.class == oracle.ModelFalsifies && len(hard) == 0 {
		return false
	}
	clauses := slices.Concat(hard, q.meanings)
	dims, ok := q.variables(clauses)
	if !ok {
		if q.solves > askedSolves || !p.demand.solvable && !p.demand.unsolvable {
			return true
		}
		solvable, known := p.decider.decide(hard)
		return !known || solvable == p.demand.solvable
	}
	var solutions cube.Set
	solutions.Reset()
	for range dims {
		solutions.Grow()
	}
	for _, clause := range clauses {
		falsified := cube.Anything()
		for _, lit := range clause {
			sign := 1
			if lit < 0 {
				sign = 0
			}
			falsified.Require(dims[trace.Var(lit)], sign)
		}
		solutions.Remove(&falsified)
	}
	any := cube.Anything()
	switch solvable := solutions.Has(&any); {
	case solvable && p.demand.unsolvable, !solvable && p.demand.solvable:
		return false
	case p.demand.costs:
		return q.costsDiffer(dims, &solutions)
	}
	return true
}

// costsDiffer reports whether two solutions have different costs, or whether the weights are too large to
// tell.
func (q *problem) costsDiffer(dims map[int32]int8, solutions *cube.Set) bool {
	sum, carry := uint64(0), uint64(0)
	of := make(map[int32][2]uint64)
	for lit, weight := range q.weights {
		if sum, carry = bits.Add64(sum, weight, 0); carry > 0 {
			return true
		}
		v, pair := trace.Var(lit), of[trace.Var(lit)]
		if lit > 0 {
			pair[0] = weight
		} else {
			pair[1] = weight
		}
		of[v] = pair
	}
	var cost, saved cube.Costs // saved: the weights that a solution does not pay
	for v, pair := range of {
		cost.Add(dims[v], pair)
		saved.Add(dims[v], [2]uint64{pair[1], pair[0]})
	}
	cost.Finish()
	saved.Finish()
	any := cube.Anything()
	return cost.Least(solutions, &any, cube.NoCost) != sum-saved.Least(solutions, &any, cube.NoCost)
}

// variables assigns dimensions to the variables. It reports false if there are too many.
func (q *problem) variables(clauses [][]int32) (map[int32]int8, bool) {
	if len(clauses) > searchedClauses {
		return nil, false
	}
	dims := make(map[int32]int8)
	add := func(lit int32) bool {
		if _, known := dims[trace.Var(lit)]; !known {
			dims[trace.Var(lit)] = int8(len(dims))
		}
		return len(dims) <= searchedVars
	}
	for _, clause := range clauses {
		for _, lit := range clause {
			if !add(lit) {
				return nil, false
			}
		}
	}
	for lit := range q.weights {
		if !add(lit) {
			return nil, false
		}
	}
	return dims, true
}
