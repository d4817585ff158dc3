package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// beforeIncrement makes calls that do not change the formula: callbacks, options,
// the signature.
func (s *instance) beforeIncrement(g *emitter, first bool) {
	r := &g.rand
	if g.drawn(feature.Terminate) && r.Chance(600) {
		s.arm(g)
	}
	if g.drawn(feature.Learn) && r.Chance(500) {
		s.learn(g)
	}
	if !first && g.drawn(feature.Options) && r.Chance(200) {
		s.laterOption(g)
	}
	if !first && g.drawn(feature.Signature) && r.Chance(200) {
		s.signature(g)
	}
}

// arm sets, replaces or removes the terminate callback.
func (s *instance) arm(g *emitter) {
	if !g.canSpare(1) {
		return
	}
	g.use(feature.Terminate)
	if g.rand.Chance(120) {
		g.t.TakeAway(s.number, apimodel.OpTerminate)
		s.armed = false
		return
	}
	count := [...]uint32{0, 1, 1, 2, 2, 3, 4, 5, 6}[g.rand.Below(9)]
	g.t.Count(s.number, apimodel.OpTerminate, count)
	s.armed = count > 0
}

// disarm changes the terminate callback after a solve that it may have stopped, mostly so that the
// next solve runs to its end: it removes the callback, or sets one that never says stop. One time
// in eight, it sets another one that does.
func (s *instance) disarm(g *emitter) {
	if !g.fits(1) {
		return
	}
	g.use(feature.Terminate)
	switch g.rand.Below(8) {
	case 0:
		g.t.Count(s.number, apimodel.OpTerminate, 0)
	case 1:
		g.t.Count(s.number, apimodel.OpTerminate, uint32(g.rand.Between(1, 6)))
		return
	default:
		g.t.TakeAway(s.number, apimodel.OpTerminate)
	}
	s.armed = false
}

func (s *instance) learn(g *emitter) {
	if !g.canSpare(1) {
		return
	}
	g.use(feature.Learn)
	if g.rand.Chance(150) {
		g.t.TakeAway(s.number, apimodel.OpLearn)
		return
	}
	most := g.rand.Below(6)
	if g.current.Learned > 0 && g.rand.Flip() {
		most = g.rand.Below(uint32(g.current.Learned) + 1)
	}
	g.t.Count(s.number, apimodel.OpLearn, most)
}

func (s *instance) signature(g *emitter) {
	if g.canSpare(1) {
		g.t.Plain(s.number, apimodel.OpSignature)
		g.use(feature.Signature)
	}
}

// havoc calls ipafuzz_havoc with a small number, which libraries are likely to distinguish, or with
// any number.
func (s *instance) havoc(g *emitter) {
	if !g.canSpare(1) {
		return
	}
	value := g.rand.Uint64()
	if value&1 != 0 {
		value = value >> 1 & 15
	}
	g.t.Havoc(s.number, value)
	g.use(feature.Havoc)
}
