package dd

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestChanges: two changes are the same if they change the same calls, and the calls that share variables with these
// are the same.
func TestChanges(t *testing.T) {
	change := func(from, to string) uint64 {
		return changeOf(testtrace.Parse(t, "ipafuzz 1 ipamir\n"+from), testtrace.Parse(t, "ipafuzz 1 ipamir\n"+to))
	}
	merged := change("hard 1 2 -3 0\nsoft 1 4\nsolve\n", "hard 1 2 -2 0\nsoft 1 4\nsolve\n")
	for _, c := range []struct {
		name     string
		from, to string
		same     bool
	}{
		{"beside a call that shares nothing", "hard 1 2 -3 0\nsoft 1 4\nsoft 5 7\nsolve\n",
			"hard 1 2 -2 0\nsoft 1 4\nsoft 5 7\nsolve\n", true},
		{"with other numbers in the same order", "hard 2 4 -6 0\nsoft 2 4\nsolve\n",
			"hard 2 4 -4 0\nsoft 2 4\nsolve\n", true},
		{"beside another weight", "hard 1 2 -3 0\nsoft 1 5\nsolve\n", "hard 1 2 -2 0\nsoft 1 5\nsolve\n", false},
		{"beside another clause", "hard 1 2 -3 0\nhard 2 0\nsoft 1 4\nsolve\n", "hard 1 2 -2 0\nhard 2 0\nsoft 1 4\nsolve\n",
			false},
		{"beside an option", "option x 1\nhard 1 2 -3 0\nsoft 1 4\nsolve\n",
			"option x 1\nhard 1 2 -2 0\nsoft 1 4\nsolve\n", false},
		{"another change", "hard 1 2 -3 0\nsoft 1 4\nsolve\n", "hard 1 2 -1 0\nsoft 1 4\nsolve\n", false},
		{"a removal", "hard 1 2 -3 0\nsoft 1 4\nsolve\n", "soft 1 4\nsolve\n", false},
	} {
		if same := change(c.from, c.to) == merged; same != c.same {
			t.Errorf("%s: same %v, want %v", c.name, same, c.same)
		}
	}
	left := "hard 1 0\nsolve\n"
	if change("hard 1 2 0\n"+left, left) == change("hard 1 3 4 0\n"+left, left) {
		t.Error("removals of different calls are the same")
	}
}
