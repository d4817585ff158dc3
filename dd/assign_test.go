package dd

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestAssigned: clauses that a value fulfils go with their soft literals, and the others get shorter.
func TestAssigned(t *testing.T) {
	const calls = `ipafuzz 1 ipamir
hard 1 2 0
hard 1 3 0
hard -1 4 0
hard 1 5 0
soft 5 7
soft 1 3
hard 6 7 0
soft 6 1
assume 1
solve
`
	for _, c := range []struct {
		gone []int32
		want string
	}{
		{[]int32{1}, "hard 4 0\nhard 6 7 0\nsoft 6 1\nsolve\n"},
		{[]int32{7}, "hard 1 2 0\nhard 1 3 0\nhard -1 4 0\nhard 1 5 0\nsoft 5 7\nsoft 1 3\nassume 1\nsolve\n"},
		{[]int32{2, 4}, "hard 1 3 0\nhard 1 5 0\nsoft 5 7\nsoft 1 3\nhard 6 7 0\nsoft 6 1\nassume 1\nsolve\n"},
	} {
		given := testtrace.Parse(t, calls)
		vars := given.Variables()
		gone := make([]bool, len(vars))
		for i, v := range vars {
			gone[i] = slices.Contains(c.gone, v)
		}
		want := testtrace.Calls(testtrace.Parse(t, "ipafuzz 1 ipamir\n"+c.want))
		if got := testtrace.Calls(assigned(given, vars, gone)); got != want {
			t.Errorf("without %v:\n%s\nwant\n%s", c.gone, got, want)
		}
	}
}
