package dd

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestPlain: three clauses of three literals fail. Without Plain, the result repeats literals; with it, the
// result does not, by the same steps for any number of workers.
func TestPlain(t *testing.T) {
	given := parse(t, "hard 1 2 3 0\nhard -1 4 5 0\nhard 2 -4 6 0\nhard -3 -5 -6 0\nhard 1 -2 7 8 0\n"+
		"hard 4 7 -8 0\nhard -7 3 9 0\nsoft -1 3\nsoft -4 2\nsoft -9 5\nsolve\n")
	f := failure{fails: func(t *trace.Trace) bool {
		long := 0
		for i := range t.Calls {
			if c := &t.Calls[i]; c.Op == apimodel.OpClause && c.Len >= 3 {
				long++
			}
		}
		return long >= 3 && t.Calls[len(t.Calls)-1].Op == apimodel.OpSolve
	}}
	plain := func(t *trace.Trace) bool {
		for i := range t.Calls {
			if c := &t.Calls[i]; c.Op == apimodel.OpClause {
				if lits := slices.Sorted(slices.Values(t.Args(c))); len(slices.Compact(lits)) < int(c.Len) {
					return false
				}
			}
		}
		return true
	}
	for _, wanted := range []func(*trace.Trace) bool{nil, plain} {
		var first string
		tests := 0
		for _, workers := range []int{1, 2, 5} {
			var steps strings.Builder
			result, err := Minimize(context.Background(), given, tester(t, f), Config{Workers: workers, Plain: wanted,
				Events: Events{OnBest: func(c *trace.Trace) { steps.WriteString(c.String()) }}})
			if err != nil || !result.Minimal || len(result.Trace.Calls) != 4 {
				t.Fatal(result, err)
			}
			if workers == 1 {
				first, tests = steps.String(), result.Stats.Tests
			}
			if steps.String() != first || result.Stats.Tests != tests {
				t.Errorf("%d workers need %d tests and find\n%sone worker needs %d and finds\n%s", workers, result.Stats.Tests,
					&steps, tests, first)
			}
			if plain(result.Trace) != (wanted != nil) {
				t.Errorf("%d workers end with\n%s", workers, result.Trace)
			}
			mustBeMinimal(t, f, result.Trace)
		}
		t.Logf("%d tests", tests)
	}
}
