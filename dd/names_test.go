package dd

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestNamesLast: a reduction of several rounds renames once, in the end. As long as there are many variables,
// the trace fails only with their numbers.
func TestNamesLast(t *testing.T) {
	result := reducedClauses(t, [][]int32{{-11, 12, 13}, {14, -15, 16}, {17, 18, 19}}, func(clauses [][]int32) bool {
		vars := make(map[int32]bool)
		for _, lit := range slices.Concat(clauses...) {
			vars[trace.Var(lit)] = true
		}
		short := slices.ContainsFunc(clauses, func(clause []int32) bool { return len(clause) < 3 })
		return len(clauses) > 1 && !short && (len(vars) <= 2 || vars[11] || vars[14])
	})
	tests := 0
	for _, p := range result.Passes {
		if p.Name == "normal form" {
			tests = p.Tests
		}
	}
	if tests != 1 || slices.Max(result.Trace.Variables()) > 2 {
		t.Errorf("%d tests of the normal form, and left is\n%s", tests, result.Trace)
	}
}

// TestOneDigit: the least number with which a trace fails is worth tests if the number has several digits.
func TestOneDigit(t *testing.T) {
	for given, left := range map[int32]int32{8: 8, 80: 3} {
		result := reducedClauses(t, [][]int32{{given}}, func(clauses [][]int32) bool {
			return len(clauses) == 1 && len(clauses[0]) == 1 && trace.Var(clauses[0][0]) >= 3
		})
		if got := result.Trace.Variables(); len(got) != 1 || got[0] != left {
			t.Errorf("variable %d becomes %v, want %d", given, got, left)
		}
	}
}
