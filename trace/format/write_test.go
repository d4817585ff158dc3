package format_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

func parse(t *testing.T, text string) *trace.Trace {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return parsed
}

func TestWrite(t *testing.T) {
	t.Parallel()
	const maxsat = "ipafuzz 1 ipamir\n# a note\nhard 1 -2 0\nhard 3 0\nsoft 2 5\nsoft -3 4\nsoft 2 7\nsoft 1 0\n" +
		"assume -4\nsolve = 30\nobj = 7\n"
	tests := []struct {
		name   string
		format format.Format
		trace  string
		want   string
	}{
		{"clauses", format.CNF, "ipafuzz 1 ipasir\n# from a seed\nadd 1 -2 0\nadd 3\nadd 4 0\nadd 0\nassume -7\nsolve\n" +
			"val 1\nadd 9 0\n",
			"c from a seed\np cnf 7 4\n1 -2 0\n3 4 0\n0\n-7 0\n"},
		{"nothing", format.CNF, "ipafuzz 1 ipasir\n", "p cnf 0 0\n"},
		{"nothing", format.WCNF, "ipafuzz 1 ipamir\n", "c no clauses\n"},
		{"nothing", format.WCNFOld, "ipafuzz 1 ipamir\nsolve\n", "p wcnf 0 0 1\n"},
		{"nothing", format.OPB, "ipafuzz 1 ipamir\nsolve\n", "* #variable= 0 #constraint= 0\n"},
		{"new", format.WCNF, maxsat, "c a note\nh 1 -2 0\nh 3 0\nh -4 0\n7 -2 0\n4 3 0\n"},
		{"old", format.WCNFOld, maxsat,
			"c a note\np wcnf 4 5 12\n12 1 -2 0\n12 3 0\n12 -4 0\n7 -2 0\n4 3 0\n"},
		{"greatest weights", format.WCNFOld, "ipafuzz 1 ipamir\nsoft 1 9223372036854775807\nsoft -1 9223372036854775807\n" +
			"solve\n",
			"p wcnf 1 2 18446744073709551615\n9223372036854775807 -1 0\n9223372036854775807 1 0\n"},
		{"incremental", format.WCNFI, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 5\nsolve\nobj\nsoft 1 0\nassume 1\nassume -2\n" +
			"solve\nrelease\n",
			"h 1 2 0\n5 -1 0\nr 0\n0 -1 0\nr 1 -2 0\n"},
		{"incremental", format.ICNF, "ipafuzz 1 ipasir\n# n\nadd 1\nadd 2 0\nsolve = 10\nval 1\nassume 1\nassume -2\n" +
			"solve = 20\nadd 0\nsolve\n",
			"p icnf\nc n\ni 1 2 0\nq 0\ns SATISFIABLE\nq 1 -2 0\ns UNSATISFIABLE\ni 0\nq 0\n"},
		{"incremental", format.IncCNF, "ipafuzz 1 ipasir\nadd 1 2 0\nsolve\nassume 1\nsolve\n",
			"p inccnf\n1 2 0\na 0\na 1 0\n"},
		{"linear", format.OPB, "ipafuzz 1 ipamir\nhard 1 -2 -2 0\nhard 3 -3 0\nhard 0\nsoft 1 5\nsoft -1 7\n" +
			"soft 2 9223372036854775807\nassume -4\nsolve\n",
			"* #variable= 4 #constraint= 4\n* the cost is the objective plus 7\nmin: -2 x1 +9223372036854775807 x2 ;\n" +
				"+1 x1 -1 x2 >= 0 ;\n+1 x1 >= 1 ;\n-1 x1 >= 0 ;\n-1 x4 >= 0 ;\n"},
		{"softs", format.WBO, "ipafuzz 1 ipamir\nhard 1 -2 0\nsoft 1 5\nsoft -2 7\nsolve\n",
			"* #variable= 2 #constraint= 3 #soft= 2 mincost= 5 maxcost= 7 sumcost= 12\nsoft: 13 ;\n+1 x1 -1 x2 >= 0 ;\n" +
				"[5] -1 x1 >= 0 ;\n[7] +1 x2 >= 1 ;\n"},
		{"program", format.MPS, "ipafuzz 1 ipamir\n# n\nhard 1 -2 0\nhard 3 2 0\nsoft 1 5\nsoft -2 7\nsolve\n",
			"* n\n* the cost is the objective plus 7\nNAME          formula\nROWS\n N  cost\n G  c1\n G  c2\nCOLUMNS\n" +
				"    x1        cost                 5\n    x1        c1                   1\n" +
				"    x2        cost                -7\n    x2        c1                  -1\n" +
				"    x2        c2                   1\n    x3        c2                   1\nRHS\n" +
				"    rhs       c2                   1\n" +
				"BOUNDS\n BV bound     x1\n BV bound     x2\n BV bound     x3\nENDATA\n"},
		{"nothing", format.MPS, "ipafuzz 1 ipamir\nsolve\n",
			"NAME          formula\nROWS\n N  cost\nCOLUMNS\n    x1        cost                 0\nRHS\nBOUNDS\n" +
				" BV bound     x1\nENDATA\n"},
		{"program", format.LP, "ipafuzz 1 ipamir\n# n\nhard 1 -2 0\nsoft 3 5\nsoft -2 7\nsolve\n",
			"\\ n\n\\ the cost is the objective plus 7\nMinimize\n cost: + 5 x3 - 7 x2\nSubject To\n c1: + 1 x1 - 1 x2 >= 0\n" +
				"Binary\n x1\n x2\n x3\nEnd\n"},
		{"every row", format.LP, "ipafuzz 1 ipamir\nhard 1 -2 -2 0\nhard 3 -3 0\nhard 0\nhard 3 2 0\nassume -4\nsolve\n",
			"Minimize\n cost: + 0 x1\nSubject To\n c1: + 1 x1 - 1 x2 >= 0\n c2: + 1 x1 >= 1\n c3: - 1 x1 >= 0\n" +
				" c4: + 1 x2 + 1 x3 >= 1\n c5: - 1 x4 >= 0\nBinary\n x1\n x2\n x3\n x4\nEnd\n"},
		{"nothing", format.LP, "ipafuzz 1 ipamir\nsolve\n",
			"Minimize\n cost: + 0 x1\nSubject To\n c1: x1 >= 0\nBinary\n x1\nEnd\n"},
	}
	for _, test := range tests {
		t.Run(string(test.format)+" "+test.name, func(t *testing.T) {
			var out strings.Builder
			text := test.trace
			if err := format.Write(&out, test.format, parse(t, text)); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("wrote\n%s\nwant\n%s", out.String(), test.want)
			}
		})
	}
}

