package cause

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// generated calls visit with generated traces of a model.
func generated(t *testing.T, model *apimodel.Model, profile string, n int, visit func(*trace.Trace)) {
	t.Helper()
	target, err := targets.Resolve("ref", model.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	description, err := trial.Describe(target, trialLimits)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.New(gen.Config{Model: model, Description: description, Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	seed := testseed.Of(t, 1)
	for number := range uint64(n) {
		one := new(trace.Trace)
		g.Generate(gen.Seed(seed, 0, number), one)
		visit(one)
	}
}

// TestVariantsKeepTheMeaning checks on generated traces that versions and controls are legal, and that the
// solves that they share with the original have the same right answers. IPAFUZZ_TRACES sets the number of traces.
func TestVariantsKeepTheMeaning(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("IPAFUZZ_TRACES"), "1500"))
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		n = 300
	}
	for _, model := range apimodel.Propositional() {
		applied, compared := make(map[string]int), make(map[string]int)
		generated(t, model, "tiny", n, func(one *trace.Trace) {
			answers := rightOf(one)
			for i := range variants {
				v := &variants[i]
				raw := v.apply(one)
				versions := v.Versions(one)
				if len(raw) > 0 && len(versions) == 0 && !allNil(raw) {
					t.Fatalf("%s, %s: illegal\n%s\nof\n%s", model.Name, v.Name, raw[0].Trace, one)
				}
				for _, n := range versions {
					applied[v.Name]++
					compared[v.Name] += compare(t, v.Name, one, n, answers)
				}
			}
		})
		for i := range variants {
			name := variants[i].Name
			t.Logf("%s: %s: %d versions, %d solves compared", model.Name, name, applied[name], compared[name])
		}
	}
}

func allNil(versions []*Version) bool {
	for _, n := range versions {
		if n != nil {
			return false
		}
	}
	return true
}

func rightOf(t *trace.Trace) map[int]right {
	answers := make(map[int]right)
	for i, p := range problemsOf(t) {
		if answer, ok := p.solve(); ok {
			answers[i] = answer
		}
	}
	return answers
}

// compare compares the right answers of a version with those of the original.
func compare(t *testing.T, name string, one *trace.Trace, n *Version, answers map[int]right) (solves int) {
	t.Helper()
	its := rightOf(n.Trace)
	for _, same := range n.Shared {
		before, known := answers[same.Original]
		after, found := its[same.Version]
		if !known || !found {
			continue
		}
		solves++
		if before.feasible != after.feasible || same.Cost && before.cost != after.cost {
			t.Fatalf("%s: call %d is %+v, call %d of the version %+v\n%s\n%s", name, same.Original+1, before,
				same.Version+1, after, one, n.Trace)
		}
	}
	if n.Control != nil {
		if len(problemsOf(n.Control)) != len(problemsOf(one)) {
			t.Fatalf("%s: the control lost a solve\n%s\n%s", name, one, n.Control)
		}
		its = rightOf(n.Control)
		var original, control []int
		for i := range one.Calls {
			if one.Calls[i].Op == apimodel.OpSolve {
				original = append(original, i)
			}
		}
		for i := range n.Control.Calls {
			if n.Control.Calls[i].Op == apimodel.OpSolve {
				control = append(control, i)
			}
		}
		for k := range original {
			before, known := answers[original[k]]
			after, found := its[control[k]]
			if known && found && before != after {
				t.Fatalf("%s: call %d is %+v, %+v in the control\n%s\n%s", name, original[k]+1, before, after, one, n.Control)
			}
		}
	}
	return solves
}

// TestVariantsBesideTheReference checks the same with the answers that the reference solver proves.
func TestVariantsBesideTheReference(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 4
	}
	for _, model := range apimodel.Models() {
		compared := 0
		generated(t, model, "tiny", n, func(one *trace.Trace) {
			before, err := trial.RightAnswers(context.Background(), one)
			if err != nil {
				t.Fatal(err)
			}
			for i := range variants {
				for _, n := range variants[i].Versions(one) {
					after, err := trial.RightAnswers(context.Background(), n.Trace)
					if err != nil {
						t.Fatal(err)
					}
					for _, same := range n.Shared {
						b, known := before[same.Original]
						a, found := after[same.Version]
						if !known || !found {
							continue
						}
						compared++
						if a.Status != b.Status || same.Cost && a.Objective != b.Objective {
							t.Fatalf("%s: call %d is %+v, call %d of the version %+v\n%s\n%s", variants[i].Name,
								same.Original+1, b, same.Version+1, a, one, n.Trace)
						}
					}
				}
			}
		})
		if compared < n {
			t.Errorf("%s: only %d solves compared", model.Name, compared)
		}
	}
}

// TestNothingLeft checks that a version may have no call: a library that dies in the only call of a trace needs what
// that call brings.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"tautology": "ipafuzz 1 ipasir\nadd 1 -1 0\n",
		"zero-weight": "ipafuzz 1 ipamir\nsoft 1 0\n", "terminate": "ipafuzz 1 ipasir\nterminate off\n"} {
		versions := Named(name).Versions(parse(t, text))
		if len(versions) != 1 || len(versions[0].Trace.Calls) != 0 {
			t.Errorf("%s: %d versions", name, len(versions))
		}
	}
}
