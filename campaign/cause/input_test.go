package cause

import "testing"

// TestAddsInput checks which inputs a trace adds. Inputs that are left if others go do not count.
func TestAddsInput(t *testing.T) {
	given := parse(t, "hard 1 0\nhard -1 2 0\nsoft 1 1\nassume 1\nassume 3\nsolve\n")
	for calls, want := range map[string]bool{
		"hard 0\nsolve\n":                        true,
		"hard 1 0\nhard -1 0\nsolve\n":           false, // without soft literals
		"hard 1 -1 0\nsolve\n":                   true,
		"hard 1 1 2 0\nsolve\n":                  true,
		"hard 1 4 0\nsolve\nval 9\n":             false, // other calls named the variables between
		"soft 1 1\nassume 1\nsolve\n":            false,
		"hard 1 0\nassume -1\nassume 1\nsolve\n": true,
	} {
		if got := AddsInput(given, parse(t, calls)); got != want {
			t.Errorf("%q: %v", calls, got)
		}
	}
}
