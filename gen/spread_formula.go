package gen

import (
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// addItem makes the calls for the next clause of the formula. The negation of a unit soft clause
// becomes a soft literal. A longer soft clause becomes a hard clause with a relaxation variable,
// which is soft. For a SAT solver, nothing is soft, but the schedule may assume the negations.
func (s *spread) addItem(g *emitter) {
	if s.next >= len(s.items) {
		return
	}
	lits, weight := s.f.Clause(int(s.items[s.next]))
	s.next++
	switch {
	case weight == 0:
		s.hardClause(g, lits)
	case len(lits) == 1 && !g.maxSAT:
		s.softs = append(s.softs, declared{-lits[0], weight, weight, int32(s.solves)})
	case len(lits) == 1 && s.plainSoft(g, -lits[0]):
		s.declare(g, -lits[0], weight)
	default:
		s.relaxed(g, lits, weight)
	}
}

// relaxed adds a soft clause with a relaxation variable. If there is no room for one, it declares
// one literal of the clause, if it may declare any.
func (s *spread) relaxed(g *emitter, lits []int32, weight uint64) {
	if !g.fits(4 + 3*g.plan.instances) {
		return
	}
	b := s.fresh()
	if b == 0 {
		for _, l := range lits {
			if g.maxSAT && s.plainSoft(g, -l) {
				s.declare(g, -l, weight)
				return
			}
		}
		return
	}
	s.values[b] = !s.satisfies(lits)
	g.work = append(append(g.work[:0], lits...), b)
	s.hardClause(g, g.work)
	if g.maxSAT {
		s.declare(g, b, weight)
	} else {
		s.softs = append(s.softs, declared{b, weight, weight, int32(s.solves)})
	}
}

// plainSoft reports whether declaring the literal, which must not be soft yet, needs no feature
// that was not drawn.
func (s *spread) plainSoft(g *emitter, lit int32) bool {
	v := s.state(lit)
	return !s.isSoft(lit) &&
		(g.drawn(feature.BothPolarities) || !s.isSoft(-lit)) &&
		(v.inClause || g.drawn(feature.UnusedSoft)) &&
		(g.drawn(feature.AssumeSoft) || !s.isAssumed(lit) && !s.isAssumed(-lit))
}

// declare declares a soft literal, for the first time or again.
func (s *spread) declare(g *emitter, lit int32, weight uint64) {
	if !g.fits(1) {
		return
	}
	v, side := s.state(lit), sideOf(lit)
	again := v.soft[side] != 0
	old := uint64(0)
	if again {
		old = s.softs[v.soft[side]-1].weight
	}
	weight = min(weight, g.config.MaxWeight, g.config.MaxSum-(s.sum-old))
	if !g.drawn(feature.BigWeights) {
		weight = min(weight, feature.LeastBig-1)
	}
	if weight == 0 && !g.drawn(feature.ZeroWeight) || again && !g.drawn(feature.Redeclare) {
		return
	}
	if again {
		g.use(feature.Redeclare)
		s.softs[v.soft[side]-1].weight = weight
	} else {
		s.softs = append(s.softs, declared{lit, weight, max(weight, 1), int32(s.solves)})
		v.soft[side] = int32(len(s.softs))
	}
	if v.soft[1-side] != 0 {
		g.use(feature.BothPolarities)
	}
	if !v.inClause {
		g.use(feature.UnusedSoft)
	}
	if weight == 0 {
		g.use(feature.ZeroWeight)
	} else if weight >= feature.LeastBig {
		g.use(feature.BigWeights)
	}
	if s.isAssumed(lit) || s.isAssumed(-lit) {
		g.use(feature.AssumeSoft)
	}
	g.t.Soft(s.number, s.name(lit), weight)
	s.sum += weight - old
	v.mentioned = true
	s.changed = true
}

// hardClause adds a clause, now and then with a superfluous literal.
func (s *spread) hardClause(g *emitter, lits []int32) {
	r := &g.rand
	if !g.fits(1) || s.f.Repeats && !g.simplify(&lits) {
		return
	}
	if g.drawn(feature.EmptyClause) && s.clauses > 0 && r.Chance(chanceEmptyOfMany) {
		g.t.Clause(s.number, true)
		s.clauses++
		s.changed = true
		g.use(feature.EmptyClause)
		if !g.fits(1) {
			return
		}
	}
	g.names = g.names[:0]
	for _, l := range lits {
		v := s.state(l)
		v.mentioned, v.inClause = true, true
		g.names = append(g.names, s.name(l))
	}
	if g.drawn(feature.Tautology) && !s.f.Repeats && len(lits) > 0 && r.Chance(chanceOddOfMany) {
		g.names = append(g.names, -g.names[r.Below(uint32(len(g.names)))])
		g.use(feature.Tautology)
	}
	if g.drawn(feature.DuplicateLiterals) && !s.f.Repeats && len(lits) > 0 && r.Chance(chanceOddOfMany) {
		g.names = append(g.names, g.names[r.Below(uint32(len(g.names)))])
		g.use(feature.DuplicateLiterals)
	}
	s.clauses++
	s.changed = true
	if len(g.names) == 0 {
		g.t.Clause(s.number, true)
		g.use(feature.EmptyClause)
		return
	}
	if n := uint32(len(g.names)); n >= 3 && g.drawn(feature.SplitClause) && g.canSpare(3) && r.Chance(chanceThreeParts) {
		first := 1 + r.Below(n-2)
		second := first + 1 + r.Below(n-first-1)
		g.t.Clause(s.number, false, g.names[:first]...)
		g.t.Clause(s.number, false, g.names[first:second]...)
		g.t.Clause(s.number, true, g.names[second:]...)
		g.use(feature.SplitClause)
		return
	}
	s.instance.emitClause(g, g.names)
}

// simplify removes repeated literals from a clause unless that feature was drawn. It returns false
// if the clause is a tautology, unless that feature was drawn.
func (g *emitter) simplify(lits *[]int32) bool {
	for i, l := range *lits {
		for k, other := range (*lits)[:i] {
			if other != l && other != -l {
				continue
			}
			return g.simplifyFrom(lits, k)
		}
	}
	return true
}

// simplifyFrom is simplify for a clause that has a variable twice, first at k.
func (g *emitter) simplifyFrom(lits *[]int32, k int) bool {
	kept, shown := append(g.kept[:0], (*lits)[:k]...), feature.Set(0)
	for _, l := range (*lits)[k:] {
		if slices.Contains(kept, -l) {
			if !g.drawn(feature.Tautology) {
				return false
			}
			shown |= 1 << feature.Tautology
		}
		if slices.Contains(kept, l) {
			if !g.drawn(feature.DuplicateLiterals) {
				continue
			}
			shown |= 1 << feature.DuplicateLiterals
		}
		kept = append(kept, l)
	}
	g.kept, *lits = kept, kept
	g.used |= shown
	return true
}

// Chances in a thousand for each clause. Formulas are larger here than those of tiny, so the chances
// are smaller.
const (
	chanceEmptyOfMany = 5
	chanceOddOfMany   = 30
	chanceThreeParts  = 50
)

// anyClause adds a clause of random variables.
func (s *spread) anyClause(g *emitter) {
	r := &g.rand
	n := min(r.Between(1, 3), s.f.Vars)
	g.work = g.work[:0]
	for range n {
		g.workOn(s.anyLit(g))
	}
	s.hardClause(g, g.work)
}

// workOn adds a literal to the clause, unless the clause has its variable.
func (g *emitter) workOn(l int32) {
	if !slices.Contains(g.work, l) && !slices.Contains(g.work, -l) {
		g.work = append(g.work, l)
	}
}

// anyLit draws a literal of one of the formula's variables.
func (s *spread) anyLit(g *emitter) int32 {
	n, random := g.rand.BelowAndBits(uint32(s.f.Vars))
	if random&1 != 0 {
		return -int32(n + 1)
	}
	return int32(n + 1)
}

// anySoft declares a soft literal, if it finds one.
func (s *spread) anySoft(g *emitter) {
	for range 20 {
		if l := s.anyLit(g); s.plainSoft(g, l) {
			s.declare(g, l, 1+uint64(g.rand.Below(draw.SmallWeight)))
			return
		}
	}
	g.work = append(g.work[:0], s.anyLit(g))
	s.relaxed(g, g.work[:1], 1)
}

// reweigh declares a soft literal again, with another weight.
func (s *spread) reweigh(g *emitter) {
	if len(s.softs) == 0 || !g.maxSAT || !g.drawn(feature.Redeclare) {
		s.anyClause(g)
		return
	}
	d := s.softs[g.rand.Below(uint32(len(s.softs)))]
	if !g.drawn(feature.AssumeSoft) && (s.isAssumed(d.lit) || s.isAssumed(-d.lit)) {
		return
	}
	weight := d.weight
	switch g.rand.Below(8) {
	case 0: // the same again
	case 1, 2:
		weight = 0 // it costs nothing, if zero-weight was drawn
	case 3:
		weight /= 2
	case 4:
		weight += min(weight, math.MaxUint64-weight)
	case 5:
		weight = d.first
	default:
		weight = g.rand.Between64(1, max(2*d.first, 2))
	}
	if weight == 0 && !g.drawn(feature.ZeroWeight) {
		weight = 1
	}
	s.declare(g, d.lit, weight)
}

// harden adds a unit clause that forbids the cost of a soft literal, or now and then demands it.
func (s *spread) harden(g *emitter) {
	if len(s.softs) == 0 || !g.drawn(feature.HardenSoft) {
		s.anyClause(g)
		return
	}
	l := -s.softs[g.rand.Below(uint32(len(s.softs)))].lit
	if g.rand.Chance(150) {
		l = -l
	}
	g.work = append(g.work[:0], l)
	s.hardClause(g, g.work)
	g.use(feature.HardenSoft)
}

// silence sets weights of earlier increments to 0, if the features for that were drawn, so that only
// the next level counts.
func (s *spread) silence(g *emitter) {
	if !g.drawn(feature.Redeclare) || !g.drawn(feature.ZeroWeight) {
		return
	}
	for i := range s.softs {
		if d := &s.softs[i]; d.weight > 0 && int(d.level) < s.solves && g.rand.Chance(900) {
			if g.drawn(feature.AssumeSoft) || !s.isAssumed(d.lit) && !s.isAssumed(-d.lit) {
				s.declareSpare(g, d.lit, 0)
			}
		}
	}
}

// declareSpare declares a soft literal again, unless few calls are left.
func (s *spread) declareSpare(g *emitter, lit int32, weight uint64) {
	if g.fits(4 + 3*g.plan.instances) {
		s.declare(g, lit, weight)
	}
}

// sweep gives every other soft literal a share of its weight, and the rest of them the remaining
// share of theirs, as a bi-objective search does.
func (s *spread) sweep(g *emitter) {
	if !g.drawn(feature.Redeclare) || !g.maxSAT || len(s.softs) == 0 {
		s.anyClause(g)
		return
	}
	parts := uint64(4)
	k := uint64(g.rand.Between(1, 3))
	for i := range s.softs {
		d := s.softs[i]
		share := k
		if i%2 != 0 {
			share = parts - k
		}
		if g.drawn(feature.AssumeSoft) || !s.isAssumed(d.lit) && !s.isAssumed(-d.lit) {
			s.declareSpare(g, d.lit, max(1, d.first/parts*share+d.first%parts*share/parts))
		}
	}
}

// hit adds a clause of soft literals: at least one of these costs must be paid.
func (s *spread) hit(g *emitter) {
	if len(s.softs) == 0 {
		s.anyClause(g)
		return
	}
	n := g.rand.Between(2, 5)
	g.work = g.work[:0]
	for range n {
		g.workOn(s.softs[g.rand.Below(uint32(len(s.softs)))].lit)
	}
	s.hardClause(g, g.work)
}

// block adds a clause that forbids one assignment of the formula's variables, or of the first few.
func (s *spread) block(g *emitter) {
	g.work = g.work[:0]
	for v := int32(1); v <= int32(min(s.f.Vars, mostBlocked)); v++ {
		l := v
		if g.rand.Flip() {
			l = -v
		}
		g.work = append(g.work, l)
	}
	s.hardClause(g, g.work)
}

const mostBlocked = 20 // P24 section 4.1.4: enumeration has up to 20 variables

// activate retires the current activation literal, adds clauses under a new one, and assumes the new
// one together with a few other literals.
func (s *spread) activate(g *emitter) {
	if s.active != 0 {
		g.work = append(g.work[:0], -s.active)
		s.hardClause(g, g.work)
		s.active = 0
	}
	a := int32(0)
	if g.drawn(feature.Activation) && g.fits(8+4*g.plan.instances) {
		a = s.fresh()
	}
	if a == 0 {
		s.anyClause(g)
		return
	}
	for range s.todo.actives {
		g.work = append(g.work[:0], -a)
		for range g.rand.Between(1, 3) {
			g.workOn(s.anyLit(g))
		}
		s.hardClause(g, g.work)
		if !g.fits(8 + 4*g.plan.instances) {
			break
		}
	}
	s.active = a
	s.assumeLit(g, a)
	g.use(feature.Activation)
	s.todo.assumes += g.rand.Between(0, 3)
}
