package cause

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// examine returns a session with a target. The caller must close it.
func examine(t *testing.T, spec, model string, limits replay.Limits) *trial.Session {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	description, err := trial.Describe(target, trialLimits)
	if err != nil {
		t.Fatal(err)
	}
	return trial.NewExamination(target, description, limits, false)
}

// TestSubject checks that a failure of another fault does not count. The library has two defects, and the
// trace shows both.
func TestSubject(t *testing.T) {
	session := examine(t, "ref:defect=redeclare-adds,second=counts-false-softs", "ipamir", trialLimits)
	defer session.Close()
	key := oracle.Finding{Class: oracle.OneValueDiffers, Weight: oracle.SmallWeights,
		Detail: "objective is not the cost of the model"}
	minimal := parse(t, "hard 1 0\nsoft 1 1\nsoft 1 1\nsolve\nobj\nmodel\n")
	prober, err := NewProber(context.Background(), session, minimal, key.Key(session.Target.Name), trial.Rate{})
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
		if got, err := prober.Shows(context.Background(), parse(t, row.trace)); err != nil || got != row.want {
			t.Errorf("%q: %v, %v", row.trace, got, err)
		}
	}
	key.Detail = "not this one"
	other := key.Key(session.Target.Name)
	if _, err := NewProber(context.Background(), session, minimal, other, trial.Rate{}); !errors.Is(err, ErrNotFailing) {
		t.Errorf("error %v", err)
	}
}

// TestHangingVersion checks that a version that hangs decides nothing and soon ends.
func TestHangingVersion(t *testing.T) {
	t.Parallel()
	library := filepath.Join(t.TempDir(), "libstuck.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library,
		filepath.Join("testdata", "stuck.c")).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	limits := trialLimits
	limits.CPU, limits.Wall = time.Hour, time.Hour
	session := examine(t, library, "ipasir", limits)
	defer session.Close()
	minimal := parse(t, "ipafuzz 1 ipasir\nadd 1 2 0\nassume 1\nsolve\n")
	key := oracle.Key{Target: session.Target.Name, Class: oracle.ClaimsNoSolution, Detail: "claims no solution"}
	prober, err := NewProber(t.Context(), session, minimal, key, trial.Rate{})
	if err != nil {
		t.Fatal(err)
	}
	hangs := parse(t, "ipafuzz 1 ipasir\nadd 1 0\nsolve\n")
	if _, err := prober.Shows(t.Context(), hangs); !errors.Is(err, ErrUndecided) {
		t.Errorf("a trace that hangs: %v", err)
	}
	d, err := Determine(t.Context(), minimal, nil, prober.Shows, nil, nil)
	if err != nil || d.Cause != Nothing {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, e := range d.Experiments {
		if strings.HasSuffix(e.Variant, "assumption") {
			t.Errorf("an experiment that met a limit counts: %+v", e)
		}
	}
}

func TestSymptoms(t *testing.T) {
	const mixed = "with other instances only: "
	for _, row := range []struct {
		class  oracle.Class
		detail string
		other  oracle.Class
		same   bool
	}{
		{oracle.NotOptimal, "", oracle.OneValueDiffers, true},
		{oracle.ClaimsNoSolution, "", oracle.WrongCore, true},
		{oracle.Abort, "", oracle.Segfault, true},
		{oracle.Abort, "", oracle.NotOptimal, false},
		{oracle.InstancesMix, mixed + "status", oracle.NotOptimal, true},
		{oracle.InstancesMix, mixed + "2.1 not optimal", oracle.NotOptimal, true},
		{oracle.InstancesMix, mixed + "5.2 true and false", oracle.NotOptimal, true},
		{oracle.InstancesMix, mixed + "5.2 true and false", oracle.WrongTermination, false},
		{oracle.ValuesDisagree, "", oracle.NotOptimal, true},
		{oracle.InstancesMix, "", oracle.Leak, false},
	} {
		if got := Symptom(row.class, row.detail) == Symptom(row.other, ""); got != row.same {
			t.Errorf("%s %s and %s: %v", row.class, row.detail, row.other, got)
		}
	}
}

// TestWrongAnswer checks that the Prober looks for the wrong one of two differing answers.
func TestWrongAnswer(t *testing.T) {
	differ := oracle.Finding{Class: oracle.AnswersDiffer, Solve: 5, Instance: 1}
	for _, row := range []struct {
		other oracle.Finding
		want  bool
	}{
		{oracle.Finding{Class: oracle.NotOptimal, Solve: 5, Instance: 1}, true},
		{oracle.Finding{Class: oracle.NotOptimal, Solve: 2, Instance: 1}, true},
		{oracle.Finding{Class: oracle.NotOptimal, Solve: 6, Instance: 1}, false},
		{oracle.Finding{Class: oracle.NotOptimal, Solve: 5}, false},
		{oracle.Finding{Class: oracle.NotOptimal, Solve: 5, Instance: 1, Voted: true}, false},
		{oracle.Finding{Class: oracle.ValuesDisagree, Solve: 5, Instance: 1}, false},
	} {
		if got := wrongOf(&differ, []oracle.Finding{row.other}) != nil; got != row.want {
			t.Errorf("%+v: %v", row.other, got)
		}
	}
	if wrongOf(&oracle.Finding{Class: oracle.WrongCore, Solve: 5}, []oracle.Finding{{Class: oracle.NotOptimal}}) != nil ||
		wrongOf(nil, []oracle.Finding{differ}) != nil {
		t.Error("a failure without two answers has a wrong one of them")
	}
}
