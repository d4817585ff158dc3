package cause

import "testing"

func TestOnlySearchRefutes(t *testing.T) {
	for calls, want := range map[string]bool{
		"hard 1 2 0\nhard 1 -2 0\nhard -1 2 0\nhard -1 -2 0\nsolve\n":           true,
		"hard 1 0\nhard 2 3 0\nhard 2 -3 0\nhard -2 3 0\nhard -2 -3 0\nsolve\n": true,
		"hard 1 2 0\nhard 1 -2 0\nhard -1 2 0\nsolve\n":                         false, // a solution
		"hard 1 0\nhard -1 2 0\nhard -2 0\nsolve\n":                             false, // propagation refutes it
		"hard 1 1 0\nhard -1 0\nsolve\n":                                        false,
		"hard 1 2 0\nhard 1 -2 0\nsolve\nhard -1 2 0\nhard -1 -2 0\nsolve\n":    false, // two solves
		"soft 3 1\nhard 1 2 0\nhard 1 -2 0\nhard -1 2 0\nhard -1 -2 0\nsolve\n": false, // a soft literal
		"hard 1 2 0\nhard 1 -2 0\n@1 hard -1 2 0\n@1 hard -1 -2 0\nsolve\n":     false, // two solvers
		"hard 1 2 0\nhard 1 -2 0\nhard -1 2 3 0\nhard -1 -2 3 0\nsolve\n":       false,
	} {
		if got := onlySearchRefutes(parse(t, "ipafuzz 1 ipamir\n"+calls)); got != want {
			t.Errorf("got %v, want %v:\n%s", got, want, calls)
		}
	}
}
