package family

// These families imitate the three other generators that PB26 compares. Its table 1 and section 6.1
// describe their instances. The rest is our choice.

// The family structured makes large and varied formulas (PB26: Manthey). There, they have 1 to 500
// variables, about 700 hard and 800 soft clauses, and are rarely unweighted. The hard clauses of one in
// four are satisfiable.
const (
	structuredMostVars   = 400
	structuredHard       = 375 // clauses for 100 variables, about
	structuredSoft       = 440
	structuredBlockVars  = 40
	structuredLeastBlock = 10
)

func makeStructured(b *Builder) {
	low, high := b.variables(b.Between(1, structuredMostVars))
	n := int(high - low + 1)
	hard := n * b.Between(structuredHard-100, structuredHard+100) / 100
	soft := n * b.Between(structuredSoft-100, structuredSoft+100) / 100
	for hard+soft > 0 && !b.full() {
		from := b.among(low, max(low, high-structuredLeastBlock))
		to := min(high, from+int32(b.Between(structuredLeastBlock, structuredBlockVars)))
		makesSoft := b.Below(uint32(hard+soft)) < uint32(soft)
		made := 0
		switch b.Below(6) {
		case 0, 1, 2: // a block of random clauses
			for range b.Between(1, 20) {
				b.randomClause(b.growing(3, 9, 2), from, to, makesSoft)
				made++
			}
		case 3: // a chain of implications
			b.group(from, to, b.Between(2, 6))
			for i, next := range b.ints[1:] {
				b.soft2(makesSoft, -b.ints[i], next)
				made++
			}
		case 4: // an at-most-one
			b.group(from, to, b.Between(3, 4))
			for i, x := range b.ints {
				for _, y := range b.ints[:i] {
					b.soft2(makesSoft, -max(x, -x), -max(y, -y))
					made++
				}
			}
		default: // a soft unit
			b.lits = append(b.lits[:0], b.sign(from))
			b.end(true)
			made, makesSoft = 1, true
		}
		made = max(made, 1)
		if makesSoft {
			soft = max(0, soft-made)
		} else {
			hard = max(0, hard-made)
		}
	}
	b.weigh(evenWeights, b.Between64(1, 1<<b.Between(2, 24)))
}

// The family ranges makes simple layers of very many variables, of which few occur (PB26: Pollitt). The
// formulas have as many hard as soft clauses, weights within 32 bits, and nearly always an optimum of 0.
const (
	rangesMostVars   = 120_000
	rangesMostLayers = 6
	rangesClauses    = 140 // of a layer, hard or soft, at most
)

func makeRanges(b *Builder) {
	width := b.Between(1, 1<<b.Between(6, 16))
	for range b.Between(1, rangesMostLayers) {
		low, high := b.variables(min(width, rangesMostVars/rangesMostLayers))
		if high < low {
			break
		}
		for range b.Between(0, rangesClauses) {
			b.randomClause(b.growing(3, 9, 2), low, high, false)
		}
		for range b.Between(0, rangesClauses) {
			b.randomClause(b.growing(2, 6, 2), 1, high, true)
		}
	}
	b.weigh(evenWeights, b.Between64(2, 1<<20))
}

// The family xor makes unweighted systems of long XORs, cut into short ones (PB26: Soos).
const (
	xorMostVars   = 120
	xorMostLength = 8
	xorCut        = 4 // literals of a piece
)

func makeXor(b *Builder) {
	low, high := b.variables(max(2, min(b.Between(5, xorMostVars), 2*b.limits.Vars/3)))
	n := int(high - low + 1)
	for range n * b.Between(80, 110) / 100 {
		b.group(low, high, b.Between(2, xorMostLength))
		for len(b.ints) > xorCut {
			z := b.fresh()
			if z == 0 {
				b.ints = b.ints[:xorCut]
				break
			}
			var piece [xorCut]int32
			copy(piece[:], b.ints[:xorCut-1])
			piece[xorCut-1] = z // the sum of the piece
			b.xorClauses(0, false, piece[:])
			b.ints = append(b.ints[:0], b.ints[xorCut-1:]...)
			b.ints = append(b.ints, z)
		}
		var rest [xorCut]int32
		k := copy(rest[:], b.ints)
		b.xorClauses(0, false, rest[:k])
	}
	b.softUnits(b.Between(1, n))
	b.weigh(unitWeighing, 1)
}
