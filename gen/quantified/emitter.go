// Package quantified makes the calls of traces of model qbf: the formulas of a family, spread over the solves of one
// or more solvers. Package gen decides what a trace is about.
package quantified

import (
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Plan says how to make a trace.
type Plan struct {
	Family            *family.Family
	Schedules         []family.ScheduleShare // each instance draws one of them, all equally likely
	On                feature.Set            // what may happen
	Plain             bool                   // a formula that is solved once is solved without assumptions
	Instances         int                    // at most MostInstances
	MaxVars, MaxCalls int
}

// MostInstances is the largest number of instances of a trace.
const MostInstances = 3

// An Emitter makes the calls of traces. It is not safe for concurrent use.
type Emitter struct {
	// Options adds calls to t that set options of a new solver: at most that many, with random numbers from r.
	// It must not be nil if plans have the feature options.
	Options func(r *draw.Rand, t *trace.Trace, instance uint16, most int)

	// The state of the trace being made.
	Plan
	rand  draw.Rand
	used  feature.Set
	lives [MostInstances]life
	parts [MostInstances]trace.Trace // of traces of several instances
	b     family.Builder
}

// Make adds the calls of a trace to t, which is empty. It returns the features that happened.
func (g *Emitter) Make(p Plan, r draw.Rand, t *trace.Trace) (used feature.Set) {
	g.Plan, g.rand, g.used = p, r, 0
	for i := range g.Instances {
		part := t
		if g.Instances > 1 {
			part = &g.parts[i]
			part.Reset(t.Model)
		}
		g.lives[i].make(g, part, uint16(i))
	}
	if g.Instances > 1 {
		g.merge(t)
	}
	return g.used
}

// Schedule returns the schedule of an instance of the last trace.
func (g *Emitter) Schedule(instance int) family.Schedule { return g.lives[instance].schedule }

// merge shuffles the calls of the instances into one trace.
func (g *Emitter) merge(t *trace.Trace) {
	var next [MostInstances]int
	left := 0
	for i := range g.Instances {
		left += len(g.parts[i].Calls)
	}
	at := 0
	for ; left > 0; left-- {
		if g.rand.Chance(400) || next[at] == len(g.parts[at].Calls) {
			for at = int(g.rand.Below(uint32(g.Instances))); next[at] == len(g.parts[at].Calls); {
				at = (at + 1) % g.Instances
			}
		}
		part := &g.parts[at]
		t.Append(part, &part.Calls[next[at]])
		next[at]++
	}
	g.use(feature.TwoInstances)
	if g.Instances > 2 {
		g.use(feature.ThreeInstances)
	}
}

func (g *Emitter) drawn(f feature.Feature) bool { return g.On.Has(f) }

func (g *Emitter) use(f feature.Feature) { g.used |= 1 << f }
