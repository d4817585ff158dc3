package cause

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestMistakeOfCore tells a solver that reads the wrong core from one whose search misses a solution.
func TestMistakeOfCore(t *testing.T) {
	for _, row := range []struct {
		defect, calls string
		want          Mistake
	}{
		{"failed-none", "add 1 0\nassume -1\nsolve\ncore\n", WrongCore},
		{"failed-wrong-sign", "add 1 0\nassume -1\nsolve\ncore\n", WrongCore},
		{"assumption-level-unit", "add 1 2 3 0\nadd 2 -3 0\nassume -1\nassume -2\nsolve\ncore\n", MissedSolution},
	} {
		session := examine(t, "ref:defect="+row.defect, "ipasir", trialLimits)
		minimal := parse(t, "ipafuzz 1 ipasir\n"+row.calls)
		key := oracle.Key{Target: session.Target.Name, Class: oracle.WrongCore, Detail: "not a core"}
		prober, err := NewProber(t.Context(), session, minimal, key, trial.Rate{})
		if err != nil {
			t.Fatalf("%s: %v", row.defect, err)
		}
		if got, err := prober.Mistake(t.Context(), Questioned(minimal)); err != nil || got != row.want {
			t.Errorf("%s: %q, %v, want %q", row.defect, got, err, row.want)
		}
		session.Close()
	}
}

func TestUnderCore(t *testing.T) {
	one := parse(t, "ipafuzz 1 ipasir\nadd 1 0\nassume -1\nassume 2\nsolve\nfailed 2\ncore\nassume 3\nsolve\ncore\n")
	const last = len("core\nassume 3\nsolve\ncore\n")
	text := trace.CallsAlone(one)
	for _, row := range []struct {
		core []int32
		want string // after the first core; "" if there is no trace
	}{
		{[]int32{-1}, "core\nassume -1\nsolve\n"},
		{nil, "core\nsolve\n"},
		{[]int32{3}, ""}, // assumed later
	} {
		under := underCore(one, 3, queryAfter(one, 3, apimodel.OpCore), row.core)
		switch {
		case row.want == "" && under != nil, row.want != "" && under == nil:
			t.Errorf("%v: %v", row.core, under)
		case under != nil && trace.CallsAlone(under) != text[:len(text)-last]+row.want:
			t.Errorf("%v:\n%s", row.core, trace.CallsAlone(under))
		}
	}
	other := parse(t, "ipafuzz 1 ipasir\nassume 1\nsolve\nadd 1 0\nsolve\ncore\n")
	if at := queryAfter(other, 1, apimodel.OpCore); at != -1 {
		t.Errorf("the core of another solve: call %d", at)
	}
}
