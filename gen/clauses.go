package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// Chances, in a thousand, within traces that draw the feature.
const (
	chanceEmpty     = 100
	chanceTautology = 200
	chanceDuplicate = 200
	chanceSplit     = 250
	chanceAgain     = 500 // an assumption that repeats or contradicts one
)

func (s *instance) clause(g *emitter) {
	if !g.fits(1) {
		return
	}
	if g.drawn(feature.EmptyClause) && s.clauses > 0 && g.rand.Chance(chanceEmpty) {
		g.t.Clause(s.number, true)
		s.clauses++
		s.changed = true
		g.use(feature.EmptyClause)
		return
	}
	lits, vars := s.clauseLiterals(g)
	s.emitClause(g, lits)
	s.mentioned |= vars
	s.inClause |= vars
	s.clauses++
	s.changed = true
}

// clauseLiterals draws at least one literal for a clause.
func (s *instance) clauseLiterals(g *emitter) (lits []int32, vars uint32) {
	r := &g.rand
	length := [...]int{1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5}[r.Below(16)]
	if g.plan.shape == shapeThreshold {
		length = 3
	}
	pool := below(s.active)
	if r.Chance(30) {
		pool = below(s.all) // perhaps a variable that no clause has so far
	}
	lits = g.lits[:0]
	var last uint8
	for len(lits) < length && vars != pool {
		last = g.literalOf(pool &^ vars)
		vars |= bit(variable(last))
		lits = append(lits, s.lit(last))
	}
	if g.drawn(feature.Tautology) && r.Chance(chanceTautology) {
		lits = append(lits, -lits[r.Below(uint32(len(lits)))])
		g.use(feature.Tautology)
	}
	if g.drawn(feature.DuplicateLiterals) && r.Chance(chanceDuplicate) {
		lits = append(lits, lits[r.Below(uint32(len(lits)))])
		g.use(feature.DuplicateLiterals)
	}
	return lits, vars
}

// emitClause adds the clause in one call or, if that feature is drawn, in two.
func (s *instance) emitClause(g *emitter, lits []int32) {
	if g.drawn(feature.SplitClause) && g.canSpare(2) && g.rand.Chance(chanceSplit) {
		first := 1 + g.rand.Below(uint32(len(lits)))
		g.t.Clause(s.number, false, lits[:first]...)
		g.t.Clause(s.number, true, lits[first:]...)
		g.use(feature.SplitClause)
		return
	}
	g.t.Clause(s.number, true, lits...)
}

// softLiteral declares a soft literal, if the drawn features and the bounds allow
// one.
func (s *instance) softLiteral(g *emitter) {
	if !g.fits(1) {
		return
	}
	l, ok := s.softCandidate(g)
	if !ok {
		return
	}
	again := has(s.soft, l)
	weight := uint64(0)
	switch {
	case g.drawn(feature.ZeroWeight) && g.rand.Chance(200): // stays 0
	case again:
		weight = g.otherWeight(s.weight[l])
	default:
		weight = g.freshWeight()
	}
	weight, ok = s.fit(g, l, weight)
	if !ok {
		return
	}
	s.noteSoft(g, l, weight, again)
	g.t.Soft(s.number, s.lit(l), weight)
	s.sum += weight - s.weight[l]
	s.weight[l] = weight
	s.soft |= bit(l)
	s.mentioned |= bit(variable(l))
	s.changed = true
}

// softCandidate picks the literal to declare.
func (s *instance) softCandidate(g *emitter) (l uint8, ok bool) {
	if g.drawn(feature.Redeclare) && s.soft != 0 && g.rand.Chance(350) {
		return pickFrom(&g.rand, s.soft), true
	}
	vars := s.inClause
	if g.drawn(feature.UnusedSoft) && (vars == 0 || g.rand.Chance(250)) {
		vars = below(s.all)
	}
	candidates := bothLiterals(vars)
	if !g.drawn(feature.Redeclare) {
		candidates &^= s.soft
	}
	if !g.drawn(feature.BothPolarities) {
		candidates &^= swapped(s.soft)
	}
	if !g.drawn(feature.AssumeSoft) {
		candidates &^= s.assumed | swapped(s.assumed)
	}
	if g.drawn(feature.BothPolarities) && g.rand.Chance(300) {
		if pairs := candidates & swapped(s.soft); pairs != 0 {
			candidates = pairs
		}
	}
	if candidates == 0 {
		return 0, false
	}
	return pickFrom(&g.rand, candidates), true
}

