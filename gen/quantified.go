package gen

import (
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
)

// makeQuantified prepares a generator of traces with quantifiers, which package quantified
// makes.
func (g *Generator) makeQuantified() (err error) {
	c := quantified.Config{Model: g.model, Possible: g.possible, Profile: g.given.Profile, Family: g.given.Family,
		Schedule: g.given.Schedule, MaxVars: g.asked.MaxVars, MaxCalls: g.asked.MaxCalls}
	if !g.settings.empty() {
		c.Options = g.quantifiedOptions
	}
	if g.quantified, err = quantified.New(c); err != nil {
		return err
	}
	g.now = &readyProfile{profile: new(profile), title: g.quantified.Profile()}
	g.quantifiedBounds()
	return nil
}

// generateQuantified makes the trace of the seed.
func (g *Generator) generateQuantified(seed uint64, t *trace.Trace) {
	g.quantified.Generate(seed, t)
	g.used = g.quantified.Used()
	g.now.title = g.quantified.Profile()
	g.quantifiedBounds()
	if g.given.FailAllocations {
		g.failAllocation(seed)
	}
}

func (g *Generator) quantifiedBounds() {
	g.config.Bounds = g.asked
	g.config.MaxVars, g.config.MaxCalls = g.quantified.Bounds()
}

// quantifiedOptions sets options of a new solver.
func (g *Generator) quantifiedOptions(r *draw.Rand, t *trace.Trace, number uint16, most int) {
	whole, rand := g.t, g.rand
	g.t, g.rand = t, *r
	g.plan.instances = 1
	g.config.MaxCalls = 3 * most
	g.startOptions(&instance{number: number}, true)
	*r = g.rand
	g.t, g.rand = whole, rand
}
