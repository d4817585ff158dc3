package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Some roots fail in every order of their literals although the search makes the mistake: four clauses of two variables
// look the same in all orders. But if clauses contradict each other and unit propagation does not tell, only a search
// can tell. A defect in the code that reads clauses needs no such clauses, so the reduction leaves fewer.

// searchesAs reports whether the search makes the mistakes of f and g: both depend on the order of literals, or the
// mistakes are the same, and a root is a solve of clauses that only a search refutes.
func (f *Failure) searchesAs(g *Failure) bool {
	return f.Order && g.Order || (f.sharesMistake(g) || f.isQuantified()) && f.searches() && g.searches()
}

func (f *Failure) searches() bool {
	if f.isQuantified() {
		return f.Order || f.Root != nil && onlyPlayDecides(f.Root)
	}
	return f.Order || f.Mistake == FalseSolution && f.Root != nil && onlySearchRefutes(f.Root)
}

// mostSplits bounds the variables of a root that onlySearchRefutes looks at.
const mostSplits = 12

// onlySearchRefutes reports whether the trace is one solve of clauses without a solution, and unit propagation does not
// find a conflict.
func onlySearchRefutes(t *trace.Trace) bool {
	solves := 0
	for i := range t.Calls {
		switch c := &t.Calls[i]; {
		case c.Op == apimodel.OpSolve:
			solves++
		case c.Op != apimodel.OpClause && c.Op != apimodel.OpInit || c.Instance != t.Calls[0].Instance:
			return false
		}
	}
	if solves != 1 || t.Model.Quantified() || len(variablesOf(t)) > mostSplits {
		return false
	}
	var clauses [][]int32
	for _, clause := range clausesOf(t) {
		clauses = append(clauses, clause.lits)
	}
	conflict, _ := propagate(clauses, nil)
	return !conflict && !satisfiable(clauses, nil)
}

// propagate returns the literals that follow from the given ones by unit propagation, and whether a clause is false.
func propagate(clauses [][]int32, given []int32) (conflict bool, holds []int32) {
	holds = slices.Clone(given)
	for again := true; again; {
		again = false
		for _, clause := range clauses {
			if slices.ContainsFunc(clause, func(lit int32) bool { return slices.Contains(holds, lit) }) {
				continue
			}
			open := slices.DeleteFunc(slices.Clone(clause), func(lit int32) bool { return slices.Contains(holds, -lit) })
			slices.Sort(open)
			switch open = slices.Compact(open); len(open) {
			case 0:
				return true, holds
			case 1:
				holds, again = append(holds, open[0]), true
			}
		}
	}
	return false, holds
}

// satisfiable reports whether the clauses have a solution with the given literals.
func satisfiable(clauses [][]int32, given []int32) bool {
	conflict, holds := propagate(clauses, given)
	if conflict {
		return false
	}
	for _, clause := range clauses {
		for _, lit := range clause {
			if !slices.Contains(holds, lit) && !slices.Contains(holds, -lit) {
				return satisfiable(clauses, append(holds, lit)) || satisfiable(clauses, append(holds, -lit))
			}
		}
	}
	return true
}
