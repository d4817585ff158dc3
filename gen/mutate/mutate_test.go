package mutate

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

func TestMutations(t *testing.T) {
	t.Parallel()
	for _, m := range apimodel.AllModels() {
		for _, d := range []*apimodel.Description{nil, described(t, "options"), described(t, "picky")} {
			testMutations(t, gen.Config{Model: m, Profile: gen.DefaultProfile, Description: d})
		}
		testMutations(t, gen.Config{Model: m, Profile: gen.DefaultProfile, Bounds: gen.Bounds{MaxVars: 3, MaxCalls: 40}})
	}
}

func testMutations(t *testing.T, c gen.Config) {
	start := testseed.Of(t, 1)
	parent := described(t, "options")
	parent.Policies = map[string]string{"weight": "below-2^64"}
	g := newGenerator(t, gen.Config{Model: c.Model, Description: parent, Profile: gen.DefaultProfile})
	mutator, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	var out trace.Trace
	for number := range uint64(1500) {
		seed := draw.Seed(start, 1, number)
		parents := []*trace.Trace{new(trace.Trace), new(trace.Trace)}
		g.Generate(draw.Seed(start, 0, number), parents[0])
		g.Generate(draw.Seed(start, 0, number+1), parents[1])
		before := parents[0].String()
		done, err := mutator.Mutate(seed, parents, &out)
		if err == nil {
			err = checkMutant(c, mutator, &out)
		}
		if err != nil {
			t.Fatalf("%s, mutant %d, %v: %v\n%s", c.Model.Name, number, done, err, out.String())
		}
		if parents[0].String() != before {
			t.Fatalf("mutation %v changes the parent", done)
		}
		for _, name := range done {
			count[name]++
		}
		if number%100 == 0 {
			first := out.String()
			if _, err := mutator.Mutate(seed, parents, &out); err != nil || out.String() != first {
				t.Fatal("Mutate makes another mutant of the same seed and parents")
			}
		}
	}
	for _, info := range Of(c.Model) {
		weights := info.Name == "perturb-weights"
		if count[info.Name] == 0 && !(weights && c.Model != apimodel.IPAMIR && c.Model != apimodel.WCNF) {
			t.Errorf("%s: no mutant comes from %s", c.Model.Name, info.Name)
		}
	}
}

func checkMutant(c gen.Config, m *Mutator, tr *trace.Trace) error {
	in := measure.Inspect(tr)
	switch {
	case in.Overflow || in.MaxSum > m.maxSum:
		return fmt.Errorf("the weights sum to %d", in.MaxSum)
	case c.Description != nil && in.MaxWeight > math.MaxInt64:
		return fmt.Errorf("a weight of %d", in.MaxWeight)
	case m.config.MaxVars > 0 && in.MaxVars > m.config.MaxVars:
		return fmt.Errorf("%d variables", in.MaxVars)
	case m.config.MaxCalls > 0 && len(tr.Calls) > m.config.MaxCalls:
		return fmt.Errorf("%d calls", len(tr.Calls))
	case tr.Solves() == 0:
		return fmt.Errorf("no solve")
	case c.Model == apimodel.WCNF && !strings.HasSuffix(tr.String(), "\nsolve\nobj\nmodel\n"),
		c.Model == apimodel.CNF && !strings.HasSuffix(tr.String(), "\nsolve\nmodel\n"):
		return fmt.Errorf("it does not end with one solve and what is asked")
	case c.Description.Policy("soft-zero") == "rejected" && in.Found.Has(feature.ZeroWeight):
		return fmt.Errorf("a weight of 0")
	case c.Description.Policy("soft-unused") == "rejected" && in.Found.Has(feature.UnusedSoft):
		return fmt.Errorf("a soft literal in no clause")
	case feature.Rejected(c.Description).Has(feature.FailedOther) && in.Found.Has(feature.FailedOther):
		return fmt.Errorf("failed of a literal that was not assumed")
	case !c.Description.Has("instances") && tr.Instances() > 1:
		return fmt.Errorf("%d instances", tr.Instances())
	case !c.Description.Has("terminate") && in.Found.Has(feature.Terminate),
		c.Description == nil && in.Found&(1<<feature.Options|1<<feature.Havoc) != 0:
		return fmt.Errorf("calls that the target lacks")
	}
	return trace.Check(tr)
}

