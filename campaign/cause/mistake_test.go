package cause

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
)

func TestQuestioned(t *testing.T) {
	for _, row := range []struct{ calls, want string }{
		{"soft 1 1\nsolve\n", "soft 1 1\nsolve\nmodel\nobj\n"},
		{"solve\nval -1\nsoft 1 1\nsolve\n", "solve\nval -1\nmodel\nobj\nsoft 1 1\nsolve\nmodel\nobj\n"},
		{"@1 solve\nsolve\n@1 soft 1 1\n", "@1 solve\nsolve\n@1 model\n@1 obj\n@1 soft 1 1\nmodel\nobj\n"},
		{"ipafuzz 1 ipasir\nassume 1\nsolve\n", "ipafuzz 1 ipasir\nassume 1\nsolve\nmodel\ncore\n"},
		{"soft 1 1\n", "soft 1 1\n"},
		{"solve\nrelease\ninit\nsolve\n", "solve\nmodel\nobj\nrelease\ninit\nsolve\nmodel\nobj\n"},
	} {
		if got := Questioned(parse(t, row.calls)); got.String() != parse(t, row.want).String() {
			t.Errorf("%q:\n%s", row.calls, got)
		}
	}
}

func TestMistakeOf(t *testing.T) {
	for _, row := range []struct {
		failures []oracle.Finding
		want     Mistake
	}{
		{nil, ""},
		{[]oracle.Finding{{Class: oracle.Abort}}, ""},
		{[]oracle.Finding{{Class: oracle.NotOptimal}}, MissedSolution},
		{[]oracle.Finding{{Class: oracle.OneValueDiffers}, {Class: oracle.ModelFalsifies}}, FalseSolution},
		{[]oracle.Finding{{Class: oracle.OneValueDiffers}, {Class: oracle.ModelFalsifies, Voted: true}}, WrongObjective},
		{[]oracle.Finding{{Class: oracle.ValuesDisagree}}, OddValues},
		{[]oracle.Finding{{Class: oracle.GaveUp, Detail: oracle.NoReason}}, NoAnswer},
		{[]oracle.Finding{{Class: oracle.WrongTermination, Detail: oracle.StaysStopped}}, NoAnswer},
		{[]oracle.Finding{{Class: oracle.GaveUp, Detail: "answers ERROR"}}, ""},
	} {
		if got := mistakeOf(row.failures); got != row.want {
			t.Errorf("%+v: %q, want %q", row.failures, got, row.want)
		}
	}
	if stopped, gaveUp := Symptom(oracle.WrongTermination, oracle.StaysStopped),
		Symptom(oracle.GaveUp, oracle.NoReason); stopped != gaveUp {
		t.Errorf("the symptoms of one mistake are %q and %q", stopped, gaveUp)
	}
}
