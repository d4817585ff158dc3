package gen

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// forEach generates traces and fails the test at the first one for which test returns an error.
func forEach(t *testing.T, g *Generator, traces uint64, test func(tr *trace.Trace) error) {
	t.Helper()
	start := testseed.Of(t, 1)
	if testing.Short() {
		traces /= 10
	}
	var tr trace.Trace
	for number := range traces {
		seed := draw.Seed(start, 0, number)
		g.Generate(seed, &tr)
		if err := test(&tr); err != nil {
			t.Fatalf("trace %d: %v\n%s\n%s", number, err, strings.Join(g.Notes(seed), "\n"), tr.String())
		}
	}
}

func TestTracesAreLegal(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for _, d := range []*apimodel.Description{nil, described(t, "options")} {
			g := newGenerator(t, Config{Model: m, Profile: family.Tiny, Description: d})
			forEach(t, g, 20_000, func(tr *trace.Trace) error {
				if tr.Solves() == 0 {
					return fmt.Errorf("no solve")
				}
				return trace.Check(tr)
			})
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for _, b := range []Bounds{
			{},
			{MaxVars: 1},
			{MaxVars: 2, MaxCalls: 8},
			{MaxVars: 6, MaxCalls: 20, MaxWeight: 1, MaxSum: 1},
			{MaxCalls: 12, MaxWeight: 1 << 31, MaxSum: 1 << 32},
			{MaxVars: 500, MaxWeight: math.MaxInt64, MaxSum: math.MaxUint64},
			{MaxWeight: 100, MaxSum: 150},
		} {
			config := Config{Model: m, Profile: family.Tiny, Description: described(t, "options"), Bounds: b}
			if b.MaxCalls > 0 { // the bounds of the target are tighter than those of the user
				config.Description.Bounds = apimodel.Bounds{
					MaxVars:   uint64(b.MaxVars),
					MaxCalls:  uint64(b.MaxCalls),
					MaxWeight: b.MaxWeight,
					MaxSum:    b.MaxSum,
				}
				config.Bounds = Bounds{MaxVars: 1000, MaxCalls: 100_000}
			}
			g := newGenerator(t, config)
			limit := g.config.Bounds
			if b.MaxCalls > 0 && limit.MaxCalls != b.MaxCalls {
				t.Fatalf("the target allows %d calls, the generator's bound is %d", b.MaxCalls, limit.MaxCalls)
			}
			most := Bounds{}
			forEach(t, g, 5_000, func(tr *trace.Trace) error {
				in := measure.Inspect(tr)
				most.MaxVars, most.MaxCalls = max(most.MaxVars, in.MaxVars), max(most.MaxCalls, len(tr.Calls))
				most.MaxWeight, most.MaxSum = max(most.MaxWeight, in.MaxWeight), max(most.MaxSum, in.MaxSum)
				switch {
				case in.Overflow || in.MaxSum > limit.MaxSum:
					return fmt.Errorf("the weights sum to %d", in.MaxSum)
				case in.MaxWeight > limit.MaxWeight:
					return fmt.Errorf("the weight %d", in.MaxWeight)
				case in.MaxVars > limit.MaxVars || in.MaxVars > 16:
					return fmt.Errorf("%d variables", in.MaxVars)
				case len(tr.Calls) > limit.MaxCalls:
					return fmt.Errorf("%d calls", len(tr.Calls))
				case tr.Solves() == 0:
					return fmt.Errorf("no solve")
				}
				return trace.Check(tr)
			})
			if m == apimodel.IPAMIR && !testing.Short() {
				if most.MaxVars < limit.MaxVars*2/3 || most.MaxCalls != limit.MaxCalls && limit.MaxCalls < 50 ||
					most.MaxSum < limit.MaxSum/2 {
					t.Errorf("bounds %+v: the traces reach only %+v", limit, most)
				}
			}
		}
	}
}

