package dd

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func parse(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := trace.ParseString("ipafuzz 1 ipamir\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

const sixCalls = "hard 1 0\nsoft 1 2\nsolve = 30\nobj\nhard 2 0\nsolve\n"

// TestCut: cutBehind removes the calls after the failing one, unless the failure needs them.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		name  string
		call  int
		needs int // fewest calls of a trace that fails
		want  int // calls after the cut
		tests int
	}{
		{"behind the failing call", 2, 0, 3, 1},
		{"the last call fails", 5, 0, 6, 0},
		{"the final release fails", 6, 0, 6, 0},
		{"not known", -1, 0, 6, 0},
		{"what follows is needed", 2, 6, 6, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := parse(t, sixCalls)
			r := newReducer(context.Background(), whole, TestFunc(func(_ context.Context, _ int,
				candidate *trace.Trace) (Verdict, error) {
				return Verdict{Same: len(candidate.Calls) >= c.needs, Call: c.call}, nil
			}), Config{})
			defer r.lab.Close()
			if err := r.begin(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := cutBehind(r); err != nil {
				t.Fatal(err)
			}
			if len(r.best.Calls) != c.want || r.lab.Stats().Tests != c.tests {
				t.Errorf("%d calls after %d tests, want %d after %d", len(r.best.Calls), r.lab.Stats().Tests, c.want, c.tests)
			}
		})
	}
}

func TestEndsBefore(t *testing.T) {
	tr := parse(t, "soft 1 1\nhard 1 2 0\nsolve\nval 1\nval 2\n")
	failsAt := func(call int) Tester {
		return TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			for _, part := range []string{"soft 1 1\nhard 1 2 0\n", "soft 1 1\nhard 1 2 0\nsolve\n"} {
				if text(c) == part {
					t.Errorf("Minimize tests a candidate that the run of the given trace has passed without failing:\n%s", part)
				}
			}
			return Verdict{Same: text(c) == text(tr), Call: call}, nil
		})
	}
	result, err := Minimize(t.Context(), tr, failsAt(4), Config{})
	if err != nil || !result.Minimal {
		t.Fatal(result.Minimal, err)
	}
	r := newReducer(t.Context(), tr, failsAt(4), Config{})
	defer r.lab.Close()
	for _, c := range []struct {
		call, calls int // index of the failing call, and number of calls of the candidate
		want        bool
	}{{4, 4, false}, {4, 3, true}, {3, 3, true}, {2, 2, true}, {2, 3, false}, {-1, 1, false}, {5, 4, false}} {
		r.verdict.Call = c.call
		if got := r.endsBefore(tr.Prefix(c.calls)); got != c.want {
			t.Errorf("call %d fails, the candidate has %d calls: endsBefore returns %v", c.call, c.calls, got)
		}
	}
	r.verdict.Call, r.config.Any = 4, true
	if r.endsBefore(tr.Prefix(3)) {
		t.Error("endsBefore ignores Any: an earlier call may show another failure")
	}
	r.config.Any = false
	if r.endsBefore(parse(t, "soft 1 2\nhard 1 2 0\n")) {
		t.Error("endsBefore returns true for a candidate that is not a prefix")
	}
	if r.test = Repeated(failsAt(4), 0.5); r.endsBefore(tr.Prefix(2)) {
		t.Error("endsBefore returns true for a failure that depends on chance")
	}
}

// TestSmallGap: Minimize finds the least variable that shows a failure, with few tests if it is small.
func TestSmallGap(t *testing.T) {
	for _, most := range []int32{1, 2, 3, 5, 100, 3000} {
		tests := 0
		tr := parse(t, "hard 4000 0\n")
		result, err := Minimize(t.Context(), tr, TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			tests++
			return Verdict{Same: has(c, func(c *trace.Call) bool { return c.Len == 1 }) &&
				trace.Var(c.Lits[0]) >= most, Call: -1}, nil
		}), Config{})
		if err != nil {
			t.Fatal(err)
		}
		if v := result.Trace.Lits[0]; v != most {
			t.Errorf("a failure that needs variable %d or above is reduced to variable %d", most, v)
		}
		if most <= 3 && tests > 6 {
			t.Errorf("%d tests find variable %d", tests, most)
		}
	}
}

// TestOneDigit: a smaller gap is worth tests only if the number behind it has several digits.
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
