package engine

import (
	"context"
	"slices"
	"testing"
)

// tested returns the sets that a search tests, as bits, and the items that it leaves.
func tested(t *testing.T, m Method, items Items[[]int], holds func(kept []int) bool) (sets []uint, kept []int) {
	t.Helper()
	l := New(context.Background(), Config[[]int]{Key: keyOf,
		Test: func(_ context.Context, _ int, kept []int) (Verdict, error) {
			set := uint(0)
			for _, item := range kept {
				set |= 1 << item
			}
			sets = append(sets, set)
			return Verdict{Holds: holds(kept)}, nil
		}})
	defer l.Close()
	items.Build = func(kept []int) ([]int, bool) { return kept, true }
	kept, err := Reduce(l, m, items)
	if err != nil {
		t.Fatal(err)
	}
	return sets, kept
}

// TestAllNeeded: if all items are expected to be needed, and are, the proof takes one test for each.
func TestAllNeeded(t *testing.T) {
	for n := 1; n <= 6; n++ {
		sets, _ := tested(t, Learned, Items[[]int]{N: n, Expect: n}, func(kept []int) bool { return len(kept) == n })
		if len(sets) != n {
			t.Errorf("%d tests for %d items: %b", len(sets), n, sets)
		}
	}
}

// TestSomeNeeded: the search does not test whether all items can go if that is unlikely, and finds what is needed.
func TestSomeNeeded(t *testing.T) {
	for _, m := range []Method{Learned, Unproven} {
		sets, kept := tested(t, m, Items[[]int]{N: 8, Expect: 1, SomeNeeded: true},
			func(kept []int) bool { return all(kept, 5) })
		if len(sets) == 0 || sets[0] != 0xf0 || m == Unproven && slices.Contains(sets, 0) || !slices.Equal(kept, []int{5}) {
			t.Errorf("%s tests %b and leaves %v", m, sets, kept)
		}
	}
}