func TestCannotSay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		format format.Format
		trace  string
		want   string
	}{
		{format.WCNF, "ipafuzz 1 ipamir\nsolve\nhard 1 0\nsolve\n",
			"the format wcnf cannot express call 3 (solve): it is the second solve, " +
				"and the format has one (icnf and wcnfi have more)"},
		{format.CNF, "ipafuzz 1 ipamir\nsoft 1 2\nsolve\n",
			"the format cnf cannot express call 1 (soft 1 2): it has no soft literals"},
		{format.ICNF, "ipafuzz 1 ipamir\nsoft 1 2\nsolve\n",
			"the format icnf cannot express call 1 (soft 1 2): it has no soft literals"},
		{format.WCNFI, "ipafuzz 1 ipamir\nsoft 1 9223372036854775808\nsolve\n",
			"the format wcnfi cannot express call 1 (soft 1 9223372036854775808): weights are at most 2^63-1"},
		{format.WCNF, "ipafuzz 1 ipamir\nsoft 1 4\nsoft 1 9223372036854775808\nsolve\n",
			"the format wcnf cannot express call 2 (soft 1 9223372036854775808): weights are at most 2^63-1"},
		{format.WCNF, "ipafuzz 1 ipamir\nsoft 1 9223372036854775807\nsoft 2 9223372036854775807\nsoft 3 1\nsolve\n",
			"the format wcnf cannot express call 3 (soft 3 1): the sum of the weights is not below 2^64-1"},
		{format.CNF, "ipafuzz 1 ipasir\nadd 1 0\n@1 add 2 0\n",
			"the format cnf cannot express call 2 (@1 add 2 0): it belongs to a second solver instance"},
		{format.ICNF, "ipafuzz 1 ipasir\nadd 1 0\nrelease\ninit\nsolve\n",
			"the format icnf cannot express call 3 (init): it belongs to a second solver, after the release of the first"},
		{format.ICNF, "ipafuzz 1 ipasir\nadd 1 0\n", "the format icnf cannot express this trace: it has no solve"},
	}
	for _, test := range tests {
		var out strings.Builder
		err := format.Write(&out, test.format, parse(t, test.trace))
		var cannot *format.CannotSayError
		if !errors.As(err, &cannot) || err.Error() != test.want || out.Len() > 0 {
			t.Errorf("%s of\n%s: got %v and wrote %q, want %s", test.format, test.trace, err, out.String(), test.want)
		}
	}
}

func TestSolvesOfTwoInstances(t *testing.T) {
	t.Parallel()
	formulas := format.Solves(parse(t, "ipafuzz 1 ipamir\nhard 1 0\n@1 hard -5 0\n@1 soft 2 3\nassume 4\n@1 solve\n"+
		"solve\nrelease\ninit\nsolve\n"))
	if len(formulas) != 3 {
		t.Fatalf("%d formulas, want 3", len(formulas))
	}
	first, second, third := formulas[0], formulas[1], formulas[2]
	if first.Call != 4 || len(first.Clauses) != 1 || first.Clauses[0][0] != -5 || len(first.Softs) != 1 ||
		len(first.Assumptions) != 0 || first.MaxVar != 5 {
		t.Errorf("first: %+v", first)
	}
	if second.Call != 5 || len(second.Softs) != 0 || len(second.Assumptions) != 1 || second.MaxVar != 4 {
		t.Errorf("second: %+v", second)
	}
	if len(third.Clauses) != 0 || third.MaxVar != 0 {
		t.Errorf("third: %+v", third)
	}
}
