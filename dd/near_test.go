package dd

import (
	"slices"
	"testing"
)

func TestNearness(t *testing.T) {
	tr := parse(t, "hard 1 2 0\nhard 7 8 0\nhard 5 6 0\nhard 2 3 0\nhard 8 9 0\nhard 3 4 0\nsoft 1 5\nsolve\nval 9\n")
	near := nearness(tr, identity(len(tr.Calls)), len(tr.Calls))
	if want := []int{0, 4, 7, 2, 5, 3, 1, 8, 6}; !slices.Equal(near, want) {
		t.Errorf("calls are numbered %v, want %v", near, want)
	}
	groups, n := byKind(tr, identity(len(tr.Calls)), len(tr.Calls))
	// queries, clauses by nearness, soft literals, solves
	if want := []int{1, 4, 6, 2, 5, 3, 7, 8, 0}; n != len(tr.Calls) || !slices.Equal(groups, want) {
		t.Errorf("byKind returns %d groups and puts the calls into %v, want %v", n, groups, want)
	}
}
