package family

import "github.com/ipafuzz/ipafuzz/gen/draw"

// The family tiny makes formulas that a truth table judges. They are true about as often as false.
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
