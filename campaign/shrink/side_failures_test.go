package shrink

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestSideFailures checks that the last five traces of every other failure are kept.
func TestSideFailures(t *testing.T) {
	side := make(SideFailures)
	a, b := oracle.Key{Target: "a"}, oracle.Key{Target: "b"}
	var all []*trace.Trace
	for range 7 {
		all = append(all, new(trace.Trace))
		side.Note(all[len(all)-1], b)
	}
	side.Note(all[0], a)
	if key, traces := side.Next(); key != a || len(traces) != 1 {
		t.Errorf("first %s with %d traces", key, len(traces))
	}
	smallestFirst := slices.Clone(all[2:])
	slices.Reverse(smallestFirst)
	if key, traces := side.Next(); key != b || !slices.Equal(traces, smallestFirst) || len(side) != 0 {
		t.Errorf("then %s with %d traces", key, len(traces))
	}
}
