package quantified

import (
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A builder makes one formula after the other, in the same memory.
type builder struct {
	draw.Rand
	f       qbf.Formula
	vars    []int32 // of all blocks, one after the other
	lits    []int32 // of all clauses
	clause  []int32 // being made
	blockOf []int32 // by variable; -1: not in the prefix
	seen    map[uint64][]int

	order   []int32 // variables in a random order
	pools   [2][]int32
	sources map[string]*family.Source
	sat     family.Formula
}

// formula returns the formula of a family. It is valid until the next call.
func (b *builder) formula(f *Family, r draw.Rand) *qbf.Formula {
	b.Rand = r
	b.f.Prefix, b.f.Clauses = b.f.Prefix[:0], b.f.Clauses[:0]
	b.vars, b.lits, b.clause, b.blockOf = b.vars[:0], b.lits[:0], b.clause[:0], b.blockOf[:0]
	if b.seen == nil {
		b.seen = make(map[uint64][]int)
	}
	clear(b.seen)
	f.make(b)
	return &b.f
}

// block appends a block of the variables.
func (b *builder) block(universal bool, vars ...int32) {
	start := len(b.vars)
	b.vars = append(b.vars, vars...)
	for _, v := range vars {
		for int(v) >= len(b.blockOf) {
			b.blockOf = append(b.blockOf, -1)
		}
		b.blockOf[v] = int32(len(b.f.Prefix))
	}
	b.f.Prefix = append(b.f.Prefix, qbf.Block{Universal: universal, Vars: b.vars[start:len(b.vars):len(b.vars)]})
}

// newBlock appends a block of n new variables.
func (b *builder) newBlock(universal bool, n int) {
	b.order = b.order[:0]
	for range n {
		b.order = append(b.order, int32(max(len(b.blockOf), 1)+len(b.order)))
	}
	b.block(universal, b.order...)
}

// end sorts the clause being made by variable, and adds it unless the formula has it. It reports whether
// it added the clause.
func (b *builder) end() bool {
	c := b.clause
	b.clause = b.clause[:0]
	slices.SortFunc(c, func(x, y int32) int { return int(max(x, -x) - max(y, -y)) })
	hash := uint64(len(c))
	for _, l := range c {
		hash = draw.Mix(hash ^ uint64(uint32(l)))
	}
	for _, i := range b.seen[hash] {
		if slices.Equal(b.f.Clauses[i], c) {
			return false
		}
	}
	b.seen[hash] = append(b.seen[hash], len(b.f.Clauses))
	b.clause = c
	b.endAny()
	return true
}

// endAny adds the clause being made as it is.
func (b *builder) endAny() {
	start := len(b.lits)
	b.lits = append(b.lits, b.clause...)
	b.f.Clauses = append(b.f.Clauses, b.lits[start:len(b.lits):len(b.lits)])
	b.clause = b.clause[:0]
}

// holds reports whether the clause being made has the variable.
func (b *builder) holds(v int32) bool {
	for _, l := range b.clause {
		if l == v || l == -v {
			return true
		}
	}
	return false
}

// sign negates the literal half the time.
func (b *builder) sign(l int32) int32 {
	if b.Flip() {
		return -l
	}
	return l
}

// one returns one of the numbers, chosen at random.
func (b *builder) one(of []int32) int32 { return of[b.Below(uint32(len(of)))] }

// shuffle puts the numbers into a random order.
func (b *builder) shuffle(numbers []int32) {
	for i := len(numbers) - 1; i > 0; i-- {
		j := b.Below(uint32(i + 1))
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
}

// universal reports whether the variable is universal.
func (b *builder) universal(v int32) bool { return b.f.Prefix[b.blockOf[v]].Universal }

// reduce removes the universal literals of the clause being made that have no existential
// literal further inside.
func (b *builder) reduce() {
	innermost := int32(math.MinInt32)
	for _, l := range b.clause {
		if v := max(l, -l); !b.universal(v) {
			innermost = max(innermost, b.blockOf[v])
		}
	}
	b.clause = slices.DeleteFunc(b.clause, func(l int32) bool {
		v := max(l, -l)
		return b.universal(v) && b.blockOf[v] > innermost
	})
}

// tidy removes variables that no clause has from the prefix, then empty blocks, and joins neighbours of
// the same quantifier.
func (b *builder) tidy() {
	used := make([]bool, len(b.blockOf))
	for _, c := range b.f.Clauses {
		for _, l := range c {
			used[max(l, -l)] = true
		}
	}
	vars := make([]int32, 0, len(b.vars))
	kept := b.f.Prefix[:0]
	for _, block := range b.f.Prefix {
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
	b.f.Prefix = kept
}
