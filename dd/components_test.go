package dd

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestComponents: calls that share variables, directly or through others, are in one component.
func TestComponents(t *testing.T) {
	for _, c := range []struct {
		calls string
		want  []int
	}{
		{"hard 1 2 0\nsoft 3 1\nhard -2 0\nsolve\n", []int{0, 1, 0, -1}},
		{"soft 3 1\nhard 1 2 0\nhard -2 4 0\nsolve\nobj\n", []int{1, 0, 0, -1, -1}},
		{"hard 1 2 0\nhard 3 4 0\nhard 2 -3 0\nassume 9\nsolve\n", []int{0, 0, 0, 1, -1}},
		{"hard 1\nhard 2 0\nsoft 2 1\nsoft 5 1\nsolve\n", []int{0, 0, 0, 1, -1}},         // in pieces
		{"hard 1 2 0\nhard 1 0\n@1 hard 1 0\nsolve\n@1 solve\n", []int{0, 0, 1, -1, -1}}, // of another instance
		{"hard 0\nsolve\n", []int{-1, -1}},
	} {
		if got, _ := componentsOf(testtrace.Parse(t, "ipafuzz 1 ipamir\n"+c.calls)); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v:\n%s", got, c.want, c.calls)
		}
	}
}
