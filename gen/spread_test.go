package gen

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// spreadConfigs returns configurations for every profile, family and schedule.
func spreadConfigs(t testing.TB) []Config {
	var configs []Config
	for _, m := range apimodel.Models() {
		for _, d := range []*apimodel.Description{nil, described(t, "options")} {
			for _, p := range Profiles() {
				configs = append(configs, Config{Model: m, Description: d, Profile: p.Name})
			}
		}
		for _, f := range family.All() {
			configs = append(configs, Config{Model: m, Family: f.Name})
		}
		for _, s := range family.Schedules(false) {
			configs = append(configs, Config{Model: m, Profile: "small", Schedule: s.String()})
		}
	}
	return configs
}

func (c *Config) label() string {
	return fmt.Sprintf("%s profile=%s family=%s schedule=%s described=%v",
		c.Model.Name, c.Profile, c.Family, c.Schedule, c.Description != nil)
}

// affordable returns how many traces a test can look at in reasonable time.
func affordable(g *Generator) uint64 {
	switch most := g.choice.ready[0].bounds.MaxCalls; {
	case most > 10_000:
		return 50
	case most > 500:
		return 150
	}
	return 700
}

func TestTracesOfAllProfiles(t *testing.T) {
	t.Parallel()
	for _, c := range spreadConfigs(t) {
		g := newGenerator(t, c)
		forEach(t, g, affordable(g), func(tr *trace.Trace) error {
			in := measure.Inspect(tr)
			b := g.config.Bounds
			told := g.used & feature.Visible
			found := in.Found & feature.Visible
			if g.plan.instances == 3 {
				told &^= 1 << feature.TwoInstances
				found &^= 1 << feature.TwoInstances
			}
			if b.MaxVars >= feature.LeastFar { // there, a large number need not come from a gap
				told &^= 1 << feature.Gaps
				found &^= 1 << feature.Gaps
			}
			err := sameFeatures(told, found)
			if err == nil {
				err = withinBounds(tr, in, b)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.label(), err)
			}
			return nil
		})
	}
}

func TestBoundsOfFamilies(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for _, f := range family.All() {
			for _, b := range []Bounds{
				{MaxVars: 1},
				{MaxVars: 2, MaxCalls: 8},
				{MaxVars: 6, MaxCalls: 20, MaxWeight: 1, MaxSum: 1},
				{MaxVars: 10, MaxCalls: 60, MaxWeight: 1 << 31, MaxSum: 1 << 32},
				{MaxVars: 30, MaxCalls: 300, MaxWeight: math.MaxInt64, MaxSum: math.MaxUint64},
				{MaxVars: 30, MaxCalls: 300, MaxWeight: 100, MaxSum: 150},
			} {
				g := newGenerator(t, Config{Model: m, Description: described(t, "options"), Family: f.Name, Bounds: b})
				b = g.config.Bounds
				forEach(t, g, 120, func(tr *trace.Trace) error {
					if err := withinBounds(tr, measure.Inspect(tr), b); err != nil {
						return fmt.Errorf("%s: %w", f.Name, err)
					}
					return nil
				})
			}
		}
	}
}

func TestWithoutInFamilies(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for f := range feature.Count() {
			without := []string{f.String()}
			g := newGenerator(t, Config{Model: m, Description: described(t, "options"), Profile: "small", Without: without})
			forEach(t, g, 500, func(tr *trace.Trace) error {
				found := measure.Inspect(tr).Found
				if f == feature.TwoInstances {
					found &^= found >> (feature.ThreeInstances - feature.TwoInstances) & (1 << feature.TwoInstances)
				}
				if g.used.Has(f) || found.Has(f) {
					return fmt.Errorf("%s occurs although it is switched off", f)
				}
				if tr.Solves() == 0 {
					return fmt.Errorf("no solve without %s", f)
				}
				return nil
			})
		}
	}
}

// TestChoicesDoNotChangeTraces: asking by name for the profile and the family that mixed draws for a seed gives the
// same trace.
func TestChoicesDoNotChangeTraces(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, m := range apimodel.Models() {
		mixed := newGenerator(t, Config{Model: m, Profile: DefaultProfile})
		byName := make(map[string]*Generator)
		var first, again trace.Trace
		for number := range uint64(400) {
			seed := draw.Seed(start, 0, number)
			mixed.Generate(seed, &first)
			c := Config{Model: m, Profile: mixed.current.Name}
			if mixed.family != nil {
				c.Family = mixed.Family()
			}
			g := byName[c.label()]
			if g == nil {
				g = newGenerator(t, c)
				byName[c.label()] = g
			}
			g.Generate(seed, &again)
			if !slices.Equal(first.Calls, again.Calls) || !slices.Equal(first.Lits, again.Lits) {
				t.Fatalf("%s: mixed makes another trace of seed %#x", c.label(), seed)
			}
		}
	}
}

func TestNoAllocationsInFamilies(t *testing.T) {
	start := testseed.Of(t, 1)
	for _, m := range apimodel.Models() {
		for _, name := range []string{"small", DefaultProfile, "wide", "app", "planted"} {
			c := Config{Model: m, Profile: name}
			if name == "planted" { // a family, not a profile; its traces have planted assignments
				c = Config{Model: m, Profile: "small", Family: name}
			}
			g := newGenerator(t, c)
			var tr trace.Trace
			all := func() {
				for number := range uint64(500) {
					g.Generate(draw.Seed(start, 0, number), &tr)
				}
			}
			all()
			if n := allocations(all); n != 0 {
				t.Errorf("%s, %s: %v allocations in 500 traces", m.Name, name, n)
			}
		}
	}
}

func BenchmarkProfiles(b *testing.B) {
	for _, p := range Profiles() {
		b.Run(p.Name, func(b *testing.B) {
			g := newGenerator(b, Config{Model: apimodel.IPAMIR, Profile: p.Name})
			var t trace.Trace
			calls, seed := 0, uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				g.Generate(draw.Seed(1, 0, seed), &t)
				seed++
				calls += len(t.Calls)
			}
			b.ReportMetric(float64(calls)/float64(seed), "calls/trace")
			b.ReportMetric(float64(seed)/b.Elapsed().Seconds(), "traces/s")
		})
	}
}
