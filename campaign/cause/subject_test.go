package cause

import (
	"context"
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// TestSubject checks that a failure of another fault does not count: the library has two
// defects, and the trace shows both.
func TestSubject(t *testing.T) {
	target, err := targets.Resolve("ref:defect=redeclare-adds,second=counts-false-softs", "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	description, err := trial.Describe(target, trialLimits)
	if err != nil {
		t.Fatal(err)
	}
	session := trial.NewExamination(target, description, trialLimits, false)
	defer session.Close()
	key := oracle.Finding{Class: oracle.OneValueDiffers, Weight: oracle.SmallWeights,
		Detail: "objective is not the cost of the model"}
	minimal := parse(t, "hard 1 0\nsoft 1 1\nsoft 1 1\nsolve\nobj\nmodel\n")
	subject, err := NewSubject(context.Background(), session, minimal, key.Key(target.Name), trial.Rate{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		trace string
		want  bool
	}{
		{"hard 1 0\nsoft 1 1\nsoft 1 1\nsolve\nobj\nmodel\n", true},
		{"hard 1 0\nsolve\nobj\nmodel\n", false},
	} {
		if got, err := subject.Shows(context.Background(), parse(t, row.trace)); err != nil || got != row.want {
			t.Errorf("%q: %v, %v", row.trace, got, err)
		}
	}
	key.Detail = "not this one"
	if _, err := NewSubject(context.Background(), session, minimal, key.Key(target.Name), trial.Rate{}); !errors.Is(err,
		ErrNotFailing) {
		t.Errorf("error %v", err)
	}
}

func TestSymptoms(t *testing.T) {
	for _, row := range []struct {
		a, b oracle.Class
		same bool
	}{
		{oracle.NotOptimal, oracle.OneValueDiffers, true},
		{oracle.ClaimsNoSolution, oracle.WrongCore, true},
		{oracle.Abort, oracle.Segfault, true},
		{oracle.Abort, oracle.NotOptimal, false},
		{oracle.Leak, oracle.InstancesMix, false},
	} {
		if got := Symptom(row.a) == Symptom(row.b); got != row.same {
			t.Errorf("%s and %s: %v", row.a, row.b, got)
		}
	}
}
