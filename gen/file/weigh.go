package file

import (
	"math"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

const mostMedium = 1_000_000

// edgeSums are sums at which some integer type or a float ends, or one that programs keep for themselves.
var edgeSums = [...]uint64{1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 53, 1<<63 - 1, 1 << 63, 1<<63 + 1,
	math.MaxUint64 - 2, math.MaxUint64 - 1}

func (g *Emitter) smallWeight() uint64 { return 1 + uint64(g.rand.Below(draw.SmallWeight)) }

// otherWeight draws the weight of a soft clause that comes again.
func (g *Emitter) otherWeight(weight uint64) uint64 {
	if g.rand.OneIn(3) {
		return weight
	}
	return g.smallWeight()
}

// weigh gives the soft clauses the weights that the features ask for, within the bounds.
func (g *Emitter) weigh() {
	if g.soft == 0 {
		return
	}
	r, fills := &g.rand, false
	switch {
	case g.Plain:
	case g.drawn(feature.BigWeights) && r.Chance(800):
		g.weighBy(g.bigWeight)
		fills = r.Flip()
	case g.drawn(feature.MediumWeights) && !g.drawn(feature.BigWeights):
		g.weighBy(func() uint64 { return 1 + uint64(r.Below(mostMedium))>>r.Below(16) })
		g.use(feature.MediumWeights)
	case g.drawn(feature.UnitWeights) && !g.drawn(feature.BigWeights):
		g.weighBy(func() uint64 { return 1 })
		g.use(feature.UnitWeights)
	}
	sum, left := uint64(0), uint64(g.soft)
	for i := range g.lines {
		if l := &g.lines[i]; l.isSoft() {
			left-- // each of these needs at least 1
			l.weight = max(1, min(l.weight, g.MaxWeight, g.MaxSum-sum-left))
			sum += l.weight
			g.noteWeight(l.weight)
		}
	}
	if fills {
		g.fillSum()
	}
}

func (g *Emitter) noteWeight(weight uint64) {
	if weight >= feature.LeastBig {
		g.use(feature.BigWeights)
	}
}

// weighBy draws new weights. Some soft clauses get that of the one before.
func (g *Emitter) weighBy(weight func() uint64) {
	last := uint64(0)
	for i := range g.lines {
		if l := &g.lines[i]; l.isSoft() {
			if last == 0 || !g.rand.OneIn(6) {
				last = weight()
			}
			l.weight = last
		}
	}
}

// bigWeight draws a weight at the end of an integer type, any from 2^31 on, or a small one.
func (g *Emitter) bigWeight() uint64 {
	r := &g.rand
	switch r.Below(10) {
	case 0, 1, 2, 3:
		return draw.EdgeWeights[r.Below(uint32(len(draw.EdgeWeights)))]
	case 4, 5:
		return r.Uint64()>>r.Between(1, 32) | feature.LeastBig
	}
	return g.smallWeight()
}

// fillSum raises weights until their sum is one at which an integer type ends.
func (g *Emitter) fillSum() {
	sum := uint64(0)
	for i := range g.lines {
		sum += g.lines[i].weight
	}
	goal := min(edgeSums[g.rand.Below(uint32(len(edgeSums)))], g.MaxSum)
	if g.rand.OneIn(4) {
		goal = g.MaxSum
	}
	for i := range g.lines {
		if l := &g.lines[i]; l.isSoft() && sum < goal {
			more := min(goal-sum, g.MaxWeight-l.weight)
			l.weight += more
			sum += more
			g.noteWeight(l.weight)
		}
	}
}
