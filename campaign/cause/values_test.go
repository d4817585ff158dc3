package cause

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestSolvesUnderValues checks the traces that ask for the answer under values or a core. Only the last solve changes,
// or the clauses of its life. What earlier lives assume stays.
func TestSolvesUnderValues(t *testing.T) {
	const life = "exists 1 0; clause 1 0; assume -1; solve; release; init; "
	for _, row := range []struct {
		calls string
		lits  []int32 // values or core
		make  func(t *trace.Trace, solve int, lits []int32) *trace.Trace
		want  string
	}{
		{life + "forall 1 2 0; clause 1 2 0; solve; model", []int32{1, -2}, assuming,
			life + "forall 1 2 0; clause 1 2 0; assume 1; assume -2; solve"},
		{life + "forall 1 2 0; assume 1; solve; assume 2; solve", []int32{-2}, assuming,
			life + "forall 1 2 0; assume 1; solve; assume -2; solve"},
		{"@1 exists 1 0; @1 assume 1; forall 1 0; assume 1; solve", nil, assuming,
			"@1 exists 1 0; @1 assume 1; forall 1 0; solve"},
		{"forall 1 0; assume 1; solve", []int32{1, -1}, assuming, ""}, // both are assumed
		{life + "forall 1 0; exists 2 0; clause -1 2 0; clause 2; clause -2 0; solve", []int32{-1}, withValues,
			life + "forall 1 0; exists 2 0; clause -1 2 0; clause 2 -2 1 0; solve"},
		{"@1 clause 1 0; forall 2 3 0; clause 4 0; solve", []int32{2, -3}, withValues,
			"@1 clause 1 0; forall 2 3 0; clause 4 -2 3 0; solve"},
		{"forall 1 0; clause 1 0; solve", []int32{1}, withValues, ""}, // nothing to add
		{"exists 1 2 0; clause 1 0; assume -1; solve; assume 2; assume -1; solve; core", []int32{-1}, coreOfLast,
			"exists 1 2 0; clause 1 0; assume -1; solve; assume -1; solve"},
		{"exists 1 2 0; clause 1 0; assume -1; solve; assume 2; solve; core", []int32{-1}, coreOfLast, ""},
	} {
		one := game(t, row.calls)
		under := row.make(one, lastSolve(one), row.lits)
		got := ""
		if under != nil {
			got = strings.ReplaceAll(strings.TrimSpace(testtrace.Calls(under)), "\n", "; ")
		}
		if got != row.want {
			t.Errorf("%s under %d:\n%s\nwant\n%s", row.calls, row.lits, got, row.want)
		}
	}
}

func coreOfLast(t *trace.Trace, solve int, core []int32) *trace.Trace {
	return underCore(t, solve, queryAfter(t, solve, apimodel.OpCore), core)
}

// TestNoExpectationUnderValues checks that the expected answer does not stay where another is right.
func TestNoExpectationUnderValues(t *testing.T) {
	one := testtrace.Parse(t, "ipafuzz 2 qbf\nforall 1 0\nexists 2 0\nclause 2 0\nsolve want 10\nclause 1 0\n"+
		"solve want 20\nmodel\n")
	for name, want := range map[string]string{"assuming": "solve want 10\nclause 1 0\nassume 1\nsolve\n",
		"withValues": "clause 2 -1 0\nsolve\nclause 1 0\nsolve\n"} {
		under := assuming
		if name == "withValues" {
			under = withValues
		}
		if text := under(one, lastSolve(one), []int32{1}).String(); !strings.HasSuffix(text, want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// TestValuesToAssume checks which literals are asked for: those of the outermost block that are not assumed already.
func TestValuesToAssume(t *testing.T) {
	one := game(t, "forall 1 2 0; exists 3 0; clause 1 3 0; assume 1; solve; model")
	answers := &trace.Answers{Of: make([]trace.Answer, len(one.Calls)), Lits: []int32{1, 2, -3}}
	answers.Of[len(one.Calls)-1].Len = 3
	under := underValues(one, answers, []oracle.Finding{{Class: oracle.ModelFalsifies, Solve: 4}})
	if len(under) != 1 || !strings.HasSuffix(testtrace.Calls(under[0]), "assume 1\nassume 2\nsolve\n") {
		t.Errorf("%v", under)
	}
}

// TestWrongStatus tells failures of a status from others.
func TestWrongStatus(t *testing.T) {
	for _, row := range []struct {
		class  oracle.Class
		detail string
		want   bool
	}{
		{oracle.ClaimsSolution, "claims a solution", true},
		{oracle.AnswersDiffer, "status", true},
		{oracle.WrongTermination, oracle.IgnoresStop, true},
		{oracle.WrongTermination, oracle.StaysStopped, false},
		{oracle.ModelFalsifies, "do not win", false},
	} {
		if got := isWrongStatus(oracle.Finding{Class: row.class, Detail: row.detail}); got != row.want {
			t.Errorf("%s %s: %v", row.class, row.detail, got)
		}
	}
}
