package family

import (
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A prefixing is the part of a Builder that makes formulas with quantifiers. The clause being made is in Builder.lits.
type prefixing struct {
	qbf.Formula
	vars    []int32 // of all blocks, one after the other
	lits    []int32 // of all clauses
	blockOf []int32 // by variable; -1: not in the prefix
	seen    map[uint64][]int

	order   []int32 // variables in a random order
	pools   [2][]int32
	sources map[string]*Source // of the families of matrices
	sat     Formula
}

// MakeQuantified returns a formula of a family of Quantified. It is valid until the next call.
func (f *Family) MakeQuantified(b *Builder, r draw.Rand) *qbf.Formula {
	b.Rand, b.lits = r, b.lits[:0]
	q := &b.q
	q.Prefix, q.Clauses = q.Prefix[:0], q.Clauses[:0]
	q.vars, q.lits, q.blockOf = q.vars[:0], q.lits[:0], q.blockOf[:0]
	if q.seen == nil {
		q.seen = make(map[uint64][]int)
	}
	clear(q.seen)
	f.make(b)
	return &q.Formula
}

func (b *Builder) block(universal bool, vars ...int32) {
	start := len(b.q.vars)
	b.q.vars = append(b.q.vars, vars...)
	for _, v := range vars {
		for int(v) >= len(b.q.blockOf) {
			b.q.blockOf = append(b.q.blockOf, -1)
		}
		b.q.blockOf[v] = int32(len(b.q.Prefix))
	}
	b.q.Prefix = append(b.q.Prefix, qbf.Block{Universal: universal, Vars: b.q.vars[start:len(b.q.vars):len(b.q.vars)]})
}

func (b *Builder) newBlock(universal bool, n int) {
	b.q.order = b.q.order[:0]
	for range n {
		b.q.order = append(b.q.order, int32(max(len(b.q.blockOf), 1)+len(b.q.order)))
	}
	b.block(universal, b.q.order...)
}

// addNew sorts the clause being made by variable, and adds it unless the formula has it. It reports whether
// it added the clause.
func (b *Builder) addNew() bool {
	c := b.lits
	b.lits = b.lits[:0]
	slices.SortFunc(c, func(x, y int32) int { return int(max(x, -x) - max(y, -y)) })
	hash := uint64(len(c))
	for _, l := range c {
		hash = draw.Mix(hash ^ uint64(uint32(l)))
	}
	for _, i := range b.q.seen[hash] {
		if slices.Equal(b.q.Clauses[i], c) {
			return false
		}
	}
	b.q.seen[hash] = append(b.q.seen[hash], len(b.q.Clauses))
	b.lits = c
	b.add()
	return true
}

// add adds the clause being made as it is.
func (b *Builder) add() {
	start := len(b.q.lits)
	b.q.lits = append(b.q.lits, b.lits...)
	b.q.Clauses = append(b.q.Clauses, b.q.lits[start:len(b.q.lits):len(b.q.lits)])
	b.lits = b.lits[:0]
}

// one returns one of the numbers, chosen at random.
func (b *Builder) one(numbers []int32) int32 { return numbers[b.Below(uint32(len(numbers)))] }

func (b *Builder) universal(v int32) bool { return b.q.Prefix[b.q.blockOf[v]].Universal }

// reduce removes the universal literals of the clause being made that have no existential
// literal further inside.
func (b *Builder) reduce() {
	innermost := int32(math.MinInt32)
	for _, l := range b.lits {
		if v := max(l, -l); !b.universal(v) {
			innermost = max(innermost, b.q.blockOf[v])
		}
	}
	b.lits = slices.DeleteFunc(b.lits, func(l int32) bool {
		v := max(l, -l)
		return b.universal(v) && b.q.blockOf[v] > innermost
	})
}

// tidy removes variables that no clause has from the prefix, then empty blocks, and joins neighbours of
// the same quantifier.
func (b *Builder) tidy() {
	used := make([]bool, len(b.q.blockOf))
	for _, c := range b.q.Clauses {
		for _, l := range c {
			used[max(l, -l)] = true
		}
	}
	vars := make([]int32, 0, len(b.q.vars))
	kept := b.q.Prefix[:0]
	for _, block := range b.q.Prefix {
		start := len(vars)
		for _, v := range block.Vars {
			if used[v] {
				vars = append(vars, v)
			}
		}
		switch n := len(kept); {
		case len(vars) == start:
		case n > 0 && kept[n-1].Universal == block.Universal:
			from := start - len(kept[n-1].Vars)
			kept[n-1].Vars = vars[from:len(vars):len(vars)]
		default:
			kept = append(kept, qbf.Block{Universal: block.Universal, Vars: vars[start:len(vars):len(vars)]})
		}
	}
	b.q.Prefix = kept
}
