package cause

import (
	"strings"
	"testing"
)

// TestName checks that a fault keeps its name if another trace shows it, and that faults with different
// needs have different names.
func TestName(t *testing.T) {
	same := func(want bool, a, b *Failure) {
		t.Helper()
		if (a.name() == b.name()) != want {
			t.Errorf("%s and %s, want the same name: %v", a.name(), b.name(), want)
		}
	}
	twice, other := parse(t, "soft 1 1\nsoft 1 2\nsolve\n"), parse(t, "hard 1 0\nsolve\n")
	same(true, of("f.c:1", crash, Nothing, twice), of("f.c:1", crash, "tautology", other))
	same(false, of("f.c:1", crash, Nothing, twice), of("f.c:2", crash, Nothing, twice))
	same(true, of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft", other))
	same(true, of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft + option", other))
	same(false, of("", "x", "repeated-soft", twice), of("", "x", "repeated-soft + zero-weight", twice))
	same(false, of("", "x", "repeated-soft", twice), of("", "y", "repeated-soft", twice))
	same(true, of("", "x", Nothing, twice), of("", "x", Nothing, other))
	same(false, keyed("", "k"), keyed("", "l"))

	faults := Group([]*Failure{mistaken("late-soft", FalseSolution), mistaken("late-soft", MissedSolution)})
	if len(faults) != 2 || faults[0].Name == faults[1].Name || !strings.HasPrefix(faults[1].Name, "late-soft-") {
		t.Errorf("two faults that need the same: %+v", faults)
	}
}
