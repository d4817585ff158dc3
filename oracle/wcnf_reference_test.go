package oracle

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// answered judges a formula file with answers.
func answered(t *testing.T, j *Judge, log string) []Finding {
	tr := parseLog(t, apimodel.WCNF.Name, log)
	run := &trace.Run{Answers: tr.Want.Clone()}
	tr.Want.Reset()
	return j.Judge(tr, run)
}

func quits(c Config) *Judge {
	c.MaxVars, c.Reference = -1, reference.New(quitting{}, manyConflicts)
	return New(c)
}

// TestSuggestForFormulaFiles: a solution of another file shows that an answer is wrong without a search. Variables of
// the reference for soft clauses are in no solution.
func TestSuggestForFormulaFiles(t *testing.T) {
	wrong := func(j *Judge, log string) bool {
		found := answered(t, j, log)
		return len(found) == 1 && found[0].Class == NotOptimal
	}
	first := referring(t, Config{MaxVars: -1})
	const log = "hard 7 8 0; hard -7 9 0; soft 5 -7 10 0; hard -10 0; soft 3 -8 10 0; soft 1 10 -9 10 0; solve = 30; " +
		"model = 7 -8 9 -10; obj = 6"
	if !wrong(first, log) || len(first.Cheaper()) != 4 {
		t.Fatalf("the cheaper solution is %v", first.Cheaper())
	}
	weak := quits(Config{})
	const part = "soft 3 10 -8 0; hard 7 8 0; soft 5 10 -7 0; solve = 30; model = 7 -8 -10; obj = 5"
	if wrong(weak, part) {
		t.Error("the weak reference needs no suggestion")
	}
	weak.Suggest(first.Cheaper())
	if !wrong(weak, part) || len(weak.Cheaper()) != 3 {
		t.Errorf("the suggestion %v shows nothing; the cheaper solution is %v", first.Cheaper(), weak.Cheaper())
	}
	weak.Suggest([]int32{-7, -8})
	if wrong(weak, part) || len(weak.Cheaper()) > 0 {
		t.Errorf("a wrong suggestion shows something: %v", weak.Cheaper())
	}
}

// TestFormulaFilesWithoutSearch: the solution of the target spares the reference a search, and the judge the question.
func TestFormulaFilesWithoutSearch(t *testing.T) {
	const free = "hard 1 2 0; soft 4 1 3 0; soft 4 -2 3 -3 0; solve = 30; obj = 0; model = 1 -2 3"
	if j := quits(Config{}); len(answered(t, j, free)) > 0 || j.Decided().Certified != 1 ||
		j.Unchecked().Answers() != 0 {
		t.Errorf("a solution that costs nothing: %+v", j.Decided())
	}
	const paid = "hard 1 2 0; soft 4 0; soft 4 -1 -2 0; soft 1 0; solve = 30; obj = 5; model = 1 -2"
	if j := New(large); len(answered(t, j, paid)) > 0 || j.Unchecked().Answers() != 0 {
		t.Errorf("a solution that costs what empty soft clauses cost: %+v", j.Decided())
	}
	const open = "hard 1 2 0; soft 4 0; soft 4 -1 2 0; solve = 30; obj = 8; model = 1 -2"
	if j := New(large); len(answered(t, j, open)) > 0 || j.Unchecked()[unchecked.TooHard] != 1 {
		t.Errorf("a solution that costs more: %+v", j.Decided())
	}
	j := quits(Config{})
	found := answered(t, j, open)
	if tally := j.Decided(); len(found) > 0 || tally.Of("reference") != 1 {
		t.Errorf("the reference does not take the solution of the target: %+v", tally)
	}
}
