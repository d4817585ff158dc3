package gen

import (
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
)

// drawQuantified makes a trace of quantified formulas, which package quantified emits.
func (g *emitter) drawQuantified() {
	g.rollFeatures(feature.Quantified)
	if g.on &= g.possible; !g.possible.Has(feature.TwoInstances) {
		g.on &^= 1 << feature.ThreeInstances
	}
	g.countInstances()
	g.used = g.quantified.Make(quantified.Plan{Family: g.family, Schedules: g.current.schedules, Plain: g.current.plain,
		On: g.on, Instances: g.plan.instances, MaxVars: g.config.MaxVars, MaxCalls: g.config.MaxCalls}, g.rand, g.t)
}

// optionsOfPart sets options of a new solver: at most so many. t has the calls of this solver.
func (g *emitter) optionsOfPart(r *draw.Rand, t *trace.Trace, number uint16, most int) {
	whole, rand, calls, plan := g.t, g.rand, g.config.MaxCalls, g.plan
	g.t, g.rand, g.config.MaxCalls = t, *r, 3*most
	g.plan.instances = 1
	(&instance{number: number}).startOptions(g, true)
	*r = g.rand
	g.t, g.rand, g.config.MaxCalls, g.plan = whole, rand, calls, plan
}
