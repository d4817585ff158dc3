package quantified

import (
	"encoding/binary"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A Question is what a solve asks: a formula under assumptions.
type Question struct {
	formula     qbf.Formula
	assumptions []int32

	// Few questions are compared with others. The first comparison sorts the assumptions and makes these.
	ready   bool
	blocks  qbf.Numbers
	assumed qbf.Numbers     // the signs of the assumptions
	index   map[string]bool // its clauses, as keys; nil until they are needed
}

// Set makes q the question of a formula under assumptions. It shares the variables and literals of the formula, which
// must not change, and copies everything else.
func (q *Question) Set(f *qbf.Formula, assumptions []int32) {
	q.formula.Prefix = append(q.formula.Prefix[:0], f.Prefix...)
	q.formula.Clauses = append(q.formula.Clauses[:0], f.Clauses...)
	q.assumptions = append(q.assumptions[:0], assumptions...)
	q.ready, q.index = false, nil
}

func (q *Question) prepare() {
	if q.ready {
		return
	}
	q.blocks.Reset()
	for i := range q.formula.Prefix {
		for _, v := range q.formula.Prefix[i].Vars {
			q.blocks.Set(v, int32(i))
		}
	}
	q.assumed.Reset()
	for _, l := range q.assumptions {
		q.assumed.Set(variable(l), int32(sign(l)))
	}
	slices.Sort(q.assumptions)
	q.ready = true
}

// Equal reports whether two questions have the same blocks, clauses in the same order, and
// assumptions.
func (q *Question) Equal(o *Question) bool {
	q.prepare()
	o.prepare()
	return slices.Equal(q.assumptions, o.assumptions) &&
		slices.EqualFunc(q.formula.Clauses, o.formula.Clauses, slices.Equal) &&
		slices.EqualFunc(q.formula.Prefix, o.formula.Prefix, func(a, b qbf.Block) bool {
			return a.Universal == b.Universal && slices.Equal(a.Vars, b.Vars)
		})
}

// Implies reports whether it is evident that q implies o: if q is true, so is o. It is evident if q has all
// clauses of o, and a strategy that fulfils them in q also works in o:
//
//   - A variable that is universal in o is universal in q, and no assumption of q fixes it.
//   - A variable that an assumption of o fixes has that value in q, too, or is universal and may
//     have it.
//   - A variable that is existential in o may be anything in q: it keeps its assumed value, gets any
//     value if it was universal, or depends on no more universal variables than it may in o.
func (q *Question) Implies(o *Question) bool {
	q.prepare()
	o.prepare()
	return q.servesFor(o) && q.hasClausesOf(o)
}

// A role says how a question quantifies a variable.
type role struct {
	universal bool
	assumed   int32 // the sign of its assumption; -1: none
	depth     int32 // the number of its block; -1: it is free
}

func (q *Question) roleOf(v int32) role {
	b := q.blocks.Of(v)
	return role{b >= 0 && q.formula.Prefix[b].Universal, q.assumed.Of(v), b}
}

func (q *Question) servesFor(o *Question) bool {
	// deepest[d] is the depth in o of the innermost universal variable that is outside of depth d-1 in q.
	deepest := make([]int32, len(q.formula.Prefix)+2)
	for d := range deepest {
		deepest[d] = -2
	}
	var dependent qbf.Numbers // existential variables of o that depend on universal ones in q
	var functions []int32
	for _, clause := range o.formula.Clauses {
		for _, l := range clause {
			v := variable(l)
			in, to := q.roleOf(v), o.roleOf(v)
			switch {
			case to.assumed >= 0:
				if in.assumed != to.assumed && (!in.universal || in.assumed >= 0) {
					return false
				}
			case to.universal:
				if !in.universal || in.assumed >= 0 {
					return false
				}
				deepest[in.depth+2] = max(deepest[in.depth+2], to.depth)
			case !in.universal && in.assumed < 0 && dependent.Of(v) < 0:
				dependent.Set(v, 0)
				functions = append(functions, v)
			}
		}
	}
	for d := 1; d < len(deepest); d++ {
		deepest[d] = max(deepest[d], deepest[d-1])
	}
	for _, v := range functions {
		if deepest[q.blocks.Of(v)+1] > o.blocks.Of(v) {
			return false
		}
	}
	return true
}

// hasClausesOf reports whether every clause of o is one of q. The order of literals and
// clauses, repeated literals and tautologies do not matter.
func (q *Question) hasClausesOf(o *Question) bool {
	common := 0
	for common < min(len(q.formula.Clauses), len(o.formula.Clauses)) &&
		slices.Equal(q.formula.Clauses[common], o.formula.Clauses[common]) {
		common++
	}
	if common == len(o.formula.Clauses) {
		return true
	}
	if q.index == nil {
		q.index = make(map[string]bool, len(q.formula.Clauses))
		for _, clause := range q.formula.Clauses {
			key, _ := keyOf(clause)
			q.index[key] = true
		}
	}
	for _, clause := range o.formula.Clauses[common:] {
		if key, tautology := keyOf(clause); !tautology && !q.index[key] {
			return false
		}
	}
	return true
}

// keyOf returns a text that distinguishes clauses with different literals.
func keyOf(clause []int32) (key string, tautology bool) {
	sorted := slices.Clone(clause)
	slices.SortFunc(sorted, func(a, b int32) int {
		if d := int(variable(a)) - int(variable(b)); d != 0 {
			return d
		}
		return int(a) - int(b)
	})
	sorted = slices.Compact(sorted)
	content := make([]byte, 0, 4*len(sorted))
	for i, l := range sorted {
		tautology = tautology || i > 0 && l == -sorted[i-1]
		content = binary.LittleEndian.AppendUint32(content, uint32(l))
	}
	return string(content), tautology
}