// bothLiterals returns both literals of every variable in the set.
func bothLiterals(vars uint32) uint32 {
	x := vars & 0xffff
	x = (x | x<<8) & 0x00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f
	x = (x | x<<2) & 0x33333333
	x = (x | x<<1) & 0x55555555
	return x | x<<1
}

// swapped returns the negations of the literals in the set.
func swapped(lits uint32) uint32 { return lits&0x55555555<<1 | lits>>1&0x55555555 }

// noteSoft records the features of a declaration.
func (s *instance) noteSoft(g *emitter, l uint8, weight uint64, again bool) {
	if again {
		g.use(feature.Redeclare)
	}
	if has(s.soft, negate(l)) {
		g.use(feature.BothPolarities)
	}
	if !has(s.inClause, variable(l)) {
		g.use(feature.UnusedSoft)
	}
	switch {
	case weight == 0:
		g.use(feature.ZeroWeight)
	case weight >= feature.LeastBig:
		g.use(feature.BigWeights)
	case g.plan.weights == weightsMedium:
		g.use(feature.MediumWeights)
	case g.plan.weights == weightsUnit:
		g.use(feature.UnitWeights)
	}
	if s.assumed&literals(variable(l)) != 0 {
		g.use(feature.AssumeSoft)
	}
}

// assumption assumes a literal for the next solve, if the drawn features allow one.
func (s *instance) assumption(g *emitter) {
	if s.listed == maxAssumptions || !g.fits(1) {
		return
	}
	known := s.mentioned
	if g.onlyUsed {
		known = s.inClause
	}
	if g.drawn(feature.FreshAssumption) && g.rand.Chance(250) {
		if fresh := below(s.all) &^ s.mentioned; fresh != 0 {
			known = fresh
		}
	}
	candidates := bothLiterals(known)
	if !g.drawn(feature.DuplicateAssumptions) || !g.rand.Chance(chanceAgain) {
		candidates &^= s.assumed
	} else if s.assumed != 0 && g.rand.Flip() {
		candidates = s.assumed
	}
	if !g.drawn(feature.ContradictoryAssumptions) || !g.rand.Chance(chanceAgain) {
		candidates &^= swapped(s.assumed)
	} else if opposite := candidates & swapped(s.assumed); opposite != 0 && g.rand.Flip() {
		candidates = opposite
	}
	softs := s.soft | swapped(s.soft)
	if !g.drawn(feature.AssumeSoft) {
		candidates &^= softs
	} else if candidates&softs != 0 && g.rand.Chance(400) {
		candidates &= softs
	}
	if candidates == 0 {
		return
	}
	s.assume(g, pickFrom(&g.rand, candidates))
}

// assume adds the assumption and records its features.
func (s *instance) assume(g *emitter, l uint8) {
	if has(s.assumed, l) {
		g.use(feature.DuplicateAssumptions)
	}
	if has(s.assumed, negate(l)) {
		g.use(feature.ContradictoryAssumptions)
	}
	if !has(s.mentioned, variable(l)) {
		g.use(feature.FreshAssumption)
	}
	if s.soft&literals(variable(l)) != 0 {
		g.use(feature.AssumeSoft)
	}
	g.t.Literal(s.number, apimodel.OpAssume, s.lit(l))
	s.assumed |= bit(l)
	s.mentioned |= bit(variable(l))
	s.list[s.listed] = l
	s.listed++
}
