package dd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func clausesOf(t *trace.Trace) (clauses [][]int32) {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpClause {
			clauses = append(clauses, t.Args(c))
		}
	}
	return clauses
}

// reducedClauses reduces clauses, with a solve behind them, while their list fails, with one worker or that many.
func reducedClauses(
	t *testing.T, clauses [][]int32, fails func(clauses [][]int32) bool, workers ...int,
) Result {
	t.Helper()
	text := strings.Builder{}
	text.WriteString("ipafuzz 1 ipasir\n")
	for _, clause := range clauses {
		fmt.Fprintf(&text, "add %s 0\n", strings.Trim(fmt.Sprint(clause), "[]"))
	}
	given, err := trace.ParseString(text.String() + "solve\n")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Minimize(context.Background(), given, TestFunc(
		func(_ context.Context, _ int, candidate *trace.Trace) (Verdict, error) {
			return Verdict{Same: fails(clausesOf(candidate)), Call: -1}, nil
		}), Config{Workers: append(workers, 1)[0]})
	if err != nil || !result.Minimal {
		t.Fatalf("minimal: %v, %v", result.Minimal, err)
	}
	return result
}

// TestEarlyPasses: variables are merged before the reduction proves that nothing can go. After a
// merge, it would have to prove everything again.
func TestEarlyPasses(t *testing.T) {
	result := reducedClauses(t, [][]int32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, func(clauses [][]int32) bool {
		return len(clauses) == 4 && !slices.ContainsFunc(clauses, func(clause []int32) bool { return len(clause) < 3 })
	})
	if v := len(result.Trace.Variables()); v != 1 {
		t.Errorf("%d variables are left in\n%s", v, result.Trace)
	}
	const most = 40
	if result.Stats.Tests > most {
		t.Errorf("%d tests, want at most %d", result.Stats.Tests, most)
	}
}

// TestLaterPartners: a variable is merged with another one although the first two partners fail.
func TestLaterPartners(t *testing.T) {
	result := reducedClauses(t, [][]int32{{1, 2, 3}, {-1, -2, -3}}, func(clauses [][]int32) bool {
		if len(clauses) != 2 || len(clauses[0]) != 3 || len(clauses[1]) != 3 {
			return false
		}
		first := clauses[0]
		return !slices.Contains([]int32{first[1], -first[1]}, first[2]) && !slices.Contains(clauses[1], first[2])
	})
	if v := len(result.Trace.Variables()); v != 2 {
		t.Errorf("%d variables are left in\n%s", v, result.Trace)
	}
}

// TestNeededLiterals: of the literals of few clauses, many are needed, so the first sets of literals
// are small.
func TestNeededLiterals(t *testing.T) {
	var clauses [][]int32
	for v := range int32(10) {
		clauses = append(clauses, []int32{4*v + 1, 4*v + 2, 4*v + 3, 4*v + 4})
	}
	result := reducedClauses(t, clauses, func(clauses [][]int32) bool {
		return !slices.ContainsFunc(clauses, func(clause []int32) bool { return len(clause) < 3 }) && len(clauses) == 10
	})
	const most = 190
	if result.Stats.Tests > most {
		t.Errorf("%d tests, want at most %d", result.Stats.Tests, most)
	}
}

// TestDropAndShuffle: a failure that needs all clauses with their signs and fewer with others loses
// clauses, the same ones for any number of workers.
func TestDropAndShuffle(t *testing.T) {
	var clauses [][]int32
	for v := range int32(8) {
		clauses = append(clauses, []int32{3*v + 1, 3*v + 2, 3*v + 3})
	}
	fails := func(clauses [][]int32) bool {
		if slices.ContainsFunc(clauses, func(clause []int32) bool { return len(clause) < 3 }) {
			return false
		}
		negative := func(lit int32) bool { return lit < 0 }
		return len(clauses) == 8 || len(clauses) >= 4 &&
			slices.ContainsFunc(clauses, func(clause []int32) bool { return slices.ContainsFunc(clause, negative) })
	}
	one := reducedClauses(t, clauses, fails)
	if calls := len(one.Trace.Calls); calls != 4 {
		t.Errorf("%d calls are left in\n%s", calls, one.Trace)
	}
	three := reducedClauses(t, clauses, fails, 3)
	if a, b := one.Trace.String(), three.Trace.String(); a != b {
		t.Errorf("one worker leaves\n%s\nthree leave\n%s", a, b)
	}
}
