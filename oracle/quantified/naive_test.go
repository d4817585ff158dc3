package quantified

import (
	"math/rand/v2"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// isTrue decides a formula by definition: each variable, from the outermost block inwards, takes both values.
// It shares no code with the deciders.
func isTrue(f *qbf.Formula, assumptions []int32) bool {
	var order []int32
	universal := make(map[int32]bool)
	bound := make(map[int32]bool)
	for _, b := range f.Prefix {
		for _, v := range b.Vars {
			bound[v] = true
		}
	}
	for _, clause := range f.Clauses {
		for _, l := range clause {
			if v := max(l, -l); !bound[v] && !slices.Contains(order, v) {
				order = append(order, v)
			}
		}
	}
	for _, b := range f.Prefix {
		for _, v := range b.Vars {
			order = append(order, v)
			universal[v] = b.Universal
		}
	}
	value := make(map[int32]bool)
	for _, l := range assumptions {
		value[max(l, -l)] = l > 0
	}
	order = slices.DeleteFunc(order, func(v int32) bool {
		_, assumed := value[v]
		return assumed
	})
	return wins(f, order, universal, value)
}

func wins(f *qbf.Formula, order []int32, universal, value map[int32]bool) bool {
	if len(order) == 0 {
		for _, clause := range f.Clauses {
			fulfilled := false
			for _, l := range clause {
				fulfilled = fulfilled || value[max(l, -l)] == (l > 0)
			}
			if !fulfilled {
				return false
			}
		}
		return true
	}
	v := order[0]
	defer delete(value, v)
	value[v] = false
	if wins(f, order[1:], universal, value) != universal[v] {
		return !universal[v]
	}
	value[v] = true
	return wins(f, order[1:], universal, value)
}

// outermost returns the variables of the outermost block: the free ones in clauses and, if
// the first block with variables is existential or nothing is free, those of that block and
// of its neighbours with the same quantifier.
func outermost(f *qbf.Formula) (vars []int32, universal bool) {
	bound := make(map[int32]bool)
	for _, b := range f.Prefix {
		for _, v := range b.Vars {
			bound[v] = true
		}
	}
	for _, clause := range f.Clauses {
		for _, l := range clause {
			if v := max(l, -l); !bound[v] && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	begun := len(vars) > 0
	for _, b := range f.Prefix {
		if len(b.Vars) == 0 {
			continue
		}
		if !begun {
			begun, universal = true, b.Universal
		}
		if b.Universal != universal {
			break
		}
		vars = append(vars, b.Vars...)
	}
	return vars, universal
}

// randomFormula returns a formula of few variables with everything that is legal: empty blocks, neighbouring
// blocks with one quantifier, free variables, variables in no clause, empty clauses, tautologies, repeated
// literals.
func randomFormula(r *rand.Rand, most int) *qbf.Formula {
	n := 1 + r.IntN(most)
	vars := r.Perm(n)
	for i := range vars {
		vars[i]++
		if r.IntN(20) == 0 {
			vars[i] += (1 << 12) * (1 + r.IntN(3)) // unique still, and too large for the slice of qbf.Numbers
		}
	}
	names := make([]int32, n)
	for i, v := range vars {
		names[i] = int32(v)
	}
	f := new(qbf.Formula)
	universal, alternating := r.IntN(2) == 0, r.IntN(3) > 0
	rest := names[r.IntN(1+min(n-1, r.IntN(3))):] // the others are free
	for len(rest) > 0 {
		size := min(len(rest), r.IntN(1+max(1, n/2)))
		f.Prefix = append(f.Prefix, qbf.Block{Universal: universal, Vars: slices.Clone(rest[:size])})
		rest = rest[size:]
		universal = universal != (alternating || r.IntN(2) == 0)
	}
	if r.IntN(2) == 0 {
		return hardened(f, r, names)
	}
	for range r.IntN(2 + 2*n) {
		f.Clauses = append(f.Clauses, randomClause(r, names))
	}
	return f
}

// hardened returns the formula with clauses that simplification cannot change: three or four variables, an
// existential innermost block, and at most one universal literal in each clause.
func hardened(f *qbf.Formula, r *rand.Rand, names []int32) *qbf.Formula {
	universal := make(map[int32]bool)
	for i := range f.Prefix {
		b := &f.Prefix[i]
		b.Universal = b.Universal && i < len(f.Prefix)-1
		for _, v := range b.Vars {
			universal[v] = b.Universal
		}
	}
	for range len(names)*3/2 + r.IntN(1+2*len(names)) {
		var clause []int32
		has := false
		for _, i := range r.Perm(len(names))[:min(len(names), 3+r.IntN(2))] {
			if v := names[i]; !universal[v] || !has {
				has = has || universal[v]
				clause = append(clause, v*int32(1-2*r.IntN(2)))
			}
		}
		f.Clauses = append(f.Clauses, clause)
	}
	return f
}

func randomClause(r *rand.Rand, names []int32) []int32 {
	length := 1 + r.IntN(4)
	if r.IntN(50) == 0 {
		length = 0
	}
	clause := make([]int32, 0, length)
	for range length {
		clause = append(clause, names[r.IntN(len(names))]*int32(1-2*r.IntN(2)))
	}
	return clause
}

// randomAssumptions assumes a value for some of the variables.
func randomAssumptions(r *rand.Rand, vars []int32) []int32 {
	var assumptions []int32
	for _, v := range vars {
		if r.IntN(3) == 0 {
			assumptions = append(assumptions, v*int32(1-2*r.IntN(2)))
		}
	}
	return assumptions
}

func variablesOf(f *qbf.Formula) []int32 {
	var vars []int32
	for _, b := range f.Prefix {
		vars = append(vars, b.Vars...)
	}
	for _, clause := range f.Clauses {
		for _, l := range clause {
			vars = append(vars, max(l, -l))
		}
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}
