package trace

import (
	"errors"
	"testing"
)

func TestCheckClosed(t *testing.T) {
	for _, row := range []struct {
		calls string
		want  string // "": it is closed
	}{
		{"ipafuzz 2 qbf\nexists 1 0\nforall 2 0\nclause 1 -2 0\nsolve\n", ""},
		{"ipafuzz 2 qbf\nexists 1 0\nextend 1 2 0\nclause 1 -2 0\nsolve\n", ""},
		{"ipafuzz 2 qbf\nexists 1 0\nclause 1 0\nclause 1 -3 0\nsolve\n",
			"call 3 (clause 1 -3 0): variable 3 is free, and the target refuses free variables"},
		{"ipafuzz 2 qbf\nexists 1 0\n@1 clause 1 0\nsolve\n",
			"call 2 (@1 clause 1 0): variable 1 is free, and the target refuses free variables"},
		{"ipafuzz 2 qbf\nexists 1 0\nsolve\nrelease\ninit\nclause 1 0\nsolve\n",
			"call 5 (clause 1 0): variable 1 is free, and the target refuses free variables"},
		{"ipafuzz 2 ipasir\nadd 0\nadd 1 0\nsolve\n",
			"call 2 (add 1 0): variable 1 is free, and the target refuses free variables"},
	} {
		parsed, err := ParseString(row.calls)
		if err != nil {
			t.Fatalf("%q: %v", row.calls, err)
		}
		err = CheckClosed(parsed)
		var check *CheckError
		switch {
		case row.want == "" && err != nil, row.want != "" && (!errors.As(err, &check) || err.Error() != row.want):
			t.Errorf("%q: %v, want %q", row.calls, err, row.want)
		}
	}
}

func TestCheckContingent(t *testing.T) {
	for _, row := range []struct {
		calls string
		want  string // "": no clause is a tautology
	}{
		{"ipafuzz 2 qbf\nexists 1 0\nclause 1 1 0\nclause -1 0\nclause 0\nsolve\n", ""},
		{"ipafuzz 2 qbf\nexists 1 2 0\nclause 1 2 -1 0\nsolve\n",
			"call 2 (clause 1 2 -1 0): the clause also has 1, and the target refuses such clauses"},
		{"ipafuzz 2 qbf\nclause -3\n@1 clause 3 0\nclause 3\nclause 0\nsolve\n",
			"call 3 (clause 3): the clause also has -3, and the target refuses such clauses"},
		{"ipafuzz 2 ipasir\nadd 1 -1 0\nsolve\n",
			"call 1 (add 1 -1 0): the clause also has 1, and the target refuses such clauses"},
	} {
		parsed, err := ParseString(row.calls)
		if err != nil {
			t.Fatalf("%q: %v", row.calls, err)
		}
		err = CheckContingent(parsed)
		var check *CheckError
		switch {
		case row.want == "" && err != nil, row.want != "" && (!errors.As(err, &check) || err.Error() != row.want):
			t.Errorf("%q: %v, want %q", row.calls, err, row.want)
		}
	}
}
