package gen

import (
	"math"

	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A plan is what the generator decides about a trace before its first call.
type plan struct {
	instances int
	weights   weightProfile
	shape     shape
	shuffled  bool   // clauses, soft literals and assumptions are mixed
	positive  uint32 // chance that a literal is positive, in 1024
	havoc     uint32 // chance of a havoc before a step, in 1000
	again     uint32 // chance that a solve is repeated, in 1000
}

// A shape is the number of clauses in relation to the variables.
type shape uint8

const (
	shapeNormal    shape = iota
	shapeFew             // mostly satisfiable
	shapeThreshold       // random 3-SAT at 4.3 clauses a variable: either answer, some search
)

// rollFeatures draws a number for every feature, on or off, so that switching one off changes little in
// traces that did not have it.
func (g *emitter) rollFeatures(features []feature.Feature) {
	g.on = 0
	var dice uint64
	for i, f := range features {
		if i%4 == 0 {
			dice = g.rand.Uint64() // enough for four
		}
		if uint32(uint16(dice)) < g.current.thresholds[f] {
			g.on |= 1 << f
		}
		dice >>= 16
	}
}

var tinyFeatures = feature.Set(1<<feature.TinyEnd - 1).List()

// draw decides the features and the plan of a tiny trace.
func (g *emitter) draw() {
	r := &g.rand
	g.rollFeatures(tinyFeatures)
	g.settleFeatures()
	p := &g.plan
	p.havoc, p.again = 80, 300
	p.weights = g.weightProfile()
	if g.drawn(feature.FewClauses) {
		p.shape = shapeFew
	}
	if g.drawn(feature.Threshold) {
		p.shape = shapeThreshold
	}
	p.shuffled = r.Chance(250)
	p.positive = [...]uint32{512, 512, 512, 300, 720, 870}[r.Below(6)]
	for i := range p.instances {
		g.insts[i] = instance{number: uint16(i)}
		g.insts[i].drawInstance(g)
	}
}

// settleFeatures drops drawn features that cannot happen, and begins the plan.
func (g *emitter) settleFeatures() {
	g.on &= g.possible
	if g.drawn(feature.NoHard) && !g.drawn(feature.UnusedSoft) && !g.drawn(feature.OnlyHard) {
		g.on &^= 1 << feature.NoHard // the trace needs a soft literal, and could not declare one
	}
	if g.drawn(feature.Terminate) && g.possible.Has(feature.RepeatSolve) && g.rand.Chance(700) {
		g.on |= 1 << feature.RepeatSolve // a complete solve after one that was stopped
	}
	g.countInstances()
}

// countInstances begins the plan with the number of instances.
func (g *emitter) countInstances() {
	if g.config.MaxCalls < 12*3 {
		g.on &^= 1<<feature.TwoInstances | 1<<feature.ThreeInstances // each would end before it solves
	}
	g.begun = 0
	g.plan = plan{instances: 1}
	if g.drawn(feature.TwoInstances) {
		g.plan.instances = 2
	}
	if g.drawn(feature.ThreeInstances) {
		g.plan.instances = 3
	}
}

// drawInstance decides the size of an instance and names its variables.
func (s *instance) drawInstance(g *emitter) {
	r := &g.rand
	most := g.config.MaxVars
	small := r.Chance(600)
	size := r.Between(3, 12)
	switch {
	case g.drawn(feature.OneOrTwoVariables):
		size = r.Between(1, 2)
	case small:
		size = 3 + size/3
	}
	if g.plan.shape == shapeThreshold && size < 5 && !g.drawn(feature.OneOrTwoVariables) {
		size += 3
	}
	s.size = min(size, most)
	if s.size <= 2 && size <= 2 {
		g.use(feature.OneOrTwoVariables)
	}
	s.all = min(s.size+r.Between(1, 4), most)
	s.active = s.size
	if s.size > 3 && r.Chance(400) {
		s.active = r.Between(3, s.size) // later increments use the rest
	}
	s.nameVariables(g)

	s.increments = r.Between(1, feature.UsualSolves)
	if g.plan.instances > 1 {
		s.increments = min(s.increments, 3)
	}
	if g.drawn(feature.ManySolves) {
		s.increments = r.Between(feature.UsualSolves+1, mostSolves)
	}
	if g.drawn(feature.ReleaseReinit) {
		s.rebirths = r.Between(1, 2)
		s.increments = max(s.increments, 2)
	}
}

// nameVariables gives the instance's variables their numbers in the trace: 1, 2, 3
// and so on, or numbers that are far apart.
func (s *instance) nameVariables(g *emitter) {
	r := &g.rand
	for v := range s.all {
		s.names[v] = int32(v + 1)
	}
	if g.drawn(feature.Gaps) {
		far := int32(r.Between(feature.LeastFar, 5000))
		if r.Chance(100) {
			far = 1 << 20
		}
		step := int32(r.Between(1, 40))
		from := r.Between(0, s.size-1)
		for v := from; v < s.all; v++ {
			s.names[v] = far + int32(v-from)*step
		}
		if r.Flip() {
			s.names[0], s.names[s.size-1] = s.names[s.size-1], s.names[0]
		}
	}
	if g.drawn(feature.MaxVariable) {
		s.names[r.Below(uint32(s.size))] = math.MaxInt32
	}
}