// TestMutationsWithout: no mutant has a feature that is switched off, even if its parents
// have it.
func TestMutationsWithout(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	all := feature.All()
	for _, m := range apimodel.AllModels() {
		for f := range feature.Count() + 1 {
			off := all
			if f < feature.Count() {
				off = 1 << f
			}
			if off&feature.Visible == 0 {
				continue
			}
			c := gen.Config{Model: m, Description: described(t, "options"), Profile: gen.DefaultProfile, Without: off.Names()}
			mutator, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			c.Without = nil
			g := newGenerator(t, c)
			var out trace.Trace
			longer, mutants := 0, uint64(120)
			if testing.Short() {
				mutants = 40
			}
			for number := range mutants {
				parents := []*trace.Trace{new(trace.Trace), new(trace.Trace)}
				g.Generate(draw.Seed(start, 0, number), parents[0])
				g.Generate(draw.Seed(start, 0, number+1), parents[1])
				before := parents[0].String()
				done, err := mutator.Mutate(draw.Seed(start, 1, number), parents, &out)
				if err == nil {
					err = checkMutant(c, mutator, &out)
				}
				found := measure.Inspect(&out).Found
				if off.Has(feature.TwoInstances) && !off.Has(feature.ThreeInstances) && found.Has(feature.ThreeInstances) {
					found &^= 1 << feature.TwoInstances // implied by ThreeInstances
				}
				if err == nil && found&off != 0 {
					err = fmt.Errorf("%v", (found & off).Names())
				}
				if err != nil {
					t.Fatalf("%s without %v, mutant %d, %v: %v\n%s", m.Name, off.Names(), number, done, err, out.String())
				}
				if parents[0].String() != before {
					t.Fatalf("without %v, mutation %v changes the parent", off.Names(), done)
				}
				if len(out.Calls) > len(parents[0].Calls)/2 {
					longer++
				}
			}
			if f < feature.Count() && uint64(longer) < mutants/2 {
				t.Errorf("%s without %v: only %d of %d mutants are half as long as their parents", m.Name, off.Names(), longer,
					mutants)
			}
		}
	}
}

// TestRejected: no mutant has anything that a policy of the target rejects, even if its parents have it.
func TestRejected(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 2)
	for policy, check := range map[string]func(*trace.Trace) error{
		"free-variable": trace.CheckClosed, "tautology": trace.CheckContingent,
	} {
		c := gen.Config{Model: apimodel.QBF, Profile: gen.DefaultProfile}
		g := newGenerator(t, c)
		c.Description = &apimodel.Description{Policies: map[string]string{policy: "rejected"}}
		mutator, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		rejected := 0
		var out trace.Trace
		for number := range uint64(200) {
			parents := []*trace.Trace{new(trace.Trace), new(trace.Trace)}
			g.Generate(draw.Seed(start, 0, number), parents[0])
			g.Generate(draw.Seed(start, 0, number+1), parents[1])
			if check(parents[0]) != nil {
				rejected++
			}
			done, err := mutator.Mutate(draw.Seed(start, 1, number), parents, &out)
			if err == nil {
				err = check(&out)
			}
			if err == nil {
				err = trace.Check(&out)
			}
			if err != nil {
				t.Fatalf("%s, mutant %d, %v: %v\n%s", policy, number, done, err, out.String())
			}
		}
		if rejected == 0 {
			t.Errorf("%s: no parent has what the policy rejects", policy)
		}
	}
}

// described returns one of the targets in testdata of package gen.
func described(t testing.TB, name string) *apimodel.Description {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name + ".target")
	if err != nil {
		t.Fatal(err)
	}
	d, err := apimodel.ParseDescription(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newGenerator(t testing.TB, c gen.Config) *gen.Generator {
	t.Helper()
	g, err := gen.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
