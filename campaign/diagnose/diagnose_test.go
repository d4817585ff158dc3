package diagnose

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

var limits = replay.Limits{CPU: 2 * time.Second, Wall: 10 * time.Second, Memory: 1 << 30, Output: 1 << 20}

const minimal = "ipafuzz 1 ipamir\nhard 3 0\nsoft 3 1\nsoft 3 2\nsolve\nmodel\nobj\n"

func failure(t *testing.T) (*Failure, *trial.Session) {
	t.Helper()
	return failureOf(t, "redeclare-adds", "objective is not the cost of the model", minimal)
}

// failureOf returns a failure of the built-in library with a defect.
func failureOf(t *testing.T, defect, detail, minimal string) (*Failure, *trial.Session) {
	t.Helper()
	target, err := targets.Resolve("ref:defect="+defect, "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	description, err := trial.Describe(target, limits)
	if err != nil {
		t.Fatal(err)
	}
	session := trial.NewExamination(target, description, limits, false)
	t.Cleanup(session.Close)
	return &Failure{
		Key:     oracle.Key{Target: target.Name, Class: oracle.OneValueDiffers, Detail: detail},
		Minimal: testtrace.Parse(t, minimal), Rate: trial.Rate{Failed: 3, Runs: 3},
		Config: dd.Config{Description: description}}, session
}

func TestRun(t *testing.T) {
	f, session := failure(t)
	result, err := f.Run(t.Context(), session)
	if err != nil || result == nil {
		t.Fatal(result, err)
	}
	d := result.Diagnosis
	if d.Cause != "repeated-soft" || !strings.HasPrefix(d.Sentence, "needs the same soft literal declared twice") ||
		len(d.Experiments) == 0 || result.Tests == 0 || !strings.HasPrefix(testtrace.Calls(result.Normal), "hard 1 0\n") {
		t.Errorf("%d tests: %+v\n%s", result.Tests, d, result.Normal)
	}
}

// TestUnknown checks failures whose cause cannot be determined.
func TestUnknown(t *testing.T) {
	for name, change := range map[string]func(*Failure){
		"a limit":          func(f *Failure) { f.Key.Class = oracle.TooSlow },
		"rare":             func(f *Failure) { f.Rate = trial.Rate{Failed: 1, Runs: 3} },
		"another failure":  func(f *Failure) { f.Key.Detail = "x" },
		"it does not fail": func(f *Failure) { f.Minimal = testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n") },
	} {
		f, session := failure(t)
		change(f)
		if result, err := f.Run(t.Context(), session); result != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	f, session := failure(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("ended")
	cancel(ended)
	if result, err := f.Run(ctx, session); result != nil || err == nil {
		t.Errorf("cancelled: %+v, %v", result, err)
	}
}

// TestMeetsLimit checks that a hang and a failure by memory have a cause, unless no version stays below the limits.
func TestMeetsLimit(t *testing.T) {
	for _, row := range []struct {
		defect, minimal, detail string
		class                   oracle.Class
		want                    cause.Cause
	}{
		{"complementary-loop", "soft 1 1\nsoft -1 1\nsolve\n", "in solve", oracle.TooSlow, "both-polarities"},
		{"memory-blow-up", "assume 1\nassume 1\n", "in assume", oracle.TooMuchMemory, "repeated-assumption"},
	} {
		f, _ := failureOf(t, row.defect, row.detail, "ipafuzz 1 ipamir\n"+row.minimal)
		f.Key.Class, f.Rate = row.class, trial.Rate{Failed: 1, Runs: 1}
		target, err := targets.Resolve(f.Key.Target, "ipamir", nil)
		if err != nil {
			t.Fatal(err)
		}
		lower := limit.ToMeet(limits, row.class, new(trace.Run), limit.LeastCPU)
		session := trial.NewExamination(target, f.Config.Description, lower, false)
		defer session.Close()
		result, err := f.Run(t.Context(), session)
		if err != nil || result == nil || !names(result.Diagnosis.Cause, string(row.want)) || result.Normal != f.Minimal {
			t.Fatalf("%s: %+v, %v", row.defect, result, err)
		}
		f.Config.Allowed = func(*trace.Trace) bool { return false }
		if result, err = f.Run(t.Context(), session); err != nil || result != nil {
			t.Errorf("%s has a cause, though no version could run: %+v, %v", row.defect, result, err)
		}
	}
}

// TestFailedAllocation: the cause of a failed allocation stays unknown, since every change of the trace makes
// another allocation fail.
func TestFailedAllocation(t *testing.T) {
	f, session := failureOf(t, "lost-in-failure", "then: 2.6 hard clause", "ipafuzz 1 ipamir\n"+
		"option ipafuzz.fail-allocation 32\nhard 1 2 3 0\nsolve\nhard 1 2 0\nhard 1 2 3 0\nhard 1 2 3 0\nsoft 3 1\nsolve\n"+
		"hard -2 0\nsolve\nmodel\n")
	f.Key.Class = oracle.FailedAllocation
	var run trace.Run
	findings, err := session.Run(t.Context(), f.Minimal, &run)
	if err != nil || len(findings) == 0 || findings[0].Key(f.Key.Target) != f.Key {
		t.Fatalf("%v, %+v", err, findings)
	}
	if result, err := f.Run(t.Context(), session); result != nil || err != nil {
		t.Errorf("%+v, %v", result, err)
	}
	const want = "fails for 5 clauses, one soft literal, 3 solves and one call of model when an allocation fails; " +
		"no experiment tells what else it needs, since a trace with less in it makes another allocation fail"
	if got := cause.Unexplained(oracle.FailedAllocation, f.Minimal, true); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
