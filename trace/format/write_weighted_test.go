package format

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

var weightedClauses = []Weighted{
	{[]int32{1, -2}, 0},
	{[]int32{-3, 1}, 7},
	{[]int32{2}, 4},
	{[]int32{-1, 2, -2}, 0},
	{[]int32{2}, 5},
}

// TestWriteWeighted: formats of clauses keep the clauses and their order. Formats without
// costs have only the hard clauses; the others relax soft clauses of several literals.
func TestWriteWeighted(t *testing.T) {
	for f, want := range map[Format]string{
		CNF:     "c n\np cnf 3 2\n1 -2 0\n-1 2 -2 0\n",
		ICNF:    "p icnf\nc n\ni 1 -2 0\ni -1 2 -2 0\nq 0\n",
		IncCNF:  "p inccnf\nc n\n1 -2 0\n-1 2 -2 0\na 0\n",
		WCNF:    "c n\nh 1 -2 0\n7 -3 1 0\n4 2 0\nh -1 2 -2 0\n5 2 0\n",
		WCNFI:   "c n\nh 1 -2 0\n7 -3 1 0\n4 2 0\nh -1 2 -2 0\n5 2 0\nr 0\n",
		WCNFOld: "c n\np wcnf 3 5 17\n17 1 -2 0\n7 -3 1 0\n4 2 0\n17 -1 2 -2 0\n5 2 0\n",
		WBO: "* #variable= 3 #constraint= 4 #soft= 3 mincost= 4 maxcost= 7 sumcost= 16\n* n\nsoft: 17 ;\n" +
			"+1 x1 -1 x2 >= 0 ;\n[7] +1 x1 -1 x3 >= 0 ;\n[4] +1 x2 >= 1 ;\n[5] +1 x2 >= 1 ;\n",
		OPB: "* #variable= 4 #constraint= 2\n* n\n* the cost is the objective plus 9\nmin: +7 x4 -9 x2 ;\n" +
			"+1 x1 -1 x2 >= 0 ;\n+1 x1 -1 x3 +1 x4 >= 0 ;\n",
	} {
		var out bytes.Buffer
		if _, err := WriteWeighted(&out, f, weightedClauses, []string{"n"}); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if got := out.String(); got != want {
			t.Errorf("%s: got\n%swant\n%s", f, got, want)
		}
		if _, err := Read(strings.NewReader(out.String()), "a", f, trace.DefaultLimits); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	for _, clauses := range [][]Weighted{
		{{[]int32{1}, math.MaxInt64 + 1}},
		{{[]int32{1}, math.MaxInt64}, {[]int32{2}, math.MaxInt64}, {[]int32{2}, 1}},
	} {
		var out bytes.Buffer
		var cannot *CannotSayError
		if _, err := WriteWeighted(&out, WCNF, clauses, nil); !errors.As(err, &cannot) || out.Len() > 0 {
			t.Errorf("%v: got %v and %q", clauses, err, out.String())
		}
	}
}
