package gen

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// assumeSofts assumes that soft literals cost nothing: all of them first, only some in later rounds.
func (s *spread) assumeSofts(g *emitter) {
	keep := uint32(1000)
	if s.shrinking {
		keep = uint32(g.rand.Between(300, 950))
	}
	if !g.drawn(feature.AssumeSoft) && g.maxSAT {
		s.assumeAny(g)
		return
	}
	for i := range s.softs {
		l := -s.softs[i].lit
		if len(s.assuming) >= mostSoftAssumed || !g.fits(4+3*g.plan.instances) {
			return
		}
		if g.rand.Chance(keep) && s.plainAssumption(g, l) {
			s.assumeLit(g, l)
		}
	}
}

const mostSoftAssumed = 64

// plainAssumption reports whether assuming the literal needs no feature that was not drawn. While
// the solve lacks a soft literal, and soft literals must not be assumed, no literal may be assumed:
// it could be the only one that can still become soft.
func (s *spread) plainAssumption(g *emitter, l int32) bool {
	v := s.state(l)
	if g.maxSAT && len(s.softs) == 0 && !g.drawn(feature.OnlyHard) && !g.drawn(feature.AssumeSoft) {
		return false
	}
	return (v.inClause || !g.onlyUsed) &&
		(v.mentioned || g.drawn(feature.FreshAssumption)) &&
		(g.drawn(feature.DuplicateAssumptions) || !s.isAssumed(l)) &&
		(g.drawn(feature.ContradictoryAssumptions) || !s.isAssumed(-l)) &&
		(!g.maxSAT || g.drawn(feature.AssumeSoft) || !s.isSoft(l) && !s.isSoft(-l))
}

// assumeAny assumes a literal, if it finds one: mostly one in use, now and then one that repeats or
// contradicts another assumption.
func (s *spread) assumeAny(g *emitter) {
	if !g.fits(1) {
		return
	}
	r := &g.rand
	for range 10 {
		l := s.anyLit(g)
		switch k := r.Below(20); {
		case k == 0 && len(s.assuming) > 0:
			l = s.assuming[r.Below(uint32(len(s.assuming)))]
		case k == 1 && len(s.assuming) > 0:
			l = -s.assuming[r.Below(uint32(len(s.assuming)))]
		case k == 2 && g.drawn(feature.FreshAssumption):
			if v := s.fresh(); v != 0 {
				l = v
			}
		case k < 6 && len(s.softs) > 0:
			l = -s.softs[r.Below(uint32(len(s.softs)))].lit
		case (s.isAssumed(l) || s.isAssumed(-l)) && !r.Chance(50):
			continue
		}
		if s.plainAssumption(g, l) {
			s.assumeLit(g, l)
			return
		}
	}
}

func (s *spread) assumeLit(g *emitter, l int32) {
	if !g.fits(1) {
		return
	}
	v := s.state(l)
	if s.isAssumed(l) {
		g.use(feature.DuplicateAssumptions)
	}
	if s.isAssumed(-l) {
		g.use(feature.ContradictoryAssumptions)
	}
	if !v.mentioned {
		g.use(feature.FreshAssumption)
	}
	if g.maxSAT && (s.isSoft(l) || s.isSoft(-l)) {
		g.use(feature.AssumeSoft)
	}
	g.t.Literal(s.number, apimodel.OpAssume, s.name(l))
	v.assumed[sideOf(l)] = s.epoch
	v.mentioned = true
	s.assuming = append(s.assuming, l)
}

// Parameters of falsification: how many literals of the clause stay as they are, and the chance, in a thousand, that
// another literal becomes false for good.
var (
	openLiterals = [...]int{0, 0, 1, 1, 1, 2, 3}
	forGood      = [...]uint32{0, 0, 0, 50, 500}
)

// falsify makes most literals of a long clause false: some for good, the others for the next solve. An open literal is
// mostly the last or the first of the clause.
func (s *spread) falsify(g *emitter) {
	lits := s.longClause(&g.rand)
	if len(lits) == 0 {
		s.assumeAny(g)
		return
	}
	r := &g.rand
	n := uint32(len(lits))
	var open [3]uint32
	count := min(openLiterals[r.Below(uint32(len(openLiterals)))], len(open))
	for i := range count {
		open[i] = [...]uint32{n - 1, n - 1, 0, r.Below(n), r.Below(n)}[r.Below(5)]
	}
	chance := forGood[r.Below(uint32(len(forGood)))]
	start := r.Below(n)
	for i := range n {
		at := (start + i) % n
		if slices.Contains(open[:count], at) {
			continue
		}
		if !g.fits(4 + 3*g.plan.instances) {
			return
		}
		l := -lits[at]
		if r.Chance(chance) {
			g.work = append(g.work[:0], l)
			s.hardClause(g, g.work)
		} else if s.plainAssumption(g, l) {
			s.assumeLit(g, l)
		}
	}
}

// longClause draws one of the clauses that the instance has, among those at least half as long as the longest.
func (s *spread) longClause(r *draw.Rand) (lits []int32) {
	most := 0
	for _, item := range s.items[:s.next] {
		lits, _ := s.f.Clause(int(item))
		most = max(most, len(lits))
	}
	seen := uint32(0)
	for _, item := range s.items[:s.next] {
		candidate, _ := s.f.Clause(int(item))
		if 2*len(candidate) < most {
			continue
		}
		if seen++; r.Below(seen) == 0 {
			lits = candidate
		}
	}
	return lits
}
