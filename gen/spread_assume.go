package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// assumeSofts assumes that soft literals cost nothing: all of them first, only some in later rounds.
func (g *Generator) assumeSofts(s *spread) {
	keep := uint32(1000)
	if s.shrinking {
		keep = uint32(g.rand.Between(300, 950))
	}
	if !g.drawn(feature.AssumeSoft) && g.maxSAT {
		g.assumeAny(s)
		return
	}
	for i := range s.softs {
		l := -s.softs[i].lit
		if len(s.assuming) >= mostSoftAssumed || !g.fits(4+3*g.plan.instances) {
			return
		}
		if g.rand.Chance(keep) && g.plainAssumption(s, l) {
			g.assumeLit(s, l)
		}
	}
}

const mostSoftAssumed = 64

// plainAssumption reports whether assuming the literal needs no feature that was not drawn. While
// the solve lacks a soft literal, and soft literals must not be assumed, no literal may be assumed:
// it could be the only one that can still become soft.
func (g *Generator) plainAssumption(s *spread, l int32) bool {
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
func (g *Generator) assumeAny(s *spread) {
	if !g.fits(1) {
		return
	}
	r := &g.rand
	for range 10 {
		l := g.anyLit(s)
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
		if g.plainAssumption(s, l) {
			g.assumeLit(s, l)
			return
		}
	}
}

func (g *Generator) assumeLit(s *spread, l int32) {
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
