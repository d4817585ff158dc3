package family

import "github.com/ipafuzz/ipafuzz/gen/draw"

// The family tiny of quantified formulas makes some that a truth table judges. They are true about as often as false.
const (
	tinyMostVars   = 10
	tinyMostBlocks = 5
)

func (b *Builder) tinyQuantified() {
	vars := b.Between(1, tinyMostVars)
	if b.Chance(600) {
		vars = 2 + vars/2
	}
	blocks := b.Between(1, min(vars, tinyMostBlocks))
	universal := b.Flip()
	if blocks == 1 {
		universal = b.OneIn(8)
	}
	b.q.order = b.q.order[:0]
	for v := range vars {
		b.q.order = append(b.q.order, int32(v+1))
	}
	if b.OneIn(3) {
		draw.Shuffle(&b.Rand, b.q.order)
	}
	rest := b.q.order
	for i := range blocks {
		left := blocks - i
		n := len(rest)
		if left > 1 {
			n = b.Between(1, max(1, min(len(rest)-left+1, 2*len(rest)/left)))
		}
		b.block(universal, rest[:n]...)
		rest, universal = rest[n:], !universal
	}
	existentials := b.q.pools[0][:0]
	for _, block := range b.q.Prefix {
		if !block.Universal {
			existentials = append(existentials, block.Vars...)
		}
	}
	b.q.pools[0] = existentials
	longest := b.Between(2, min(4, vars+1))
	for range b.Between(vars/2, 5*vars/2) {
		b.tinyClause(existentials, longest)
	}
}

// tinyClause makes a clause. Most have an existential literal, because a clause without one is false.
func (b *Builder) tinyClause(existentials []int32, longest int) {
	length := min(b.Between(1, longest), len(b.q.order))
	if length == 1 && b.Chance(600) {
		length = min(2, len(b.q.order))
	}
	if len(existentials) > 0 && !b.OneIn(30) {
		b.lits = append(b.lits, b.sign(b.one(existentials)))
	}
	for len(b.lits) < length {
		if v := b.one(b.q.order); !b.holds(v) {
			b.lits = append(b.lits, b.sign(v))
		}
	}
	b.add()
}

// The family tiny of formula files makes formulas that a truth table judges, with soft clauses as no interface takes
// them: of any length, repeated, and of variables that no hard clause has. All numbers are our choice.
const (
	tinyFileVars    = 12
	tinyFileClauses = 30
)

// The lengths of hard and of soft clauses, each as likely as it is often listed.
var (
	tinyHardLengths = [...]int{1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4}
	tinySoftLengths = [...]int{0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4}
)

func (b *Builder) tinyFile() {
	vars := b.Between(1, tinyFileVars)
	if b.Chance(500) {
		vars = 2 + vars/2
	}
	low, high := b.variables(vars)
	most := min(tinyFileClauses, 4+4*vars)
	clauses := b.Between(most/3, most)
	if b.OneIn(5) {
		clauses = b.Between(0, most)
	}
	softs := uint32([...]int{300, 500, 600, 700}[b.Below(4)]) // of a thousand clauses
	if b.allHard {
		softs = 0
	}
	positive := uint32([...]int{500, 500, 250, 800}[b.Below(4)])
	inRuns := b.Flip() // all hard clauses come first, or all soft ones
	softFirst := b.Flip()
	split := clauses * int(softs) / 1000
	for i := range clauses {
		soft := b.Chance(softs)
		if inRuns {
			soft = (i < split) == softFirst
		}
		b.tinyFileClause(low, high, soft, positive)
	}
	b.weigh(evenWeights, draw.SmallWeight)
}

// tinyFileClause makes a clause of distinct variables. Each literal is positive with the chance, in a thousand.
func (b *Builder) tinyFileClause(low, high int32, soft bool, positive uint32) {
	length := tinyHardLengths[b.Below(uint32(len(tinyHardLengths)))]
	if soft {
		length = tinySoftLengths[b.Below(uint32(len(tinySoftLengths)))]
	}
	for len(b.lits) < min(length, int(high-low+1)) {
		v := b.among(low, high)
		if b.holds(v) {
			continue
		}
		if !b.Chance(positive) {
			v = -v
		}
		b.lits = append(b.lits, v)
	}
	b.end(soft)
}
