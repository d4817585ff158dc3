package file

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// TestCertificate: the values that a program prints of a quantified formula, and those that tell
// something about the trace.
func TestCertificate(t *testing.T) {
	for _, test := range []struct {
		name, calls, output string
		want                string
	}{
		{"the outermost block", "exists 1 0;forall 2 0;exists 3 0;clause 1 2 3 0", "s cnf 1 3 1;V 1 0", "1"},
		{"its universal player", "forall 1 0;exists 2 0;clause 1 0;clause 1 2 0", "s cnf 0 2 2;V -1 0", "-1"},
		{"an inner block", "exists 1 0;forall 2 0;exists 3 0;clause 1 2 3 0", "s cnf 1 3 1;V 1 0;V 3 0", "1 3"},
		{"the other answer", "forall 1 0;exists 2 0;clause 1 2 0", "s cnf 1 2 1;V 1 0;V 2 0", "1 2"},
		{"its clauses are removed", "forall 1 0;clause 1 0;push;clause 2 0;pop", "s cnf 0 1 1;V -1 0", ""},
		{"so is a group", "forall 1 0;clause 1 0;open 1;clause 2 0;close 1;deactivate 1", "s cnf 0 1 1;V -1 0", ""},
		{"another answer does not fit", "forall 1 0;exists 3 0;clause 1 3 0;push;clause 2 0;pop", "s cnf 1 3 1;V 1 0", "1"},
		{"an existential block without clauses", "exists 1 0;forall 2 0;exists 3 0;clause 2 0;clause 2 3 0",
			"s cnf 0 3 2;V -2 0", ""},
		{"nor has that an answer", "exists 1 0;forall 2 0;exists 3 0;clause 2 3 0", "s cnf 1 3 1;V -2 0", "-2"},
		{"a universal block without clauses", "exists 1 0;forall 2 0;exists 3 0;clause 3 0", "s cnf 1 3 1;V 3 0", ""},
		{"the first block remains", "exists 1 0;forall 2 0;exists 3 0;clause 1 3 0", "s cnf 1 3 1;V 1 0;V 3 0", "1"},
		{"an inner variable without clauses", "exists 1 0;forall 2 0;exists 3 4 0;clause 1 2 3 0",
			"s cnf 1 4 1;V 1 0;V -4 0", "1"},
		{"a variable of the outermost block", "exists 1 4 0;forall 2 0;exists 3 0;clause 1 2 3 0",
			"s cnf 1 4 1;V 1 0;V -4 0", "1 -4"},
		{"a tautology", "forall 1 2 0;clause 1 0;clause 2 -2 3 0", "s cnf 0 3 2;V -1 0", ""},
		{"no clause", "exists 1 0;forall 2 0;exists 3 0", "s cnf 1 3 0;V -3 0", ""},
		{"an assumption", "exists 1 0;forall 2 0;exists 3 0;clause 2 3 0;assume -1", "s cnf 1 3 2;V -1 0;V -3 0", "-1 -3"},
		{"a universal assumption", "forall 1 0;exists 2 0;clause 1 2 0;assume 1", "s cnf 1 2 2;V 1 0", ""},
	} {
		read, err := trace.ParseString("ipafuzz 1 qbf\n" + strings.ReplaceAll(test.calls, ";", "\n") + "\nsolve\nmodel\n")
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		s := &result{formula: format.Solves(read)[0], values: make(map[int32]bool)}
		for line := range strings.SplitSeq(test.output, ";") {
			readQDIMACS(s, []byte(line))
		}
		if s.fault != "" || s.status == apimodel.Interrupted {
			t.Fatalf("%s: status %d, fault %q", test.name, s.status, s.fault)
		}
		var told []string
		for v := range s.formula.MaxVar {
			if value, known := s.told(v + 1); known && s.tellsValues() {
				told = append(told, fmt.Sprint(map[bool]int32{true: v + 1, false: -v - 1}[value]))
			}
		}
		if got := strings.Join(told, " "); got != test.want {
			t.Errorf("%s: told %q, want %q", test.name, got, test.want)
		}
	}
}
