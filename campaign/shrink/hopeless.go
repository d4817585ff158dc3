package shrink

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A wrong answer is a matter of the problem, too: no target can claim a worse optimum
// where all solutions cost the same. A search over all assignments tells that without a
// run. What it cannot tell, it leaves to the target.
const (
	searchedVars    = 12 // of a problem that is searched
	searchedClauses = 64
)

// canFail reports whether a target could fail on the trace with the class.
func canFail(class oracle.Class, t *trace.Trace) bool {
	switch class {
	case oracle.NotOptimal, oracle.ClaimsSolution, oracle.ClaimsNoSolution, oracle.ModelFalsifies,
		oracle.AllValuesDiffer, oracle.OneValueDiffers:
	default:
		return true
	}
	solvers := make(map[uint16]*problem)
	for i := range t.Calls {
		c := &t.Calls[i]
		p := solvers[c.Instance]
		if p == nil || c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease {
			p = &problem{weights: make(map[int32]uint64)}
			solvers[c.Instance] = p
		}
		switch {
		case c.Op == apimodel.OpClause:
			p.open = append(p.open, t.Args(c)...)
			if c.Flags&trace.Open == 0 {
				p.clauses = append(p.clauses, p.open)
				p.open = nil
			}
		case c.Op == apimodel.OpSoft:
			p.weights[t.Lit(c)] = c.Num
		case c.Op == apimodel.OpAssume:
			p.assumed = append(p.assumed, []int32{t.Lit(c)})
		case c.Op == apimodel.OpSolve:
			if p.canFail(class) {
				return true
			}
			p.assumed = nil
		case c.Op.Does(apimodel.Poses | apimodel.Clears), c.Op == apimodel.OpEnumerate:
			return true // calls of other models are not followed
		}
	}
	return false
}

// A problem is what one solver is asked.
type problem struct {
	clauses, assumed [][]int32
	open             []int32
	weights          map[int32]uint64
}

func (p *problem) canFail(class oracle.Class) bool {
	hard := slices.Concat(p.clauses, p.assumed)
	switch class {
	case oracle.ModelFalsifies:
		return len(hard) > 0
	case oracle.AllValuesDiffer, oracle.OneValueDiffers:
		return true
	}
	vars, ok := p.variables(hard)
	if !ok {
		return true
	}
	sum := uint64(0)
	for _, weight := range p.weights {
		if sum += weight; sum < weight {
			return true
		}
	}
	solvable, first := false, uint64(0)
	for assignment := range uint32(1) << len(vars) {
		isTrue := func(lit int32) bool { return assignment>>vars[trace.Var(lit)]&1 == 1 == (lit > 0) }
		if slices.ContainsFunc(hard, func(clause []int32) bool { return !slices.ContainsFunc(clause, isTrue) }) {
			continue
		}
		cost := uint64(0)
		for lit, weight := range p.weights {
			if isTrue(lit) {
				cost += weight
			}
		}
		if solvable && cost != first && class == oracle.NotOptimal {
			return true
		}
		solvable, first = true, cost
	}
	switch class {
	case oracle.ClaimsSolution:
		return !solvable
	case oracle.ClaimsNoSolution:
		return solvable
	}
	return false
}

// variables numbers the variables, and reports false if there are too many.
func (p *problem) variables(hard [][]int32) (map[int32]int, bool) {
	vars := make(map[int32]int)
	add := func(lit int32) {
		if _, known := vars[trace.Var(lit)]; !known {
			vars[trace.Var(lit)] = len(vars)
		}
	}
	if len(hard) > searchedClauses {
		return nil, false
	}
	for _, clause := range hard {
		for _, lit := range clause {
			add(lit)
		}
		if len(vars) > searchedVars {
			return nil, false
		}
	}
	for lit := range p.weights {
		add(lit)
	}
	return vars, len(vars) <= searchedVars
}
