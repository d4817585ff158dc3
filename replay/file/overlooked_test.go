package file

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/format"
)

// TestOverlooked checks which lines count as an answer in another form.
func TestOverlooked(t *testing.T) {
	tests := []struct{ line, status, values string }{
		{"-1 2 -3 0", "", "-1 2 -3 0"},
		{"Solutions: 1 -2 3", "", "Solutions: 1 -2 3"},
		{"[1, -2, 3]", "", "[1, -2, 3]"},
		{"c 1 2 3", "", ""},
		{"1 3 0", "", "1 3 0"}, // variable 2 does not occur
		{"1 2 0", "", ""},
		{"1 2 4", "", ""},
		{"1 1 3", "", ""},
		{"1 2 3 x", "", ""},
		{"vars 3", "", ""},
		{"SATISFIABLE", "SATISFIABLE", ""},
		{"Result: unsat", "Result: unsat", ""},
		{"c SATISFIABLE", "", ""},
		{"the formula is not yet SAT", "", ""},
	}
	for _, test := range tests {
		r := &result{formula: &format.Formula{MaxVar: 3, Clauses: [][]int32{{1, -3}}}}
		dialects[0].read(r, []byte(test.line), nil)
		if r.overlooked.status != test.status || r.overlooked.values != test.values {
			t.Errorf("%q: status %q, values %q; want %q and %q",
				test.line, r.overlooked.status, r.overlooked.values, test.status, test.values)
		}
	}
}
