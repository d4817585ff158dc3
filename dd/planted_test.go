package dd

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// fulfilled reports whether the trace has at least two clauses, each with a literal that the planted assignment makes
// true.
func fulfilled(t *trace.Trace) bool {
	if len(t.Planted) != 1 {
		return false
	}
	isTrue := make(map[int32]bool)
	for _, lit := range t.Planted[0].Lits {
		isTrue[lit] = true
	}
	clauses := 0
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op != apimodel.OpClause {
			continue
		}
		clauses++
		fulfils := false
		for _, lit := range t.Args(c) {
			fulfils = fulfils || isTrue[lit]
		}
		if !fulfils {
			return false
		}
	}
	return clauses >= 2
}

// TestPlantedSurvives: Minimize reduces a failure that needs the planted assignment. It renames the assignment's
// variables, and drops those that the trace no longer has.
func TestPlantedSurvives(t *testing.T) {
	long := parse(t,
		"# planted @2 bound=0 -1001 1002 -5 7 30 31 32\n@2 hard 1002 5 0\n@2 hard -1001 -1002 0\n@2 hard -5 7 0\n@2 hard "+
			"-1001 -7 0\n@2 solve\n@2 val 30\n")
	test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
		return Verdict{Same: fulfilled(c), Call: -1}, nil
	})
	result, err := Minimize(context.Background(), long, test, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Trace.String(), "ipafuzz 1 ipamir\n# planted @0 bound=0 1\nhard 1 0\nhard 1 0\n"; got != want {
		t.Errorf("minimal is\n%s, want\n%s", got, want)
	}
}
