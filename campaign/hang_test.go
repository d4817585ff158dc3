package campaign

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestHang checks that no answer within ten times the limit is a finding, without rivals,
// if the problem is easy for the reference library.
func TestHang(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: many seconds")
	}
	t.Parallel()
	config := testConfig(t, "ref:defect=complementary-loop", "ipamir")
	config.Limits.CPU, config.Traces, config.Findings = 100*time.Millisecond, 2000, 1
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 {
		t.Fatalf("%d findings, want 1; unconfirmed %+v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.TooSlow || !strings.Contains(f.Observed, "no answer in solve within 1s") ||
		!strings.Contains(f.Known, "built-in reference library") || f.Run.End != trace.OutOfCPU {
		t.Errorf("%s ended by %v: observed %s, known by %s", f.Key, f.Run.End, f.Observed, f.Known)
	}
	if last := f.Minimal.Calls[len(f.Minimal.Calls)-1]; last.Op != apimodel.OpSolve {
		t.Errorf("the trace goes on after the call that hangs:\n%s", f.Minimal)
	}
	if f.Cause() != "both-polarities" {
		t.Errorf("cause %q", f.Cause())
	}
	if !f.IsMinimal || f.NotMinimal != "" || len(f.Minimal.Calls) > 4 || f.Tests == 0 {
		t.Errorf("after %d tests (%v), %q:\n%s", f.Tests, f.Reducing, f.NotMinimal, f.Minimal)
	}
}

func TestReferenceTime(t *testing.T) {
	parse := func(text string) *trace.Trace {
		tr, err := trace.ParseString("ipafuzz 1 ipasir\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	easy := parse("terminate 1\nadd 1 2 0\nsolve\n")
	if took, why, err := trial.ReferenceTime(context.Background(), easy, 20*time.Second); err != nil || why != "" ||
		took <= 0 {
		t.Errorf("an easy trace: %v, %q, %v", took, why, err)
	}
	if took, why, err := trial.ReferenceTime(context.Background(), easy, 100*time.Nanosecond); err != nil ||
		!strings.Contains(why, "more than a thousandth") {
		t.Errorf("a limit that the reference library cannot be a thousandth of: %v, %q, %v", took, why, err)
	}
	steered := parse("option a b\nlearn 3\nterminate 1\nadd 1 2 0\nhavoc 7\nsolve\nval 1\n")
	if got := trial.WithoutSteering(steered).String(); got != "ipafuzz 1 ipasir\nadd 1 2 0\nsolve\nval 1\n" {
		t.Errorf("without steering:\n%s", got)
	}
}

// TestSlowBesideOthers checks that a target that is slow beside two rivals is found.
func TestSlowBesideOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for slow targets: many seconds")
	}
	sleeper := buildLibrary(t, "sleeper.c")
	config := comparedConfig(t, "ipasir", "ref", "ref:defect=none", sleeper)
	config.Traces = 1
	found := findingOf(t, config, oracle.TooSlow, "resources")
	if found == nil || found.Target != sleeper || found.Check != "resources" ||
		!strings.Contains(found.Known, "the median of the 2 other targets") {
		t.Errorf("found %+v", found)
	}
}

// TestLargeBesideOthers is TestSlowBesideOthers for memory.
func TestLargeBesideOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	hoarder := buildLibrary(t, "hoarder.c")
	config := comparedConfig(t, "ipasir", "ref", "ref:defect=none", hoarder)
	config.Traces, config.Limits.Memory = 8, 2<<30
	found := findingOf(t, config, oracle.TooMuchMemory, "resources")
	if found == nil || found.Target != hoarder || found.Check != "resources" {
		t.Errorf("found %+v", found)
	}
}

func findingOf(t *testing.T, config Config, class oracle.Class, check string) *store.Finding {
	t.Helper()
	for _, f := range runCampaign(t, context.Background(), config, unsearched, unreduced).Found {
		if f.Class == class && f.Check == check {
			return f
		}
	}
	return nil
}

// TestInstancesAlone checks that undecided answers are compared with those of the instance
// alone.
func TestInstancesAlone(t *testing.T) {
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "mixer.c"), "ipasir")
	config.Traces = 1000
	config.Cells[0].Generate.Without = []string{"contradictory-assumptions", "empty-clause"}
	found := findingOf(t, config, oracle.InstancesMix, "alone")
	if found == nil || found.Check != "alone" || !strings.Contains(found.Detail, "with other instances only: status") {
		t.Fatalf("found %+v", found)
	}
	if found.Minimal.Instances() < 2 || len(found.Run.Answers.Of) == 0 {
		t.Errorf("the trace has %d instances, and its run %d answers", found.Minimal.Instances(), len(found.Run.Answers.Of))
	}
}

// TestNothingEnds checks that a library in which no solve ever ends has a reduced finding, without the tenfold limit.
func TestNothingEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: many seconds")
	}
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "never.c"), "ipasir")
	config.Limits, config.Findings, config.Time = replay.DefaultLimits, 1, 5*time.Minute
	summary := runCampaign(t, t.Context(), config)
	if len(summary.Found) != 1 {
		t.Fatalf("%d findings, want 1; unconfirmed %+v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.TooSlow || f.Observed != "no answer in solve within 8s" || !f.IsMinimal || f.Tests != 1 ||
		f.Minimal.String() != "ipafuzz 1 ipasir\nsolve\n" {
		t.Errorf("%s, minimal %v after %d tests: observed %s\n%s", f.Key, f.IsMinimal, f.Tests, f.Observed, f.Minimal)
	}
}
