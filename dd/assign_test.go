package dd

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
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

// TestAssignIsPatient: values are tried longer if a query fails than if the solve does.
func TestAssignIsPatient(t *testing.T) {
	const clauses = 140 // so many that no candidate looks like one before
	text := "ipafuzz 1 ipamir\n"
	for i := range clauses {
		text += fmt.Sprintf("hard %d %d 0\n", i+1, (i+2)*(i+2)%clauses+1)
	}
	given := testtrace.Parse(t, text+"solve\nobj\n")
	tests := make(map[int]int)
	for failing := clauses; failing <= clauses+1; failing++ {
		result, err := Minimize(t.Context(), given, TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			return Verdict{Same: len(c.Variables()) == clauses, Call: failing}, nil
		}), Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range result.Passes {
			if p.Name == "assign" {
				tests[failing] = p.Tests
			}
		}
	}
	if solve, query := tests[clauses], tests[clauses+1]; solve > 2 || query < 4 {
		t.Errorf("the pass tries %d candidates in vain if the solve fails, %d if a query does", solve, query)
	}
}
