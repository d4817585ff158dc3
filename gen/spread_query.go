package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// askOne asks a question about one literal, or repeats one.
func (s *spread) askOne(g *emitter) {
	r := &g.rand
	if g.drawn(feature.RepeatQuery) && s.askedWhole != 0 && r.Chance(150) {
		s.instance.emitWhole(g, s.askedWhole&-s.askedWhole)
		return
	}
	if !g.maxSAT && (s.failing != 0 || g.drawn(feature.FailedOther)) && r.Chance(450) {
		s.askOneFailed(g)
		return
	}
	for range 10 {
		l := s.anyLit(g)
		switch k := r.Below(20); {
		case k == 0 && g.drawn(feature.UnseenQuery):
			if v := s.fresh(); v != 0 {
				l = v
			}
		case k < 4:
			l = 1 + int32(r.Below(uint32(s.top())))
			if r.Flip() {
				l = -l
			}
		}
		v, side := s.state(l), sideOf(l)
		again := v.val[side] == s.epoch || v.val[1-side] == s.epoch
		if again && !g.drawn(feature.RepeatQuery) || !v.mentioned && !g.drawn(feature.UnseenQuery) {
			continue
		}
		if !g.fits(1) {
			return
		}
		if again {
			g.use(feature.RepeatQuery)
		}
		v.val[side] = s.epoch
		g.t.Literal(s.number, apimodel.OpVal, s.name(l))
		s.noteOne(g, v)
		return
	}
}

// askOneFailed asks about an assumption of the last solve or, if that feature was drawn, about
// another literal.
func (s *spread) askOneFailed(g *emitter) {
	r := &g.rand
	for range 6 {
		l := s.anyLit(g)
		if len(s.before) > 0 && (!g.drawn(feature.FailedOther) || r.Chance(600)) {
			l = s.before[r.Below(uint32(len(s.before)))]
		}
		v, side := s.state(l), sideOf(l)
		again := v.failed[side] == s.epoch
		if again && !g.drawn(feature.RepeatQuery) || !v.mentioned && !g.drawn(feature.UnseenQuery) ||
			!s.wasAssumed(l) && !g.drawn(feature.FailedOther) {
			continue
		}
		if !g.fits(1) {
			return
		}
		if again {
			g.use(feature.RepeatQuery)
		}
		if !s.wasAssumed(l) {
			g.use(feature.FailedOther)
		}
		v.failed[side] = s.epoch
		g.t.Literal(s.number, apimodel.OpFailed, s.name(l))
		s.noteOne(g, v)
		return
	}
}

func (s *spread) noteOne(g *emitter, v *varState) {
	if !v.mentioned {
		g.use(feature.UnseenQuery)
	}
	v.mentioned = true
	if s.asked++; s.asked >= feature.ManyQueriesFrom {
		g.use(feature.ManyQueries)
	}
}