// TestFeaturesAreTold: the generator reports the visible features that an inspection finds in the trace, and no others.
func TestFeaturesAreTold(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for _, b := range []Bounds{{}, {MaxCalls: 12, MaxVars: 4}, {MaxCalls: 40}} {
			g := newGenerator(t, Config{Model: m, Profile: family.Tiny, Description: described(t, "options"), Bounds: b})
			forEach(t, g, 20_000, func(tr *trace.Trace) error {
				told := g.used & feature.Visible
				found := measure.Inspect(tr).Found
				if g.plan.instances == 3 {
					found &^= 1 << feature.TwoInstances // the plan has ThreeInstances; not all may get a call
				}
				return sameFeatures(told, found)
			})
		}
	}
}

// sameFeatures returns an error unless the reported features are those that were found.
func sameFeatures(told, found feature.Set) error {
	if told != found {
		return fmt.Errorf("reported but not found: %v; found but not reported: %v",
			(told &^ found).Names(), (found &^ told).Names())
	}
	return nil
}

func TestEveryFeatureOccurs(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		g := newGenerator(t, Config{Model: m, Profile: family.Tiny, Description: described(t, "options")})
		var count [feature.Most]int
		var tr trace.Trace
		for number := range uint64(10_000) {
			g.Generate(draw.Seed(1, 0, number), &tr)
			for f := range feature.Count() {
				if g.used.Has(f) {
					count[f]++
				}
			}
		}
		for f := range feature.Count() {
			if t.Logf("%s %-26s %5d", m.Name, f, count[f]); (count[f] > 0) != g.possible.Has(f) {
				t.Errorf("%s: %s occurs in %d of 10000 traces", m.Name, f, count[f])
			}
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		for f := range feature.Count() {
			without := []string{f.String()}
			g := newGenerator(t,
				Config{Model: m, Profile: family.Tiny, Description: described(t, "options"), Without: without})
			forEach(t, g, 3_000, func(tr *trace.Trace) error {
				found := measure.Inspect(tr).Found
				if f == feature.TwoInstances { // a trace with ThreeInstances may have it
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

func TestWithoutAnything(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.Models() {
		all := feature.All().Names()
		for _, b := range []Bounds{{}, {MaxCalls: 8}, {MaxVars: 1}, {MaxVars: 2, MaxWeight: 1, MaxSum: 1}} {
			g := newGenerator(t,
				Config{Model: m, Profile: family.Tiny, Description: described(t, "options"), Without: all, Bounds: b})
			forEach(t, g, 3_000, func(tr *trace.Trace) error {
				if found := measure.Inspect(tr).Found; found != 0 || g.used&feature.Visible != 0 {
					return fmt.Errorf("found %v, reported %v", found.Names(), g.Features())
				}
				if tr.Solves() == 0 {
					return fmt.Errorf("no solve")
				}
				return trace.Check(tr)
			})
		}
	}
}

func TestDescriptionIsFollowed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		absent []feature.Feature
	}{
		{"lacks terminate\n", []feature.Feature{feature.Terminate, feature.Options}},
		{"lacks learn\nlacks havoc\n", []feature.Feature{feature.Learn, feature.Havoc}},
		{"lacks instances\n", []feature.Feature{feature.TwoInstances, feature.ThreeInstances}},
		{"lacks options\noption a bool 1\n", []feature.Feature{feature.Options}},
		{"fixed a bool 1\n", []feature.Feature{feature.Options}},
		{"policy soft-zero=rejected\n", []feature.Feature{feature.ZeroWeight}},
		{"policy failed-non-assumption=rejected\n", []feature.Feature{feature.FailedOther}},
		{"policy soft-unused=rejected\n", []feature.Feature{feature.UnusedSoft, feature.FreshAssumption}},
	} {
		for _, m := range apimodel.Models() {
			d := describe(t, test.text)
			g := newGenerator(t, Config{Model: m, Profile: family.Tiny, Description: d})
			forEach(t, g, 3_000, func(tr *trace.Trace) error {
				found := measure.Inspect(tr).Found
				for _, f := range test.absent {
					if found.Has(f) {
						return fmt.Errorf("%s occurs, although the description says %q", f, test.text)
					}
				}
				if d.Policy("soft-unused") == "rejected" {
					return assumesUsedAlone(tr)
				}
				return nil
			})
		}
	}
	d := describe(t, "policy weight-sum=below-2^63\n")
	g := newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: family.Tiny, Description: d})
	forEach(t, g, 20_000, func(tr *trace.Trace) error {
		if sum := measure.Inspect(tr).MaxSum; sum >= 1<<63 {
			return fmt.Errorf("the weights sum to %d", sum)
		}
		return nil
	})
	heaviest := func(text string) (most uint64) {
		config := Config{Model: apimodel.IPAMIR, Profile: "weights", Description: describe(t, text)}
		forEach(t, newGenerator(t, config), 3_000, func(tr *trace.Trace) error {
			most = max(most, measure.Inspect(tr).MaxWeight)
			return nil
		})
		return most
	}
	if got := heaviest("policy soft-zero=allowed\n"); got != math.MaxInt64 {
		t.Errorf("the heaviest weight is %d by default, want 2^63-1", got)
	}
	if got := heaviest("policy weight=below-2^64\n"); got <= math.MaxInt64 {
		t.Errorf("the heaviest weight is %d with the policy weight=below-2^64, want a larger one", got)
	}
	// Without a description, traces use only the standard interface.
	forEach(t, newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: family.Tiny}), 3_000, func(tr *trace.Trace) error {
		if found := measure.Inspect(tr).Found; found.Has(feature.Havoc) || found.Has(feature.Options) {
			return fmt.Errorf("%v", found.Names())
		}
		return nil
	})
}

