package source

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestExcludes checks which smaller traces respect what a user excluded, and that what the trace itself has
// is not excluded.
func TestExcludes(t *testing.T) {
	const (
		hard = "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 2\nsolve\n"
		soft = "ipafuzz 1 ipamir\nsoft 1 2\nsolve\n"
		long = "ipafuzz 1 ipamir\nhard 1 2 3 4 0\nsoft 1 2\nsolve\n"
	)
	cell := &Cell{Generate: gen.Config{Without: []string{"no-hard", "threshold"}}}
	for _, row := range []struct {
		of      string
		traits  []string
		smaller string
		allowed bool
	}{
		{hard, nil, hard, true},
		{hard, nil, soft, false},
		{soft, nil, soft, true}, // the trace has it, as one from a corpus may
		{hard, nil, long, true},
		{hard, []string{"queries", "long-clauses"}, long, false},
		{long, []string{"long-clauses"}, long, true},
	} {
		allowed := cell.Excludes(row.traits, testtrace.Parse(t, row.of))
		if got := allowed == nil || allowed(testtrace.Parse(t, row.smaller)); got != row.allowed {
			t.Errorf("without %v and %v, from\n%s\nto\n%s\nis allowed: %v", cell.Generate.Without, row.traits, row.of,
				row.smaller, got)
		}
	}
	if new(Cell).Excludes(nil, testtrace.Parse(t, soft)) != nil {
		t.Error("nothing is excluded, but candidates are checked")
	}
}
