package compare

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestCompareFormulaFiles: the best checked model of any target bounds the optimum of a formula file, too. Its cost
// counts the soft clauses that it falsifies.
func TestCompareFormulaFiles(t *testing.T) {
	const (
		head  = "hard 1 2 0; soft 4 -1 2 0; soft 2 1 -2 0; soft 1 0; soft 9 3 -3 0; soft 3 -2 0; solve = "
		above = "hard 1 2 0; soft 18446744073709551615 -1 -2 0; soft 18446744073709551615 0; solve = 30; "
	)
	best := head + "30; obj = 4; model = 1 2 3"
	runCompared(t, "wcnf", []compared{
		{name: "agree", config: large, logs: []string{best, best, best}},
		{name: "2.1: consistent and not optimal", config: large, logs: []string{best, head + "30; obj = 5; model = 1 -2 3"},
			want: []string{"B: 2.1 targets 8 not optimal"}, known: "the model of "},
		{name: "2.1: a bound that no objective claims", config: large,
			logs: []string{head + "30; obj; model = 1 2 3", head + "30; obj = 5; model = 1 -2 3"},
			want: []string{"B: 2.1 targets 8 not optimal"}},
		{name: "2.2: three numbers", config: large, logs: []string{best, head + "30; obj = 7; model = 1 -2 3"},
			want: []string{"B: 2.2 targets 8 objective is not the cost of the model"}},
		{name: "2.3: the objective alone", config: large, logs: []string{best, head + "30; obj = 6; model"},
			want: []string{"B: 2.3 targets 8 objective is not the optimum"}},
		{name: "2.3: the model alone", config: large, logs: []string{best, head + "30; obj; model = -1 2 3"},
			want: []string{"B: 2.3 targets 8 model is not optimal"}},
		{name: "2.5: there is a model", config: large, logs: []string{best, head + "20; obj = -; model = -"},
			want: []string{"B: 2.5 targets 8 claims no solution"}},
		{name: "a cost that no objective can say", config: large, logs: []string{
			above + "obj = 18446744073709551614; model", above + "obj = 18446744073709551614; model",
			above + "obj = 18446744073709551615; model"}},
	})
}

// TestAskAboutFormulaFiles: the longer trace asks about the same file.
func TestAskAboutFormulaFiles(t *testing.T) {
	const head = "soft 3 1 2 0; soft 1 0; solve = "
	tr, ballots := ballotsOf(t, "wcnf", large, []string{head + "30", head + "20"})
	c := Answers(tr, ballots)
	if len(c.Disputes) != 1 {
		t.Fatalf("%d disputes, want 1", len(c.Disputes))
	}
	longer := Ask(tr, c.Disputes)
	if got := longer.String(); !strings.HasSuffix(got, "soft 3 1 2 0\nsoft 1 0\nsolve\nobj\nmodel\n") ||
		longer.Model != apimodel.WCNF {
		t.Errorf("asked:\n%s", got)
	}
	if err := trace.Check(longer); err != nil {
		t.Error(err)
	}
}
