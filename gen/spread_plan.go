package gen

import "math"

// Shares of the room that a spread trace's formula may take. The rest is for
// solves, questions, assumptions, and relaxation variables.
const (
	formulaCalls = 3 // in 4
	relaxShare   = 3 // one variable in so many is kept for relaxation
	mostUngapped = leastFar - 1
)

// drawSpread decides the features and the plan of a trace whose formula comes
// from a family, and makes the formulas.
func (g *Generator) drawSpread() {
	r := &g.rand
	g.on = 0
	for f := range spreadFeatures {
		if r.Below(65536) < g.now.thresholds[f] {
			g.on |= 1 << f
		}
	}
	g.on &= g.possible
	if g.drawn(noHard) && !g.drawn(unusedSoft) && !g.drawn(onlyHard) {
		g.on &^= 1 << noHard
	}
	if g.drawn(terminate) && g.possible.has(repeatSolve) && r.Chance(700) {
		g.on |= 1 << repeatSolve
	}
	if g.config.MaxCalls < 12*3 {
		g.on &^= 1<<twoInstances | 1<<threeInstances
	}
	p := &g.plan
	*p = plan{instances: 1, weights: g.weightProfile(), shuffled: r.Chance(250), positive: 512}
	g.begun = 0
	if g.drawn(twoInstances) {
		p.instances = 2
	}
	if g.drawn(threeInstances) {
		p.instances = 3
	}
	for i := range p.instances {
		g.drawSpreadInstance(&g.spreads[i], uint16(i))
	}
}

func (g *Generator) drawSpreadInstance(s *spread, number uint16) {
	r := &g.rand
	s.instance = instance{number: number}
	s.maxVars = g.config.MaxVars
	if !g.drawn(gaps) {
		s.maxVars = min(s.maxVars, mostUngapped)
	}
	limits := formulaLimits{vars: s.maxVars, calls: max(1, g.config.MaxCalls*formulaCalls/4/g.plan.instances-4),
		maxWeight: g.config.MaxWeight, maxSum: g.config.MaxSum}
	if g.maxSAT || s.maxVars > 4 {
		limits.vars = max(1, s.maxVars-s.maxVars/relaxShare)
	}
	if !g.drawn(bigWeights) {
		limits.maxWeight = min(limits.maxWeight, leastBig-1)
	}
	g.builder.begin(r.Split(), &s.f, limits)
	g.family.make(&g.builder)
	if s.f.Vars == 0 {
		s.f.Vars = 1
	}
	s.schedule = g.drawSchedule(s)
	s.increments = r.Between(leastIncrements, mostIncrements)
	if s.schedule == oneShot {
		s.increments = 1
	} else if g.plan.instances > 1 {
		s.increments = min(s.increments, 3)
	}
	if g.drawn(manySolves) && s.schedule != oneShot {
		s.increments = r.Between(usualSolves+1, mostSolves)
	}
	if g.drawn(releaseReinit) {
		s.rebirths = 1
		s.increments = max(s.increments, 2)
	}
	g.drawOrder(s)
	g.drawNames(s)
	s.phase = beginning
}

// drawSchedule picks what the family wishes, mostly, or one of the profile's.
func (g *Generator) drawSchedule(s *spread) schedule {
	r := &g.rand
	wished, pick := s.f.schedule, r.Below(g.now.scheduleTotal)
	if follow := r.Chance(700); wished != anySchedule && follow && g.suits(wished) {
		return wished
	}
	for _, share := range g.now.schedules {
		if pick < share.share {
			if g.suits(share.schedule) {
				return share.schedule
			}
			break
		}
		pick -= share.share
	}
	return freely
}

// suits reports whether a schedule makes sense for the model and with the
// features that are drawn.
func (g *Generator) suits(s schedule) bool {
	switch {
	case s.needsSoft() && !g.maxSAT:
		return false
	case s == hardening && !g.drawn(hardenSoft), s == activations && !g.drawn(activation):
		return false
	case (s == reweighOnly || s == biObjective) && !g.drawn(redeclare):
		return false
	}
	return true
}

// drawOrder decides in which order the clauses come: the family's, hard before
// soft, or any.
func (g *Generator) drawOrder(s *spread) {
	r := &g.rand
	order := r.Below(5)
	s.items = s.items[:0]
	s.inOrder = order < 2 || len(s.f.cuts) > 0
	switch {
	case s.inOrder || order == 4:
		for i := range s.f.clauses {
			s.items = append(s.items, uint32(i))
		}
	default:
		for i := range s.f.clauses {
			if s.f.clauses[i].weight == 0 {
				s.items = append(s.items, uint32(i))
			}
		}
		for i := range s.f.clauses {
			if s.f.clauses[i].weight > 0 {
				s.items = append(s.items, uint32(i))
			}
		}
	}
	if order == 4 && !s.inOrder {
		for i := len(s.items) - 1; i > 0; i-- {
			j := r.Below(uint32(i + 1))
			s.items[i], s.items[j] = s.items[j], s.items[i]
		}
	}
}

// drawNames decides what the variables are called.
func (g *Generator) drawNames(s *spread) {
	r := &g.rand
	s.firstFar, s.farthest = math.MaxInt32, 0
	if g.drawn(gaps) {
		s.firstFar = 1 + int32(r.Below(uint32(s.f.Vars)))
		s.offset = max(int32(r.Between(leastFar, 5000)), s.firstFar+leastFar)
		if r.Chance(100) {
			s.offset += 1 << 20
		}
		s.step = int32(r.Between(1, 40))
		s.closeUp()
	}
	if g.drawn(maxVariable) {
		s.farthest = 1 + int32(r.Below(uint32(s.f.Vars)))
	}
}

// closeUp keeps the numbers of the far variables below INT32_MAX where the
// bound allows tens of millions of variables.
func (s *spread) closeUp() {
	highest := func() int64 { return int64(s.offset) + int64(s.maxVars)*int64(s.step) }
	if highest() >= math.MaxInt32 {
		s.step = 1
	}
	if highest() >= math.MaxInt32 {
		s.firstFar = math.MaxInt32
	}
}
