package gen

import (
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Family tiny, version 1, makes incremental traces so small that exhaustive search judges every
// answer, and so varied that a mistake in a solver's handling of increments, assumptions, weights or
// callbacks shows within some thousand traces. An increment has clauses, soft literals and
// assumptions, a solve, and questions. Instances take turns.

// noteNames records the features of the variables' numbers.
func (g *emitter) noteNames() {
	for _, lit := range g.t.Lits {
		switch v := trace.Var(lit); {
		case v == math.MaxInt32:
			g.use(feature.MaxVariable)
		case v >= feature.LeastFar:
			g.use(feature.Gaps)
		}
	}
}

// begin begins a life with the calls that may only come first, and an increment.
func (s *instance) begin(g *emitter) {
	s.phase = building
	s.comeAlive(g)
	s.increment(g)
}

// comeAlive makes the calls that may only come first.
func (s *instance) comeAlive(g *emitter) {
	r := &g.rand
	if !s.reborn {
		g.begun++
	}
	if g.begun > 1 && g.begun == g.plan.instances {
		g.use([...]feature.Feature{2: feature.TwoInstances, 3: feature.ThreeInstances}[g.begun])
	}
	if g.drawn(feature.Signature) && r.Chance(600) {
		s.signature(g)
	}
	if !s.reborn && r.Chance(50) && g.canSpare(1) {
		g.t.Plain(s.number, apimodel.OpInit)
	}
	s.reborn = true
	if g.possible.Has(feature.Options) {
		s.startOptions(g, g.drawn(feature.Options))
	}
}

// increment decides what comes before the next solve.
func (s *instance) increment(g *emitter) {
	r := &g.rand
	s.phase = building
	first := !s.solved
	if !first && s.active < s.size {
		s.active = min(s.active+r.Between(0, 2), s.size)
	}
	s.beforeIncrement(g, first)
	n := s.active
	c := &s.left
	switch {
	case first && g.clausesMayLack() && r.Chance(800):
		c.clauses = 0
	case g.plan.shape == shapeFew:
		c.clauses = r.Between(0, 3)
	case g.plan.shape == shapeThreshold && first:
		c.clauses = n*33/10 + r.Between(0, n*3/2)
		g.use(feature.Threshold)
	case g.plan.shape == shapeThreshold:
		c.clauses = r.Between(0, n/2+1)
	case first:
		c.clauses = r.Between(n/2, 2*n)
	default:
		c.clauses = r.Between(0, n)
	}
	if g.plan.shape == shapeFew {
		g.use(feature.FewClauses)
	}
	c.softs = 0
	if g.maxSAT {
		switch {
		case first && g.drawn(feature.OnlyHard) && r.Chance(800):
		case first:
			c.softs = r.Between(1, min(s.all, 7))
		default:
			c.softs = r.Between(0, 3)
		}
	}
	c.assumptions = 0
	switch k := r.Below(20); {
	case k < 12:
		c.assumptions = r.Between(0, 3)
	case k == 12:
		c.assumptions = r.Between(1, maxAssumptions)
	}
	if first {
		s.openFormula(g)
	}
}

// clausesMayLack reports whether an instance without clauses may solve.
func (g *emitter) clausesMayLack() bool {
	if g.maxSAT {
		return g.drawn(feature.NoHard)
	}
	return g.drawn(feature.NoClauses)
}

// openFormula adds one clause and one soft literal, as far as the increment has any and the solve
// needs them to keep out features that were not drawn.
func (s *instance) openFormula(g *emitter) {
	if s.clauses == 0 && (!g.clausesMayLack() || s.left.clauses > 0) {
		s.clause(g)
		s.left.clauses--
	}
	if s.soft == 0 && s.left.softs > 0 {
		s.softLiteral(g)
		s.left.softs--
	}
}

// build makes one call of the increment, or the solve if none is left.
func (s *instance) build(g *emitter) {
	c := &s.left
	if !g.fits(2 + 2*g.plan.instances) {
		*c = counts{} // the end is near: solve now
	}
	clauses, softs, assumptions := max(c.clauses, 0), max(c.softs, 0), max(c.assumptions, 0)
	total := clauses + softs + assumptions
	if total == 0 {
		s.solve(g)
		return
	}
	turn := 0
	if g.plan.shuffled {
		turn = int(g.rand.Below(uint32(total)))
	}
	switch {
	case turn < clauses:
		c.clauses--
		s.clause(g)
	case turn < clauses+softs:
		c.softs--
		s.softLiteral(g)
	default:
		c.assumptions--
		s.assumption(g)
	}
}

// solve makes the solve call. Before it, solve makes the calls that keep out features that were not
// drawn. If these do not fit, the instance ends without the solve.
func (s *instance) solve(g *emitter) {
	if s.clauses == 0 && !g.clausesMayLack() {
		s.clause(g)
	}
	if g.maxSAT && s.soft == 0 && !g.drawn(feature.OnlyHard) {
		s.softLiteral(g)
	}
	if s.repeats() && !g.drawn(feature.RepeatSolve) {
		s.clause(g)
	}
	if !s.solveCall(g, g.maxSAT && s.soft == 0, s.repeats()) {
		return
	}
	s.failing, s.assumed = s.assumed, 0
	s.previous, s.previously, s.listed = s.list, s.listed, 0
	s.planQuestions(g)
	s.phase = asking
}

// repeats reports whether a solve now would repeat the last one.
func (s *instance) repeats() bool { return s.solved && !s.changed && s.assumed == s.failing }

// again makes the assumptions of the last solve and solves.
func (s *instance) again(g *emitter) {
	for _, l := range s.previous[:s.previously] {
		if !g.fits(2) {
			break
		}
		s.assume(g, l)
	}
	s.left = counts{}
	s.phase = building
	s.solve(g)
}
