package gen

import (
	"math"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A weightProfile is the scale of a trace's weights.
type weightProfile uint8

const (
	weightsSmall weightProfile = iota // 1 to 12
	weightsUnit
	weightsMedium // up to a million
	weightsBig    // from 2^31 on, mixed with small ones
)

const mostMedium = 1_000_000

func (g *emitter) weightProfile() weightProfile {
	switch {
	case g.drawn(feature.BigWeights):
		return weightsBig
	case g.drawn(feature.MediumWeights):
		return weightsMedium
	case g.drawn(feature.UnitWeights):
		return weightsUnit
	}
	return weightsSmall
}

// freshWeight draws the weight of a literal that is declared for the first time.
func (g *emitter) freshWeight() uint64 {
	r := &g.rand
	switch g.plan.weights {
	case weightsUnit:
		return 1
	case weightsMedium:
		return 1 + uint64(r.Below(mostMedium))>>r.Below(16)
	case weightsBig:
		switch r.Below(10) {
		case 0, 1, 2, 3:
			return draw.EdgeWeights[r.Below(uint32(len(draw.EdgeWeights)))]
		case 4, 5:
			return r.Uint64()>>r.Below(33) | feature.LeastBig
		case 6:
			return math.MaxUint64 // cut to what the sum leaves, so that the sum is full
		}
	}
	return 1 + uint64(r.Below(draw.SmallWeight))
}

// otherWeight draws the weight of a literal that has one already.
func (g *emitter) otherWeight(old uint64) uint64 {
	r := &g.rand
	weight := g.freshWeight()
	switch r.Below(8) {
	case 0:
		weight = old // declared again without a change
	case 1:
		weight = old / 2
	case 2:
		weight = old - min(old, 1)
	case 3:
		weight = old + 1 - old/math.MaxUint64
	case 4:
		weight = old + min(old, math.MaxUint64-old)
	}
	if g.plan.weights != weightsBig {
		weight = min(weight, mostMedium)
	}
	return weight
}

// fit lowers a weight to the bounds. The sum of the current weights never exceeds MaxSum, so it always
// fits in 64 bits. ok is false if only weight 0 fits and zero-weight was not drawn.
func (s *instance) fit(g *emitter, l uint8, weight uint64) (fitting uint64, ok bool) {
	others := s.sum - s.weight[l]
	weight = min(weight, g.config.MaxWeight, g.config.MaxSum-others)
	return weight, weight > 0 || g.drawn(feature.ZeroWeight)
}
