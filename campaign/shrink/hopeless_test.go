package shrink

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestCanFail checks that candidates are excluded only where no answer can be wrong in
// the way that is wanted.
func TestCanFail(t *testing.T) {
	for _, c := range []struct {
		class oracle.Class
		calls string
		want  bool
	}{
		{oracle.NotOptimal, "hard 1 2 0\nsoft 1 3\nsoft 2 4\nsolve\nobj\n", true},
		{oracle.NotOptimal, "hard 1 0\nsoft 1 3\nsolve\nobj\n", false},               // only one cost
		{oracle.NotOptimal, "soft 1 3\nsoft -1 3\nsolve\nobj\n", false},              // the same cost
		{oracle.NotOptimal, "hard 1 0\nhard -1 0\nsoft 2 3\nsolve\nobj\n", false},    // no solution
		{oracle.NotOptimal, "soft 1 3\nassume 1\nsolve\nobj\n", false},               // assumed
		{oracle.NotOptimal, "soft 1 3\nassume 1\nsolve\nobj\nsolve\nobj\n", true},    // only once
		{oracle.NotOptimal, "soft 1 3\nsoft 1 0\nsolve\nobj\n", false},               // the last weight counts
		{oracle.NotOptimal, "soft 1 3\n@1 hard 1 0\n@1 solve\n@1 obj\n", false},      // of another solver
		{oracle.NotOptimal, "hard 1\nhard 2 0\nhard -2 0\nsoft 1 3\nsolve\n", false}, // a clause in pieces
		{oracle.NotOptimal, "hard 1 0\nsoft 1 3\n", false},                           // nothing is solved
		{oracle.ClaimsSolution, "hard 1 0\nsolve\n", false},
		{oracle.ClaimsSolution, "hard 1 0\nhard -1 0\nsolve\n", true},
		{oracle.ClaimsSolution, "hard 0\nsolve\n", true},
		{oracle.ClaimsNoSolution, "hard 1 0\nhard -1 0\nsolve\n", false},
		{oracle.ClaimsNoSolution, "solve\n", true},
		{oracle.ModelFalsifies, "soft 1 3\nsolve\nmodel\n", false},
		{oracle.ModelFalsifies, "assume 1\nsolve\nmodel\n", true},
		{oracle.OneValueDiffers, "solve\nobj\n", true},
		{oracle.OneValueDiffers, "soft 1 3\n", false},
		{oracle.Segfault, "soft 1 3\n", true},
		{oracle.NotOptimal, "hard 1 2 3 4 5 6 7 8 9 10 11 12 13 0\nsolve\nobj\n", true}, // too many variables
	} {
		if got := canFail(c.class, testtrace.Parse(t, "ipafuzz 1 ipamir\n"+c.calls)); got != c.want {
			t.Errorf("%s: %v, want %v:\n%s", c.class, got, c.want, c.calls)
		}
	}
}
