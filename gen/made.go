package gen

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A manner says how a trace was made, besides its seed and its features.
type manner struct {
	bounds    Bounds // zero if neither the user nor the target's description gave any
	profile   string
	family    *family.Family                 // nil: tiny
	featured  bool                           // the trace has features
	schedules [mostInstances]family.Schedule // of the instances
	instances int
}

// manner returns how the trace of the seed is made. If that is not the last trace, manner generates it again.
func (g *Generator) manner(seed uint64) manner {
	if g.seed != seed || !g.made {
		var t trace.Trace
		g.Generate(seed, &t)
	}
	m := manner{profile: g.Profile(), family: g.family, featured: g.used != 0}
	if g.asked != (Bounds{}) {
		m.bounds = g.config.Bounds
	}
	if g.family != nil && !g.model.File { // a file has one solve
		m.instances = g.plan.instances
		for i := range m.instances {
			if m.schedules[i] = g.spreads[i].schedule; g.model.Quantified() {
				m.schedules[i] = g.quantified.Schedule(i)
			}
		}
	}
	return m
}

// Notes returns the header of the trace of the seed: what makes it again, and its features.
func (g *Generator) Notes(seed uint64) []string {
	h := g.Header(seed)
	return h.Notes()
}

// formsKept bounds the forms of a generator; profiles with many families and schedules have thousands.
const formsKept = 1 << 12

// Header returns the header of the trace of the seed. It costs little if that is the last trace.
func (g *Generator) Header(seed uint64) notes.Header {
	m := g.manner(seed)
	last := &g.forms.last[0]
	if m.featured {
		last = &g.forms.last[1]
	}
	if last.form == nil || last.manner != m {
		*last = formOf{m, g.formOf(&m)}
	}
	return notes.Header{Form: last.form, Seed: seed, Words: uint64(g.used)}
}

// forms are the forms of the headers that a generator has made.
type forms struct {
	last [2]formOf // of a trace without features, and with some
	all  map[manner]*notes.Form
}

type formOf struct {
	manner manner
	form   *notes.Form
}

func (g *Generator) formOf(m *manner) *notes.Form {
	if known := g.forms.all[*m]; known != nil {
		return known
	}
	o := m.origin(&g.given)
	var words *notes.Words
	if m.featured {
		words = &featureWords
	}
	if g.forms.all == nil || len(g.forms.all) == formsKept {
		g.forms.all = make(map[manner]*notes.Form)
	}
	form := o.Form(words)
	g.forms.all[*m] = form
	return form
}

// featureWords has the names of features at their numbers.
var featureWords = func() (words notes.Words) {
	for f := range feature.Count() {
		words[f] = f.String()
	}
	return words
}()

// origin returns the origin of the traces that were made in this manner, without the seed and the features.
func (m *manner) origin(given *Config) notes.Origin {
	o := notes.Origin{Generator: familyName(m.family), Profile: m.profile}
	if m.instances > 0 {
		o.Options = append(o.Options, "schedule="+m.scheduleNames())
	}
	if len(given.Without) > 0 {
		o.Options = append(o.Options, "without="+strings.Join(given.Without, ","))
	}
	if given.FailAllocations {
		o.Options = append(o.Options, "fail-allocations")
	}
	if given.Threads {
		o.Options = append(o.Options, "threads")
	}
	if given.PlantFile != "" {
		o.Options = append(o.Options, "plant="+given.PlantFile)
	}
	if b := m.bounds; b != (Bounds{}) {
		o.Options = append(o.Options, fmt.Sprint("max-vars=", b.MaxVars), fmt.Sprint("max-calls=", b.MaxCalls),
			fmt.Sprint("max-weight=", b.MaxWeight), fmt.Sprint("max-sum=", b.MaxSum))
	}
	return o
}

func (m *manner) scheduleNames() string {
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
