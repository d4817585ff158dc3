package stats

import (
	"slices"
	"testing"
	"time"
)

// TestSlowSolves checks which targets get a line because their solves take long.
func TestSlowSolves(t *testing.T) {
	var s Stats
	for _, of := range []Counts{
		{Traces: 100, SetAside: 80, Solves: 10, SolveTime: 10 * time.Millisecond}, // hangs
		{Traces: 100, SetAside: 10, Solves: 50, SolveTime: 100 * time.Second},     // slow, but its traces end
		{Traces: 100, SetAside: 60, Solves: 50, SolveTime: 100 * time.Second},
		{Traces: 3, SetAside: 3},
	} {
		s.AddCell(CellStats{Target: string(rune('a' + len(s.Cells))), Counts: of})
	}
	want := []string{
		"A solve of c takes 2.0 s on average, so 60 of 100 traces did not end. Higher limits (--cpu, --wall) let more of " +
			"them end.",
		"No solve of d has ended, in 3 traces. If it always takes that long, give it more time (--cpu, --wall)."}
	if got := s.SlowSolves(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
