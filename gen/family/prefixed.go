package family

import (
	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// The prefixed families put random prefixes before formulas of SAT families. A clause gets at most one
// universal literal, or at most two: with more, almost every formula would be false. In every other
// formula, the blocks follow the numbers of the variables, so that variables which an encoding defines
// are inside of those that define them.

// matrices are the SAT families whose formulas get prefixes.
var matrices = []string{"3sat", "cnfuzz", "fuzzsat/1", "planted", "pb-ish", "amo", "equivalences", "communities", "xor"}

const (
	leastUniversal = 2 // of a hundred variables
	mostUniversal  = 35
	mostBlocks     = 8
)

func (b *Builder) prefixed(vars, clauses int) {
	name := matrices[b.Below(uint32(len(matrices)))]
	source := b.q.sources[name]
	if source == nil {
		family, _ := Named(name)
		source = &Source{family: family}
		source.WithoutCosts()
		if b.q.sources == nil {
			b.q.sources = make(map[string]*Source)
		}
		b.q.sources[name] = source
	}
	source.Within(Limits{Vars: b.Between(min(3, vars), vars), Calls: b.Between(clauses/4, clauses)})
	source.Formula(b.Uint64(), &b.q.sat)

	universal := b.chooseUniversals(b.Between(1, 2), b.Between(leastUniversal, mostUniversal*12/(12+vars/2)))
	b.cutPrefix(universal)
	for i := range b.q.sat.Clauses() {
		lits, _ := b.q.sat.Clause(i)
		for _, l := range lits {
			if !b.holds(max(l, -l)) {
				b.lits = append(b.lits, l)
			}
		}
		b.reduce()
		b.addNew()
	}
	b.tidy()
}

// chooseUniversals makes up to percent of the variables universal, in a random order, so that no clause
// has more than most of them.
func (b *Builder) chooseUniversals(most, percent int) []bool {
	vars := b.q.sat.Vars
	universal := make([]bool, vars+1)
	occurrences := make([][]int, vars+1)
	for i := range b.q.sat.Clauses() {
		lits, _ := b.q.sat.Clause(i)
		for _, l := range lits {
			v := max(l, -l)
			occurrences[v] = append(occurrences[v], i)
		}
	}
	left := make([]int, b.q.sat.Clauses())
	for i := range left {
		lits, _ := b.q.sat.Clause(i)
		left[i] = min(most, len(lits)-1)
	}
	b.q.order = b.q.order[:0]
	for v := range vars {
		b.q.order = append(b.q.order, int32(v+1))
	}
	draw.Shuffle(&b.Rand, b.q.order)
	goal := max(vars*percent/100, 1)
	for _, v := range b.q.order {
		fits := goal > 0 && len(occurrences[v]) > 0
		for _, i := range occurrences[v] {
			fits = fits && left[i] > 0
		}
		if !fits {
			continue
		}
		universal[v] = true
		goal--
		for _, i := range occurrences[v] {
			left[i]--
		}
	}
	return universal
}

// cutPrefix makes the prefix. It cuts the variables, in order of their numbers or at random, into stages.
// Each stage is a universal block and, inside of it, an existential one. Half the time, an existential
// block comes first.
func (b *Builder) cutPrefix(universal []bool) {
	vars := int32(len(universal) - 1)
	b.q.order = b.q.order[:0]
	for v := int32(1); v <= vars; v++ {
		b.q.order = append(b.q.order, v)
	}
	if b.Flip() {
		draw.Shuffle(&b.Rand, b.q.order)
	}
	blocks := b.Between(2, mostBlocks)
	stages := (blocks + 1) / 2 // each is a universal and an existential block
	outerFirst := b.Flip()     // the outermost block is existential
	groups := make([][]int32, 2*stages)
	for i, v := range b.q.order {
		stage := i * stages / len(b.q.order)
		if b.OneIn(6) {
			stage = int(b.Below(uint32(stages)))
		}
		at := 2 * stage
		if !universal[v] {
			at++
			if outerFirst && stage == 0 && b.Flip() {
				at = 0 // filled with existential variables only, below
			}
		}
		groups[at] = append(groups[at], v)
	}
	if outerFirst {
		var outer, inner []int32
		for _, v := range groups[0] {
			if universal[v] {
				inner = append(inner, v)
			} else {
				outer = append(outer, v)
			}
		}
		groups[0] = inner
		b.block(false, outer...)
	}
	for at, group := range groups {
		b.block(at%2 == 0, group...)
	}
}
