package dd

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// reducedTo checks what is left of a trace while it fails.
func reducedTo(t *testing.T, given, want string, fails func(candidate *trace.Trace) bool) {
	t.Helper()
	from, err := trace.ParseString(given)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Minimize(context.Background(), from, TestFunc(
		func(_ context.Context, _ int, candidate *trace.Trace) (Verdict, error) {
			return Verdict{Same: fails(candidate), Call: len(candidate.Calls) - 1}, nil
		}), Config{})
	if err != nil || !result.Minimal {
		t.Fatalf("minimal: %v, %v", result.Minimal, err)
	}
	if left := result.Trace.String(); left != want {
		t.Errorf("left is\n%swant\n%s", left, want)
	}
}

// TestSoftUnit: a soft literal goes although the only clause with its variable is that literal.
func TestSoftUnit(t *testing.T) {
	reducedTo(t, "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 1\nsolve\nmodel\n", "ipafuzz 1 ipamir\nhard 1 0\nsolve\nmodel\n",
		func(candidate *trace.Trace) bool {
			clauses := clausesOf(candidate)
			return len(clauses) == 1 && len(clauses[0]) == 1 && clauses[0][0] > 0
		})
}

// TestJoinSofts: two soft literals of a variable become one, with the sum of their weights if the literals
// are equal, or else the difference.
func TestJoinSofts(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"soft 1 1\nsoft 1 1\n", "soft 1 2\n"},
		{"soft 1 3\nsoft -1 1\n", "soft 1 2\n"},
		{"soft 1 1\nsoft -1 3\n", "soft 1 2\n"},
	} {
		cost := func(candidate *trace.Trace) (difference int) {
			for i := range candidate.Calls {
				if c := &candidate.Calls[i]; c.Op == apimodel.OpSoft && candidate.Lit(c) > 0 {
					difference += int(c.Num)
				} else if c.Op == apimodel.OpSoft {
					difference -= int(c.Num)
				}
			}
			return max(difference, -difference)
		}
		reducedTo(t, "ipafuzz 1 ipamir\n"+c.given+"solve\n", "ipafuzz 1 ipamir\n"+c.want+"solve\n",
			func(candidate *trace.Trace) bool { return cost(candidate) == 2 })
	}
}

// TestHarden: soft literals become clauses beside other calls of the problem, but not alone.
func TestHarden(t *testing.T) {
	poses := func(n int) func(candidate *trace.Trace) bool {
		return func(candidate *trace.Trace) bool {
			posed := 0
			for i := range candidate.Calls {
				if movable(candidate, i) && len(candidate.Args(&candidate.Calls[i])) > 0 {
					posed++
				}
			}
			return posed >= n && candidate.Calls[len(candidate.Calls)-1].Op == apimodel.OpSolve
		}
	}
	reducedTo(t, "ipafuzz 1 ipamir\nsoft 1 1\nsolve\n", "ipafuzz 1 ipamir\nsoft 1 1\nsolve\n", poses(1))
	reducedTo(t, "ipafuzz 1 ipamir\nsoft 1 1\nsoft 2 1\nsolve\n",
		"ipafuzz 1 ipamir\nhard 1 0\nhard 1 0\nsolve\n", poses(2))
}
