package gen

import (
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func TestMutations(t *testing.T) {
	for _, m := range apimodel.Models() {
		for _, text := range []string{"", richDescription, richDescription + "policy soft-zero=rejected\npolicy soft-unused=rejected\npolicy weight-sum=below-2^63\nlacks instances\nlacks terminate\nmax-vars 7\nmax-calls 25\n"} {
			c := Config{Model: m, Profile: mixedName}
			if text != "" {
				c.Description = describe(t, text)
			}
			testMutations(t, c)
		}
	}
}

func testMutations(t *testing.T, c Config) {
	g := newGenerator(t, Config{Model: c.Model, Description: describe(t, richDescription), Profile: mixedName})
	mutator, err := NewMutator(c)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	var out trace.Trace
	for number := range uint64(1500) {
		seed := Seed(firstSeed(t), 1, number)
		parents := []*trace.Trace{new(trace.Trace), new(trace.Trace)}
		g.Generate(Seed(firstSeed(t), 0, number), parents[0])
		g.Generate(Seed(firstSeed(t), 0, number+1), parents[1])
		before := parents[0].String()
		done, err := mutator.Mutate(seed, parents, &out)
		if err == nil {
			err = checkMutant(c, mutator, &out)
		}
		if err != nil {
			t.Fatalf("IPAFUZZ_SEED=%d: %s, mutant %d, %v: %v\n%s", firstSeed(t), c.Model.Name, number, done, err, out.String())
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
				t.Fatal("the same seed and parents make another mutant")
			}
		}
	}
	for _, info := range Mutations() {
		weights := info.Name == "perturb-weights"
		if count[info.Name] == 0 && !(weights && c.Model == apimodel.IPASIR) {
			t.Errorf("%s: %s was never done", c.Model.Name, info.Name)
		}
	}
}

func checkMutant(c Config, m *Mutator, tr *trace.Trace) error {
	in := inspect(tr)
	switch {
	case in.overflow || in.maxSum > m.maxSum:
		return fmt.Errorf("the weights sum to %d", in.maxSum)
	case m.config.MaxVars > 0 && in.maxVars > m.config.MaxVars:
		return fmt.Errorf("%d variables", in.maxVars)
	case m.config.MaxCalls > 0 && len(tr.Calls) > m.config.MaxCalls:
		return fmt.Errorf("%d calls", len(tr.Calls))
	case tr.Solves() == 0:
		return fmt.Errorf("no solve")
	case c.Description.Policy("soft-zero") == "rejected" && in.found.has(zeroWeight):
		return fmt.Errorf("a weight of 0")
	case c.Description.Policy("soft-unused") == "rejected" && in.found.has(unusedSoft):
		return fmt.Errorf("a soft literal in no clause")
	case !c.Description.Has("instances") && tr.Instances() > 1:
		return fmt.Errorf("%d instances", tr.Instances())
	case !c.Description.Has("terminate") && in.found.has(terminate), c.Description == nil && in.found&(1<<options|1<<havoc) != 0:
		return fmt.Errorf("calls that the target lacks")
	}
	return trace.Check(tr)
}

// TestMutationsWithout: what is switched off is in no mutant, whatever the
// parents have.
func TestMutationsWithout(t *testing.T) {
	all := featureSet(1<<numFeatures - 1)
	for _, m := range apimodel.Models() {
		for f := range numFeatures + 1 {
			off := all
			if f < numFeatures {
				off = 1 << f
			}
			if off&inspected == 0 {
				continue
			}
			c := Config{Model: m, Description: describe(t, richDescription), Profile: mixedName, Without: off.names()}
			mutator, err := NewMutator(c)
			if err != nil {
				t.Fatal(err)
			}
			c.Without = nil
			g := newGenerator(t, c)
			var out trace.Trace
			longer := 0
			for number := range uint64(120) {
				parents := []*trace.Trace{new(trace.Trace), new(trace.Trace)}
				g.Generate(Seed(firstSeed(t), 0, number), parents[0])
				g.Generate(Seed(firstSeed(t), 0, number+1), parents[1])
				before := parents[0].String()
				done, err := mutator.Mutate(Seed(firstSeed(t), 1, number), parents, &out)
				if err == nil {
					err = checkMutant(c, mutator, &out)
				}
				found := inspect(&out).found
				if off.has(twoInstances) && !off.has(threeInstances) && found.has(threeInstances) {
					found &^= 1 << twoInstances // three are a feature of their own
				}
				if err == nil && found&off != 0 {
					err = fmt.Errorf("%v", (found & off).names())
				}
				if err != nil {
					t.Fatalf("IPAFUZZ_SEED=%d: %s without %v, mutant %d, %v: %v\n%s", firstSeed(t), m.Name, off.names(), number, done, err, out.String())
				}
				if parents[0].String() != before {
					t.Fatalf("without %v, mutation %v changes the parent", off.names(), done)
				}
				if len(out.Calls) > len(parents[0].Calls)/2 {
					longer++
				}
			}
			if f < numFeatures && longer < 60 {
				t.Errorf("%s without %v: only %d of 120 mutants are half as long as their parents", m.Name, off.names(), longer)
			}
		}
	}
}
