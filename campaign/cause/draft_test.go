package cause

import (
	"slices"
	"testing"
)

func TestFreshKeepsGaps(t *testing.T) {
	for calls, want := range map[string][]int32{
		"hard 1 2 0\n":             {3, 4},
		"hard 1 3 0\n":             {4, 5},
		"hard 1 4 0\n":             {2, 5}, // 3 stays free
		"hard 2 3 0\n":             {4, 5},
		"hard 1 0\nsolve\nval 3\n": {2, 4}, // the query stays beyond the first
	} {
		d := newDraft(parse(t, "ipafuzz 1 ipamir\n"+calls))
		if got := []int32{d.fresh(), d.fresh()}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v:\n%s", got, want, calls)
		}
	}
}
