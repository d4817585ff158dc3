package family

// soften gives a formula of hard clauses soft ones, in one of four ways. None of the papers does this:
// the ways are our choice.
func (b *Builder) soften() {
	if b.allHard {
		return
	}
	switch b.Below(4) {
	case 0: // unit soft clauses over some of the variables
		b.softUnits(b.Between(1, min(b.f.Vars, softenMostUnits)))
	case 1: // a part of the clauses
		b.softenClauses(uint32(b.Between(softenLeastShare, softenMostShare)))
	case 2: // all clauses: plain MaxSAT
		b.softenClauses(1000)
	default: // both
		b.softenClauses(softenLeastShare)
		b.softUnits(b.Between(1, min(b.f.Vars, softenMostUnits)))
	}
	b.weigh(evenWeights, b.largestWeight())
}

const (
	softenMostUnits  = 40
	softenLeastShare = 50  // of a thousand clauses
	softenMostShare  = 500 // of a thousand clauses
)

// softUnits makes unit soft clauses of n random variables, each at most once.
func (b *Builder) softUnits(n int) {
	for range n {
		if v := b.pickUnmarked(); v != 0 {
			b.soft(b.sign(v))
		}
	}
	clear(b.truth)
}

// pickUnmarked draws a variable that it has not drawn since b.truth was cleared. It returns 0 if a few
// tries find none.
func (b *Builder) pickUnmarked() int32 {
	for len(b.truth) <= b.f.Vars {
		b.truth = append(b.truth, false)
	}
	for range 8 {
		if v := b.anyVar(); !b.truth[v] {
			b.truth[v] = true
			return v
		}
	}
	return 0
}

// softenClauses makes each hard clause soft with the chance perMille, as long as
// the additional calls fit.
func (b *Builder) softenClauses(perMille uint32) {
	for i := range b.f.clauses {
		c := &b.f.clauses[i]
		if c.weight > 0 || !b.Chance(perMille) {
			continue
		}
		if c.len > 1 {
			if b.limits.Calls < 1 {
				return
			}
			b.limits.Calls--
		}
		c.weight = 1
	}
}
