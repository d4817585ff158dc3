package gen

import (
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/file"
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
	g.used = g.quantified.Make(quantified.Plan{Family: g.family, Schedules: g.current.schedules, Plain: g.current.Plain,
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

// drawFile makes a trace of a formula file, which package file emits.
func (g *emitter) drawFile() {
	g.rollFeatures(feature.Files)
	const neither feature.Set = 1<<feature.OnlyHard | 1<<feature.NoHard
	switch g.on &= g.possible; {
	case !g.drawn(feature.NoClauses), !g.maxSAT: // a SAT formula has no sides
	case g.possible&neither == neither:
		g.on |= neither
	default:
		g.on &^= 1 << feature.NoClauses
	}
	b := &g.config.Bounds
	g.file.Plant = g.config.Plant
	g.used = g.file.Make(file.Plan{Family: g.family, On: g.on, Plain: g.current.Plain, Dense: g.current.Dense,
		MaxVars: b.MaxVars, MaxCalls: b.MaxCalls, MaxWeight: b.MaxWeight, MaxSum: b.MaxSum}, g.rand, g.t)
}
