package family

// The gates of the wcnfuzz families, in Tseitin's encoding.

// gateCounts are the gates of an instance, by kind.
type gateCounts struct{ equalities, ands, xors3, xors4 int }

// atMost bounds the number of gates of every kind.
func (g gateCounts) atMost(n int) gateCounts {
	return gateCounts{min(g.equalities, n), min(g.ands, n), min(g.xors3, n), min(g.xors4, n)}
}

func (g gateCounts) total() int { return g.equalities + g.ands + g.xors3 + g.xors4 }

func (b *Builder) gateClause(activation int32, soft bool, lits ...int32) {
	b.lits = b.lits[:0]
	if activation != 0 {
		b.lits = append(b.lits, activation)
	}
	b.lits = append(b.lits, lits...)
	b.end(soft)
}

// endGate adds the unit soft clause with the negated activation literal.
func (b *Builder) endGate(activation int32) {
	if activation != 0 {
		b.soft(-activation)
	}
}

// xorClauses adds the clauses that make the number of true literals odd.
func (b *Builder) xorClauses(activation int32, soft bool, lits []int32) {
	var clause [8]int32
	for signs := range uint32(1) << len(lits) {
		if parity(signs) != 0 { // clauses with an odd number of negations would forbid a solution
			continue
		}
		for i, l := range lits {
			if signs>>i&1 != 0 {
				l = -l
			}
			clause[i] = l
		}
		b.gateClause(activation, soft, clause[:len(lits)]...)
	}
}

func parity(x uint32) uint32 {
	x ^= x >> 16
	x ^= x >> 8
	x ^= x >> 4
	x ^= x >> 2
	x ^= x >> 1
	return x & 1
}
