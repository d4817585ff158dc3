package family

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Formula is a set of hard and soft clauses over the variables 1 to Vars, as in WCNF: a clause with a
// weight is soft. Filling a Formula again reuses its memory.
type Formula struct {
	Vars int

	lits    []int32
	clauses []flatClause

	// What the family knows about the formula, and what use it made the formula for.
	Wish    Schedule // AddAndSolve: a part before every solve, as Cuts says
	Cuts    []uint32 // ends of the intended increments, in clauses
	Tenths  bool     // every solve has assumptions, in tenths of the variables
	Repeats bool     // a hard clause may have a variable twice
	Planted []bool   // an assignment that satisfies the hard clauses, by variable; empty: unknown
	Optimum uint64   // the least cost, if Exact
	Exact   bool
}

// A flatClause is a clause of a formula. Weight 0 makes it hard.
type flatClause struct {
	pos, len uint32
	weight   uint64
}

// Reset empties the formula and keeps its memory.
func (f *Formula) Reset() {
	f.Vars = 0
	f.lits = f.lits[:0]
	f.clauses = f.clauses[:0]
	f.Wish = AnySchedule
	f.Cuts, f.Tenths, f.Repeats = f.Cuts[:0], false, false
	f.Planted = f.Planted[:0]
	f.Optimum, f.Exact = 0, false
}

// Clauses returns the number of clauses, hard and soft.
func (f *Formula) Clauses() int { return len(f.clauses) }

// Clause returns the literals and the weight of a clause. The weight of a hard clause is 0.
func (f *Formula) Clause(i int) (lits []int32, weight uint64) {
	c := &f.clauses[i]
	return f.literals(c), c.weight
}

func (f *Formula) literals(c *flatClause) []int32 {
	return f.lits[c.pos : c.pos+c.len : c.pos+c.len]
}

// Add adds a clause. If the weight is 0, the clause is hard.
func (f *Formula) Add(weight uint64, lits ...int32) {
	f.clauses = append(f.clauses, flatClause{uint32(len(f.lits)), uint32(len(lits)), weight})
	f.lits = append(f.lits, lits...)
	for _, l := range lits {
		f.Vars = max(f.Vars, int(max(l, -l)))
	}
}

// FormulaOf returns the clauses and soft literals of all instances of a trace as one formula, a seed
// for the family planted. It numbers variables from 1, in order of first occurrence.
func FormulaOf(t *trace.Trace) *Formula {
	f := new(Formula)
	numbers := make(map[int32]int32)
	number := func(l int32) int32 {
		v := trace.Var(l)
		if numbers[v] == 0 {
			numbers[v] = int32(len(numbers) + 1)
		}
		if l < 0 {
			return -numbers[v]
		}
		return numbers[v]
	}
	open := make(map[uint16][]int32)
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Op {
		case apimodel.OpClause:
			for _, l := range t.Args(c) {
				open[c.Instance] = append(open[c.Instance], number(l))
			}
			if c.Flags&trace.Open == 0 {
				f.Add(0, open[c.Instance]...)
				open[c.Instance] = open[c.Instance][:0]
			}
		case apimodel.OpSoft:
			f.Add(max(c.Num, 1), -number(t.Lit(c)))
		}
	}
	return f
}

// Cost returns the sum of the weights of soft clauses that an assignment falsifies, and whether it
// satisfies the hard clauses.
func (f *Formula) Cost(assignment []bool) (cost uint64, feasible bool) {
	for i := range f.clauses {
		c := &f.clauses[i]
		satisfied := false
		for _, l := range f.literals(c) {
			satisfied = satisfied || l > 0 && assignment[l] || l < 0 && !assignment[-l]
		}
		switch {
		case satisfied:
		case c.weight == 0:
			return 0, false
		default:
			cost += c.weight
		}
	}
	return cost, true
}
