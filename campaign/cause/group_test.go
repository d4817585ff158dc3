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
		of("", "x", "incremental", parse(t, "solve\nsoft -1 1\nhard 1 0\nsoft 2 1\nhard 1 0\n")),
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

// TestChain checks that two failures are in one group if each is the same as a third, and that the simplest
// of them names the group.
func TestChain(t *testing.T) {
	failures := []*Failure{
		of("", "x", "incremental", parse(t, "hard 1 0\nsoft 1 1\nsolve\n")),
		of("", "x", "incremental", parse(t, "hard 1 0\nhard -2 0\nsolve\n")),
		of("", "x", "incremental", parse(t, "hard 1 0\nhard -2 0\nsoft 1 1\nsolve\n")),
	}
	if apart := Group(failures[:2]); len(apart) != 2 {
		t.Fatalf("%d faults before the third failure", len(apart))
	}
	simplest := Group(failures[:2])[0]
	faults := Group(failures)
	if len(faults) != 1 || len(faults[0].Failures) != 3 || faults[0].Name != simplest.Name ||
		faults[0].Failures[0] != simplest.Failures[0] {
		t.Errorf("%+v, want the name %s", faults, simplest.Name)
	}
	doubtful := []*Failure{
		of("", "x", "", parse(t, "solve\n")),
		of("", "x", "", parse(t, "soft 1 1\nsolve\n")),
		of("", "x", "", parse(t, "hard 1 0\nsolve\n")),
		of("", "x", "", parse(t, "assume 1\nsolve\n")),
		of("", "x", "", parse(t, "terminate 1\nsolve\n")),
	}
	for _, f := range Group(doubtful) {
		if !slices.IsSorted(f.Possibly) || len(f.Possibly) == 0 {
			t.Errorf("%s is possibly %q", f.Name, f.Possibly)
		}
	}
}

// TestDifferentGroups checks that a failure that is the same as members of two groups does not join them if their
// simplest failures are different: here a second solve goes wrong, the search goes wrong, and the search goes wrong
// beside a second solve. If both make the same mistake, the failure joins them.
func TestDifferentGroups(t *testing.T) {
	refuted := "hard 1 2 0\nhard 1 -2 0\nhard -1 2 0\nhard -1 -2 0\nsolve\n"
	again := rooted("incremental", MissedSolution, parse(t, "solve\nsolve\n"), nil, false)
	search := rooted(Nothing, FalseSolution, parse(t, refuted), parse(t, refuted), false)
	both := rooted("incremental", FalseSolution, parse(t, refuted+"solve\n"), parse(t, refuted), false)
	for _, f := range []*Failure{again, search} {
		if got := Compare(f, both); got != Same {
			t.Fatalf("%s and the last one are %s", f.Cause, got)
		}
	}
	failures := []*Failure{both, again, search}
	for range 3 {
		failures = append(failures[1:], failures[0])
		faults := Group(failures)
		if len(faults) != 2 || len(faults[0].Possibly) != 1 || len(faults[1].Possibly) != 1 {
			t.Errorf("%d faults, want 2 that are possibly the same: %+v", len(faults), faults)
		}
	}
	again.Mistake = FalseSolution
	if faults := Group(failures); Compare(again, search) != Different || len(faults) != 1 {
		t.Errorf("%d faults make the same mistake, want 1", len(faults))
	}
}
