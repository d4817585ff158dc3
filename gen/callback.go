package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// beforeIncrement makes calls that do not change the formula: callbacks, options,
// the signature.
func (g *Generator) beforeIncrement(s *instance, first bool) {
	r := &g.rand
	if g.drawn(feature.Terminate) && r.Chance(600) {
		g.arm(s)
	}
	if g.drawn(feature.Learn) && r.Chance(500) {
		g.learn(s)
	}
	if !first && g.drawn(feature.Options) && r.Chance(200) {
		g.laterOption(s)
	}
	if !first && g.drawn(feature.Signature) && r.Chance(200) {
		g.signature(s)
	}
}

// arm sets, replaces or removes the terminate callback.
func (g *Generator) arm(s *instance) {
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
func (g *Generator) disarm(s *instance) {
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

func (g *Generator) learn(s *instance) {
	if !g.canSpare(1) {
		return
	}
	g.use(feature.Learn)
	if g.rand.Chance(150) {
		g.t.TakeAway(s.number, apimodel.OpLearn)
		return
	}
	most := g.rand.Below(6)
	if g.now.learned > 0 && g.rand.Flip() {
		most = g.rand.Below(uint32(g.now.learned) + 1)
	}
	g.t.Count(s.number, apimodel.OpLearn, most)
}

func (g *Generator) signature(s *instance) {
	if g.canSpare(1) {
		g.t.Plain(s.number, apimodel.OpSignature)
		g.use(feature.Signature)
	}
}

// havoc calls ipafuzz_havoc with a small number, which libraries are likely to distinguish, or with
// any number.
func (g *Generator) havoc(s *instance) {
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
