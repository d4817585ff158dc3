package shrink

import (
	"sync"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A decider tells which large problems have a solution. Most candidates have a solution of an earlier one,
// since reductions only drop clauses. For the others, the decider asks the built-in solver.
type decider struct {
	mu        sync.Mutex
	solutions []map[int32]bool // the latest first
}

const (
	askedConflicts  = 200 // some milliseconds
	askedLiterals   = 50_000
	storedSolutions = 4
)

// decide reports whether the clauses have a solution and whether that is known. The answer depends on the
// clauses alone: a stored solution only saves the search.
func (d *decider) decide(clauses [][]int32) (solvable, known bool) {
	formula := make([]int32, 0, 4*len(clauses))
	for _, clause := range clauses {
		formula = append(append(formula, clause...), 0)
	}
	if len(formula) > askedLiterals {
		return false, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, solution := range d.solutions {
		if fulfils(solution, clauses) {
			return true, true
		}
	}
	prover := ref.NewProver()
	defer prover.Close()
	result, err := prover.Solve(formula, askedConflicts)
	if err != nil {
		return false, false
	}
	switch result.Status {
	case ref.Satisfiable:
		solution := make(map[int32]bool, len(result.Model))
		for _, lit := range result.Model {
			solution[trace.Var(lit)] = lit > 0
		}
		d.solutions = append([]map[int32]bool{solution}, d.solutions...)
		d.solutions = d.solutions[:min(len(d.solutions), storedSolutions)]
		return true, true
	case ref.Unsatisfiable:
		return false, true
	}
	return false, false
}

// fulfils reports whether a solution satisfies every clause.
func fulfils(solution map[int32]bool, clauses [][]int32) bool {
next:
	for _, clause := range clauses {
		for _, lit := range clause {
			if value, known := solution[trace.Var(lit)]; known && value == (lit > 0) {
				continue next
			}
		}
		return false
	}
	return true
}
