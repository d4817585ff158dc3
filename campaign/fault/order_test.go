package fault

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// TestOrdinaryFirst: faults are in the order of their input, then of their class, then of their hits.
func TestOrdinaryFirst(t *testing.T) {
	t.Parallel()
	seen := func(f *store.Finding, hits uint64) *store.Finding {
		f.Hits = hits
		return f
	}
	want := []*store.Finding{
		seen(finding(t, "a", "2.1", "plain, wrong optimum", "nothing", "", "hard 1 2 0\nsoft 1 1\nsolve\n"), 2),
		seen(finding(t, "a", "2.1", "weighted", "unequal-weights", "", "soft 1 1\nsoft 2 9\nsolve\n"), 1),
		seen(finding(t, "a", "5.2", "plain, often", "nothing", "", "soft 1 1\nsolve\nmodel\n"), 39_745),
		// No experiment tells what this one needs. Its trace has nothing special.
		finding(t, "a", "3.1", "hang", "", "", "soft 1 1\nsolve\n"),
		seen(finding(t, "a", "2.1", "second solve, often", "incremental", "", "solve\nsoft 1 1\nsolve\n"), 9),
		seen(finding(t, "a", "2.1", "assumption, seldom", "last-assumption", "", "soft 2 1\nassume 1\nsolve\n"), 2),
		seen(finding(t, "a", "1.1", "query", "earlier-query", "", "solve\nval 1\nsolve\n"), 90_000),
		finding(t, "a", "2.1", "twice", "repeated-soft", "", "soft 1 1\nsoft 1 2\nsolve\n"),
		seen(finding(t, "a", "1.1", "zero", "zero-weight", "f.c:1", "soft 1 0\nsolve\n"), 40_000),
		// Its trace has a soft literal twice.
		finding(t, "a", "3.1", "hang, perhaps rare", "", "", "soft 3 1\nsoft 3 2\nsolve\n"),
		seen(finding(t, "a", "2.1", "large", "large-weight", "", "soft 1 9223372036854775807\nsolve\n"), 35),
		seen(finding(t, "a", "1.1", "twice and large", "repeated-soft + large-weight", "f.c:2",
			"soft 1 4294967296\nsoft 1 2\nsolve\n"), 90_000),
	}
	for i, f := range want { // of other targets, so that none is possibly the same as another
		f.Target = string(rune('z' - i))
		f.Key = f.Finding.Key(f.Target)
	}
	given := slices.Clone(want)
	slices.Reverse(given)
	faults := Group(given)
	if len(faults) != len(want) {
		t.Fatalf("%d faults, want %d:\n%s", len(faults), len(want), text(faults))
	}
	for i := range faults {
		if got := faults[i].Simplest(); got != want[i] {
			t.Errorf("fault %d is %s, want %s", i+1, got.Detail, want[i].Detail)
		}
	}
}

// TestUnder: crashes that need the same stand under the one with the most ordinary input, whatever their places. A
// damaged heap, whose place is unknown, stands with them.
func TestUnder(t *testing.T) {
	t.Parallel()
	late := "solve\nsoft 1 1\nsolve\n"
	faults := Group([]*store.Finding{
		finding(t, "a", "1.5", "place 1", "no-soft + late-soft", "f.c:1", late),
		finding(t, "a", "1.1", "heap corruption", "no-soft + late-soft", "", late+"solve\n"),
		finding(t, "a", "1.5", "place 2", "unequal-weights + late-soft", "f.c:2", late+"obj\n"),
		finding(t, "a", "1.5", "place 3", "late-soft", "f.c:3", late),
		finding(t, "a", "1.5", "place 4", "zero-weight", "f.c:4", "soft 1 0\nsolve\n"),
		finding(t, "a", "1.5", "place 5", "unequal-weights", "f.c:5", "soft 1 3\nsolve\n"), // few causes lack a weight
		finding(t, "b", "1.5", "place 1", "late-soft", "f.c:1", late),
		finding(t, "a", "1.5", "place 6", "", "f.c:6", late), // its cause is unknown
	})
	got := make(map[string]string)
	labels := Labels(faults)
	for i := range faults {
		got[labels[i]] = faults[i].Target + " " + faults[i].Simplest().Detail
	}
	want := map[string]string{"1": "a place 5", "2": "a place 3", "2a": "a place 2", "2b": "a heap corruption",
		"2c": "a place 1", "3": "b place 1", "4": "a place 4", "5": "a place 6"}
	for label, name := range want {
		if got[label] != name {
			t.Errorf("fault %s is %q, want %q\n%v", label, got[label], name, got)
		}
	}
	if Blocks(faults) != 5 || Count(faults) != "5 to 8 faults (8 findings)" {
		t.Errorf("%d blocks; %s", Blocks(faults), Count(faults))
	}
}

func TestLetters(t *testing.T) {
	for n, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 26 * 27: "aaa"} {
		if got := letters(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
