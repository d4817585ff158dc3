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

// TestCut: what stands behind the failing call goes first, and is kept where it
// is needed.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		name  string
		call  int
		needs int // calls
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