func assumesUsedAlone(tr *trace.Trace) error {
	used := map[[2]int32]bool{}
	for i := range tr.Calls {
		c := &tr.Calls[i]
		switch c.Op {
		case apimodel.OpClause:
			for _, lit := range tr.Args(c) {
				used[[2]int32{int32(c.Instance), trace.Var(lit)}] = true
			}
		case apimodel.OpAssume:
			if !used[[2]int32{int32(c.Instance), trace.Var(tr.Lit(c))}] {
				return fmt.Errorf("the assumption %d is in no clause", tr.Lit(c))
			}
		}
	}
	return nil
}

// TestOptionsAreFollowed: the generator sets options to values that they accept, where they may be set, and never to
// excluded combinations. It reaches every sample.
func TestOptionsAreFollowed(t *testing.T) {
	t.Parallel()
	d := described(t, "options")
	for _, m := range apimodel.Models() {
		values := map[string]bool{}
		g := newGenerator(t, Config{Model: m, Profile: family.Tiny, Description: d})
		forEach(t, g, 20_000, func(tr *trace.Trace) error {
			settings := map[uint16]map[string]string{}
			started := map[uint16]bool{}
			for i := range tr.Calls {
				c := &tr.Calls[i]
				switch c.Op {
				case apimodel.OpOption:
				case apimodel.OpInit, apimodel.OpRelease:
					delete(settings, c.Instance)
					delete(started, c.Instance)
					continue
				case apimodel.OpSignature:
					continue
				default:
					started[c.Instance] = true
					continue
				}
				name, value := tr.Option(c)
				o := d.Option(name)
				values[name+"="+value] = true
				switch {
				case o == nil || o.Fixed:
					return fmt.Errorf("option %s must not be set", name)
				case o.When == apimodel.WhenStart && started[c.Instance]:
					return fmt.Errorf("option %s is set after the start", name)
				case o.Accepts(value) != nil:
					return o.Accepts(value)
				}
				if settings[c.Instance] == nil {
					settings[c.Instance] = map[string]string{}
				}
				settings[c.Instance][name] = value
				if exclusion, excluded := d.Excluded(settings[c.Instance]); excluded {
					return fmt.Errorf("the settings %v are excluded", exclusion)
				}
			}
			return nil
		})
		for i := range d.Options {
			if o := &d.Options[i]; !o.Fixed && !testing.Short() {
				for _, value := range o.Samples() {
					if !values[o.Name+"="+value] {
						t.Errorf("%s: %s=%s is never set", m.Name, o.Name, value)
					}
				}
			}
		}
	}
}
