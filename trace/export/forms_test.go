package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestForms: a program makes the calls that its language writes in a way of its own.
func TestForms(t *testing.T) {
	for _, row := range []struct{ language, class, trace, parts string }{
		{"c", "", "ipasir\noption seed 1\nhavoc 7\nadd 1 2 0\nassume -1\nsolve = 10\nval 1\nmodel\nproof\n",
			"ipafuzz_set_option (s0, \"seed\", \"1\");|ipafuzz_havoc (s0, 7);|ipasir_add (s0, 2);|ipasir_assume (s0, -1);|" +
				"ipasir_solve (s0)|value (&a5, |i < 2; i++|ipafuzz_proof (s0, &size)"},
		{"c", "", "ipasir\nadd 1 0\nassume -1\nsolve = 20\nfailed -1\ncore\nrelease\n",
			"failed (&a3, \"call 4 (failed -1)\", -1, 1, ipasir_failed (s0, -1))|, 1, ipasir_failed (s0, |ipasir_release (s0);"},
		{"c", "6.2", "ipasir\nadd 1 0\nlearn 3\nsolve = 10\n", "takes_clause|learned clauses of at most 3 literals"},
		{"c", "", "ipamir\nhard 1 0\nsoft 1 7\nsolve = 30\nobj = 7\n",
			"ipamir_add_soft_lit (s0, 1, 7);|objective (&a3, "},
		{"python", "", "ipamir\nhard 1 0\nsoft 1 7\nsolve = 30\nrelease\n",
			"s0 = make()|s0.add_clause([1])|s0.set_soft(-1, 7)|s0.solve(|s0.close()"},
		{"java", "", "ipasir+enumerate\nadd 1 2 0\nsolve = 10\nenumerate 5\nrelease\n",
			"s0.addClause(|s0.isSatisfiable(|SearchEnumeratorListener inside|s0.reset();"},
	} {
		var text bytes.Buffer
		o := export.Options{Failure: export.Failure{Class: row.class}}
		if err := export.LanguageNamed(row.language).Write(&text, parse(t, "ipafuzz 2 "+row.trace), o); err != nil {
			t.Errorf("%s: %v", row.trace, err)
		}
		for part := range strings.SplitSeq(row.parts, "|") {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%s: the program in %s lacks %q:\n%s", row.trace, row.language, part, &text)
			}
		}
	}
}
