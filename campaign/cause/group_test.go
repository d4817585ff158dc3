package cause

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestGroup checks that groups and their names do not depend on the order of the failures or on how shards
// divided them.
func TestGroup(t *testing.T) {
	failures := []*Failure{
		of("", "x", "incremental", parse(t, "hard 1 0\nsoft 1 1\nsoft 1 2\nsolve\n")),
		of("", "x", "incremental", parse(t, "soft 1 1\nsoft 1 2\nsolve\nobj\n")),
		of("", "x", "incremental", parse(t, "soft 3 1\nsoft 3 2\nsolve\nmodel\n")),
		of("", "x", "incremental + late-soft", parse(t, "solve\nsoft -1 1\nhard 1 0\nsoft 2 1\nhard 1 0\n")),
		of("", "x", "tautology", parse(t, "hard 1 -1 0\nsolve\n")),
		of("f.c:1", "crash", "tautology", parse(t, "hard 1 -1 0\nsolve\n")),
		of("f.c:1", "crash", Nothing, parse(t, "hard 1 0\nsolve\n")),
		of("f.c:2", "crash", Nothing, parse(t, "hard 1 0\nsolve\n")),
	}
	text := func(faults []Fault, failures []*Failure) string {
		var lines []string
		for _, f := range faults {
			var members []string
			for _, i := range f.Failures {
				members = append(members, failures[i].skeleton())
			}
			slices.Sort(members)
			lines = append(lines, fmt.Sprintf("%s %q possibly %v", f.Name, members, f.Possibly))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	faults := Group(failures)
	want := text(faults, failures)
	if len(faults) != 5 || !strings.Contains(want, "possibly [incremental-") {
		t.Fatalf("%d faults:\n%s", len(faults), want)
	}
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	for range 50 {
		shuffled := slices.Clone(failures)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := text(Group(shuffled), shuffled); got != want {
			t.Fatalf("another order gives\n%s\nnot\n%s", got, want)
		}
	}
	if alone := Group(failures[1:2]); alone[0].Name != faults[slices.IndexFunc(faults, func(f Fault) bool {
		return slices.Contains(f.Failures, 1)
	})].Name {
		t.Errorf("alone, the fault is named %s", alone[0].Name)
	}
}
