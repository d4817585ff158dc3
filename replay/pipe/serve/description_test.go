package serve

import "testing"

// TestWithoutModels: a library that names its models is served under the one that the
// runner names.
func TestWithoutModels(t *testing.T) {
	for _, description := range []string{"model qbf\nlacks learn\n  model  ipasir", "lacks learn", "lacks learn\n"} {
		if got, want := withoutModels(description), "lacks learn\n"; got != want {
			t.Errorf("%q without models is %q, want %q", description, got, want)
		}
	}
}
