package cause

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

func TestQuestioned(t *testing.T) {
	for _, row := range []struct{ calls, want string }{
		{"soft 1 1\nsolve\n", "soft 1 1\nsolve\nmodel\nobj\nval 1\nmodel\n"},
		{"solve\nval -1\nsoft 1 1\nsolve\n",
			"solve\nval -1\nmodel\nobj\nval 1\nmodel\nsoft 1 1\nsolve\nmodel\nobj\nval 1\nmodel\n"},
		{"@1 solve\nsolve\n@1 soft 1 1\n",
			"@1 solve\nsolve\n@1 model\n@1 obj\n@1 val 1\n@1 model\n@1 soft 1 1\nmodel\nobj\nval 1\nmodel\n"},
		{"ipafuzz 1 ipasir\nassume 1\nsolve\n", "ipafuzz 1 ipasir\nassume 1\nsolve\nmodel\ncore\nval 1\nmodel\n"},
		{"soft 1 1\n", "soft 1 1\n"},
		{"ipafuzz 2 ipasir2\nadd 0\nsolve\nadd 0\n",
			"ipafuzz 2 ipasir2\nadd 0\nsolve\nmodel\ncore\nmodel\nadd 0\nerrors\n"},
		{"solve\nrelease\ninit\nsolve\n", "solve\nmodel\nobj\nmodel\nrelease\ninit\nsolve\nmodel\nobj\nmodel\n"},
	} {
		if got := Questioned(parse(t, row.calls)); got.String() != parse(t, row.want).String() {
			t.Errorf("%q:\n%s", row.calls, got)
		}
	}
}

// TestQuestionedExpects checks that added questions have no expectations.
func TestQuestionedExpects(t *testing.T) {
	one := parse(t, "soft 1 1\nsolve = 30\n")
	one.Want = trace.Answers{Of: []trace.Answer{{}, {Kind: trace.Answered, Num: 30}}}
	if got := Questioned(one); len(got.Want.Of) != len(got.Calls) || got.Want.Of[1].Num != 30 {
		t.Errorf("%+v\n%s", got.Want, got)
	}
}

func TestMistakeOf(t *testing.T) {
	for _, row := range []struct {
		failures []oracle.Finding
		want     Mistake
	}{
		{nil, ""},
		{[]oracle.Finding{{Class: oracle.ClaimsSolution}, {Class: oracle.WrongState, Detail: oracle.RefusesCall + "add"}},
			RefusedCall},
		{[]oracle.Finding{{Class: oracle.WrongState, Detail: "code of failed"}}, ""},
		{[]oracle.Finding{{Class: oracle.ModelFalsifies}, {Class: oracle.ValuesDisagree}}, OddValues},
		{[]oracle.Finding{{Class: oracle.Abort}}, ""},
		{[]oracle.Finding{{Class: oracle.NotOptimal}}, MissedSolution},
		{[]oracle.Finding{{Class: oracle.OneValueDiffers}, {Class: oracle.ModelFalsifies}}, FalseSolution},
		{[]oracle.Finding{{Class: oracle.OneValueDiffers}, {Class: oracle.ModelFalsifies, Voted: true}}, WrongObjective},
		{[]oracle.Finding{{Class: oracle.ValuesDisagree}}, OddValues},
		{[]oracle.Finding{{Class: oracle.GaveUp, Detail: oracle.NoReason}}, NoAnswer},
		{[]oracle.Finding{{Class: oracle.WrongTermination, Detail: oracle.StaysStopped}}, NoAnswer},
		{[]oracle.Finding{{Class: oracle.GaveUp, Detail: "answers ERROR"}}, ""},
	} {
		if got := mistakeOf(row.failures, true); got != row.want {
			t.Errorf("%+v: %q, want %q", row.failures, got, row.want)
		}
	}
	odd := []oracle.Finding{{Class: oracle.ValuesDisagree}, {Class: oracle.ModelFalsifies},
		{Class: oracle.OneValueDiffers}}
	for _, row := range []struct {
		class  oracle.Class
		detail string
		want   Mistake
	}{
		{oracle.OneValueDiffers, "model is not optimal", OddValues},
		{oracle.ModelFalsifies, "hard clause", OddValues},
		{oracle.OneValueDiffers, oracle.ObjectiveOfNoSolution, WrongObjective},
		{oracle.OneValueDiffers, oracle.ObjectiveNotOptimal, WrongObjective},
		{oracle.ClaimsSolution, "", WrongObjective},
		{oracle.AnswersDiffer, "objective", WrongObjective},
		{oracle.AnswersDiffer, "value", OddValues},
	} {
		if got := mistakeOf(odd, aboutValues(row.class, row.detail)); got != row.want {
			t.Errorf("%s %s beside odd values: %q, want %q", row.class, row.detail, got, row.want)
		}
	}
	if stopped, gaveUp := Symptom(oracle.WrongTermination, oracle.StaysStopped),
		Symptom(oracle.GaveUp, oracle.NoReason); stopped != gaveUp {
		t.Errorf("the symptoms of one mistake are %q and %q", stopped, gaveUp)
	}
}
