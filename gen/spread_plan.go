package gen

import (
	"cmp"
	"math"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/profile"
)

// Shares of the bounds that the formula of a spread trace may use. The rest is for solves,
// questions, assumptions and relaxation variables.
const (
	formulaCalls = 3 // of four calls, the formula may use three
	relaxShare   = 3 // of three variables, one is for relaxation
	mostUngapped = feature.LeastFar - 1

	// In a trace with hundreds of solves, exhaustive search judges instances of so many variables. For a SAT solver,
	// one instance in manyVars has more, mostly activation literals.
	searchable = 14
	manyVars   = 8
)

// drawSpread decides the features and the plan of a trace whose formulas come from
// a family, and makes the formulas.
func (g *emitter) drawSpread() {
	r := &g.rand
	g.on = 0
	for f := range feature.SpreadEnd {
		if r.Below(65536) < g.current.thresholds[f] {
			g.on |= 1 << f
		}
	}
	g.settleFeatures()
	p := &g.plan
	p.weights, p.shuffled, p.positive = g.weightProfile(), r.Chance(250), 512
	p.havoc, p.again = 40, 200
	for i := range p.instances {
		g.spreads[i].drawSpreadInstance(g, uint16(i))
	}
}

func (s *spread) drawSpreadInstance(g *emitter, number uint16) {
	r := &g.rand
	s.instance = instance{number: number}
	s.maxVars = g.config.MaxVars
	if !g.drawn(feature.Gaps) {
		s.maxVars = min(s.maxVars, mostUngapped)
	}
	limits := family.Limits{
		Vars:      s.maxVars,
		Calls:     max(1, g.config.MaxCalls*formulaCalls/4/g.plan.instances-4),
		MaxWeight: g.config.MaxWeight,
		MaxSum:    g.config.MaxSum,
	}
	if g.current.Longhand {
		limits.Calls = max(1, limits.Calls/longhandCalls)
	}
	if g.maxSAT || s.maxVars > 4 {
		limits.Vars = max(1, s.maxVars-s.maxVars/relaxShare)
	}
	if g.current.Solves > 0 && (g.maxSAT || !r.OneIn(manyVars)) {
		s.maxVars = min(s.maxVars, searchable)
		limits.Vars = s.maxVars - s.maxVars/relaxShare
	}
	if most := g.current.Formula; most != (profile.Bounds{}) {
		limits.Vars, limits.Calls = min(limits.Vars, most.MaxVars), min(limits.Calls, most.MaxCalls)
	}
	if !g.drawn(feature.BigWeights) {
		limits.MaxWeight = min(limits.MaxWeight, feature.LeastBig-1)
	}
	g.family.Make(&g.builder, r.Split(), &s.f, limits)
	s.f.Vars = cmp.Or(s.f.Vars, 1)
	s.schedule = s.drawSchedule(g)
	s.increments = r.Between(leastIncrements, mostIncrements)
	if s.schedule == family.OneShot {
		s.increments = 1
	} else if g.plan.instances > 1 {
		s.increments = min(s.increments, 3)
	}
	if g.drawn(feature.ManySolves) && s.schedule != family.OneShot {
		s.increments = g.manySolves()
	}
	if g.drawn(feature.ReleaseReinit) {
		s.rebirths = 1
		s.increments = max(s.increments, 2)
	}
	s.drawOrder(g)
	s.drawNames(g)
	s.phase = beginning
}

// drawSchedule draws mostly the schedule that the family wishes, otherwise one of the profile. If that
// does not suit the trace, it is freely.
func (s *spread) drawSchedule(g *emitter) family.Schedule {
	r := &g.rand
	wished, pick := s.f.Wish, r.Below(g.current.scheduleTotal)
	if follow := r.Chance(700); wished != family.AnySchedule && follow && g.suits(wished) {
		return wished
	}
	for _, share := range g.current.schedules {
		if pick < share.Share {
			if g.suits(share.Schedule) {
				return share.Schedule
			}
			break
		}
		pick -= share.Share
	}
	return family.Freely
}

// suits reports whether a schedule makes sense for the model and the drawn features.
func (g *emitter) suits(s family.Schedule) bool {
	switch {
	case needsSoft(s) && !g.maxSAT:
		return false
	case s == family.Hardening && !g.drawn(feature.HardenSoft), s == family.Activations && !g.drawn(feature.Activation):
		return false
	case (s == family.ReweighOnly || s == family.BiObjective) && !g.drawn(feature.Redeclare):
		return false
	}
	return true
}

// drawOrder decides the order of the clauses: the family's, hard clauses before soft ones, or random.
func (s *spread) drawOrder(g *emitter) {
	r := &g.rand
	order := r.Below(5)
	s.items = s.items[:0]
	s.inOrder = order < 2 || len(s.f.Cuts) > 0
	switch {
	case s.inOrder || order == 4:
		for i := range s.f.Clauses() {
			s.items = append(s.items, uint32(i))
		}
	default:
		for i := range s.f.Clauses() {
			if _, weight := s.f.Clause(i); weight == 0 {
				s.items = append(s.items, uint32(i))
			}
		}
		for i := range s.f.Clauses() {
			if _, weight := s.f.Clause(i); weight > 0 {
				s.items = append(s.items, uint32(i))
			}
		}
	}
	if order == 4 && !s.inOrder {
		draw.Shuffle(r, s.items)
	}
}

// drawNames decides the variables' numbers in the trace.
func (s *spread) drawNames(g *emitter) {
	r := &g.rand
	s.firstFar, s.farthest = math.MaxInt32, 0
	if g.drawn(feature.Gaps) && !g.current.Plain && (!g.current.Dense || r.OneIn(8)) {
		s.firstFar = 1 + int32(r.Below(uint32(s.f.Vars)))
		s.offset = max(int32(r.Between(feature.LeastFar, 5000)), s.firstFar+feature.LeastFar)
		if r.Chance(100) {
			s.offset += 1 << 20
		}
		s.step = int32(r.Between(1, 40))
		s.closeUp()
	}
	if g.drawn(feature.MaxVariable) {
		s.farthest = 1 + int32(r.Below(uint32(s.f.Vars)))
	}
}

// closeUp keeps the numbers of far variables below INT32_MAX if the bound allows tens
// of millions of variables.
func (s *spread) closeUp() {
	highest := func() int64 { return int64(s.offset) + int64(s.maxVars)*int64(s.step) }
	if highest() >= math.MaxInt32 {
		s.step = 1
	}
	if highest() >= math.MaxInt32 {
		s.firstFar = math.MaxInt32
	}
}
