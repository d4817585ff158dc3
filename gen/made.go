package gen

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Made says how a trace was made. It is small and immutable, so that a caller can make the header
// later, elsewhere or never.
type Made struct {
	given     *Config
	bounds    Bounds // zero if neither the user nor the target's description gave any
	profile   string
	family    *family.Family     // nil: tiny, or quantified
	spread    *quantified.Spread // of a quantified trace; nil otherwise
	seed      uint64
	used      feature.Set
	schedules [len(Generator{}.spreads)]schedule // of the instances
	instances int
}

// Made returns how the trace of the seed is made. If that is not the last trace, Made generates it
// again.
func (g *Generator) Made(seed uint64) Made {
	if g.seed != seed || !g.made {
		var t trace.Trace
		g.Generate(seed, &t)
	}
	m := Made{given: &g.given, profile: g.Profile(), family: g.family, seed: seed, used: g.used}
	if g.asked != (Bounds{}) {
		m.bounds = g.config.Bounds
	}
	if g.quantified != nil {
		spread := g.quantified.Spread()
		m.spread = &spread
	}
	if g.family != nil {
		m.instances = g.plan.instances
		for i := range m.instances {
			m.schedules[i] = g.spreads[i].schedule
		}
	}
	return m
}

// Notes returns the header of the trace of the seed: what makes it again, and its features.
func (g *Generator) Notes(seed uint64) []string {
	m := g.Made(seed)
	return m.Notes()
}

// Notes returns the header of the trace.
func (m *Made) Notes() []string {
	o := notes.Origin{Generator: familyName(m.family), Profile: m.profile, Seed: m.seed}
	if m.spread != nil {
		o.Generator = m.spread.Family.String()
		o.Options = append(o.Options, "schedule="+strings.Join(m.spread.Schedules(), ","))
	}
	if m.used != 0 {
		o.Features = m.used.Names()
	}
	if m.family != nil {
		o.Options = append(o.Options, "schedule="+m.scheduleNames())
	}
	if len(m.given.Without) > 0 {
		o.Options = append(o.Options, "without="+strings.Join(m.given.Without, ","))
	}
	if m.given.FailAllocations {
		o.Options = append(o.Options, "fail-allocations")
	}
	if m.given.Threads {
		o.Options = append(o.Options, "threads")
	}
	if m.given.PlantFile != "" {
		o.Options = append(o.Options, "plant="+m.given.PlantFile)
	}
	if b := m.bounds; b != (Bounds{}) {
		o.Options = append(o.Options, fmt.Sprint("max-vars=", b.MaxVars), fmt.Sprint("max-calls=", b.MaxCalls),
			fmt.Sprint("max-weight=", b.MaxWeight), fmt.Sprint("max-sum=", b.MaxSum))
	}
	return o.Notes()
}

func (m *Made) scheduleNames() string {
	names := make([]string, m.instances)
	for i := range names {
		names[i] = m.schedules[i].String()
	}
	return strings.Join(names, ",")
}

// FormulaNotes returns the header of a formula without calls: the family, whose name includes its
// version, and what else makes the formula again.
func (c *Config) FormulaNotes(family string, seed uint64) []string {
	o := notes.Origin{Generator: family, Seed: seed}
	for _, bound := range []struct {
		name  string
		value uint64
	}{
		{"max-vars", uint64(c.MaxVars)}, {"max-calls", uint64(c.MaxCalls)},
		{"max-weight", c.MaxWeight}, {"max-sum", c.MaxSum},
	} {
		if bound.value > 0 {
			o.Options = append(o.Options, fmt.Sprintf("%s=%d", bound.name, bound.value))
		}
	}
	if c.PlantFile != "" {
		o.Options = append(o.Options, "plant="+c.PlantFile)
	}
	return o.Notes()
}
