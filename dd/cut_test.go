package dd

import (
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func parse(t *testing.T, text string) *trace.Trace {
	t.Helper()
	tr, err := trace.ParseString("ipafuzz 1 ipamir\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

const sixCalls = "hard 1 0\nsoft 1 2\nsolve = 30\nobj\nhard 2 0\nsolve\n"

func TestCut(t *testing.T) {
	fails := errors.New("no verdict")
	for _, c := range []struct {
		name  string
		call  int
		test  Test
		calls int
		tests int
		err   error
	}{
		{"behind the failing call", 2, func(c *trace.Trace) (bool, error) { return true, nil }, 3, 1, nil},
		{"the last call fails", 5, func(c *trace.Trace) (bool, error) { return true, nil }, 6, 0, nil},
		{"the final release fails", 6, func(c *trace.Trace) (bool, error) { return true, nil }, 6, 0, nil},
		{"what follows is needed", 2, func(c *trace.Trace) (bool, error) { return len(c.Calls) == 6, nil }, 6, 1, nil},
		{"no verdict", 2, func(c *trace.Trace) (bool, error) { return true, fails }, 6, 1, fails},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := parse(t, sixCalls)
			before := whole.String()
			tests := 0
			cut, err := Cut(whole, c.call, func(candidate *trace.Trace) (bool, error) {
				tests++
				if err := trace.Check(candidate); err != nil {
					t.Errorf("an illegal candidate: %v", err)
				}
				return c.test(candidate)
			})
			if !errors.Is(err, c.err) || len(cut.Calls) != c.calls || tests != c.tests {
				t.Errorf("%d calls after %d tests (error %v), want %d after %d (%v)", len(cut.Calls), tests, err, c.calls, c.tests, c.err)
			}
			if whole.String() != before {
				t.Errorf("the trace that was given has changed:\n%s", whole)
			}
		})
	}
}
