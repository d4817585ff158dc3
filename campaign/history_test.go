package campaign

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// buildLibrary compiles one of the C and C++ files in testdata.
func buildLibrary(t *testing.T, source string) string {
	t.Helper()
	return testlineup.Build(t, filepath.Join("testdata", source))
}

// TestHistory checks that a failure that needs earlier traces of its process is stored with
// them, as one trace that fails in a fresh process.
func TestHistory(t *testing.T) {
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "third.c"), "ipasir")
	config.Traces, config.Findings = 500, 1
	// Without these, no trace creates three solvers.
	config.Cells[0].Generate.Without = []string{"two-instances", "three-instances", "release-reinit"}
	config.Out = t.TempDir()
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 {
		t.Fatalf("%d findings, want 1; unconfirmed: %v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.Abort || f.History < 2 || f.History > 4 {
		t.Errorf("class %s with a history of %d traces, want 1.1 with 2 to 4", f.Class, f.History)
	}
	if got := testtrace.Calls(f.Minimal); got != "release\ninit\nrelease\ninit\nsolve\n" || !f.IsMinimal {
		t.Errorf("the traces were reduced to\n%s", f.Minimal)
	}
	file, err := os.Open(filepath.Join(f.Dir, "minimal.trace"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kept, err := trace.Read(file, file.Name())
	if err != nil {
		t.Fatal(err)
	}
	runner, err := replay.Open(config.Cells[0].Target, replay.Fork, config.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	var run trace.Run
	if err := runner.Run(context.Background(), kept, &run); err != nil {
		t.Fatal(err)
	}
	if run.End != trace.Killed || run.Death.Signal != 6 {
		t.Errorf("the kept trace ends with %v (signal %d), want an abort", run.End, run.Death.Signal)
	}
}

// TestAllocationInHistory checks that a crash that needs a failed allocation of an earlier trace is about
// that from the beginning, and confirmed.
func TestAllocationInHistory(t *testing.T) {
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "remembers.c"), "ipasir")
	config.Traces, config.Findings = 500, 1
	// Without these, no trace creates two solvers.
	config.Cells[0].Generate.Without = []string{"two-instances", "three-instances", "release-reinit"}
	config.Cells[0].Generate.FailAllocations = true
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 || len(summary.Unconfirmed) > 0 {
		t.Fatalf("%d findings, want 1; unconfirmed: %v", len(summary.Found), summary.Unconfirmed)
	}
	if f := summary.Found[0]; f.Class != oracle.FailedAllocation || f.History == 0 ||
		!strings.HasPrefix(f.Detail, "then: 1.1 SIGABRT") {
		t.Errorf("%s with a history of %d traces, want 5.8 then: 1.1 SIGABRT, with some", f.Key, f.History)
	}
}

// TestUncaughtExceptions checks that each function that lets std::bad_alloc out is one finding and one fault,
// from however many places.
func TestUncaughtExceptions(t *testing.T) {
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "careless.cc"), "ipasir")
	config.Traces = 300
	config.Cells[0].Generate.FailAllocations = true
	summary := runCampaign(t, context.Background(), config)
	var found []string
	for _, f := range summary.Found {
		found = append(found, f.Failure().Key+" at "+f.Location)
	}
	slices.Sort(found)
	want := []string{"5.8 then: 1.1 uncaught std::bad_alloc in add at in add",
		"5.8 then: 1.1 uncaught std::bad_alloc in init at in init",
		"5.8 then: 1.1 uncaught std::bad_alloc in solve at in solve"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// TestHistoryByChance checks that a failure is unconfirmed if the trace with its history fails only by
// chance.
func TestHistoryByChance(t *testing.T) {
	t.Setenv("FICKLE", filepath.Join(t.TempDir(), "count"))
	config := testConfig(t, buildLibrary(t, "fickle.c"), "ipasir")
	config.Traces = 500
	config.Cells[0].Generate.Without = []string{"two-instances", "three-instances", "release-reinit"}
	summary := runCampaign(t, context.Background(), config)
	for _, f := range summary.Found {
		t.Errorf("a finding by chance, in %s runs: %s", f.Rate, f.Key)
	}
	if len(summary.Unconfirmed) != 1 || !strings.Contains(summary.Unconfirmed[0].Why,
		"earlier traces of its process, it failed in 1 of 2 runs") {
		t.Errorf("unconfirmed: %+v", summary.Unconfirmed)
	}
}

// TestChanceByProcess checks that a failure is found that only some processes show, whatever they run. It
// does not recur at the first try.
func TestChanceByProcess(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	t.Setenv("MOODY", count)
	config := testConfig(t, buildLibrary(t, "moody.c"), "ipasir")
	config.Traces = 200
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 || len(summary.Unconfirmed) > 0 {
		t.Fatalf("%d findings, want 1; unconfirmed: %v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.Abort || f.Rate.Always() || f.Rate.Runs != trial.ChanceRuns {
		t.Errorf("%s in %s runs, want an abort in a share of %d", f.Key, f.Rate, trial.ChanceRuns)
	}
	if text, err := os.ReadFile(count); err != nil || len(text) < trial.ChanceRuns {
		t.Errorf("the library was loaded %d times, want a time for each run: %v", len(text), err)
	}
}

// TestSeldom checks that a failure that recurs in some fresh processes and not in later ones is called confirmed only
// if it recurred often enough, and that this word is not taken back.
func TestSeldom(t *testing.T) {
	for _, row := range []struct {
		fresh     string // a 1 for each fresh process that shows it, in their order
		slow      string // how many milliseconds those take
		confirmed int
		why       string
	}{
		{"1", "0", 0, "it failed in only 1 of "},
		{"11", "0", 0, "it failed in only 2 of "},
		{"11", "150", 0, "it failed in only 2 of "},
		{"10000000000000000000000000000000000111", "0", 1, ""},
		{"111", "0", 1, ""},
		{"111", "150", 1, ""},
	} {
		t.Setenv("SELDOM", filepath.Join(t.TempDir(), "count"))
		t.Setenv("FRESH", row.fresh)
		t.Setenv("SLOW", row.slow)
		config := testConfig(t, buildLibrary(t, "seldom.c"), "ipasir")
		config.Traces = 2
		confirmed := 0
		config.OnConfirmed = func(*store.Finding) { confirmed++ }
		config.OnGivenUp = func(f *store.Finding, why string) { t.Errorf("%s was confirmed, and is not: %s", f.Key, why) }
		summary := runCampaign(t, context.Background(), config)
		var why []string
		for _, u := range summary.Unconfirmed {
			why = append(why, u.Why)
		}
		if confirmed != row.confirmed || len(summary.Found) != row.confirmed || len(why) != 1-row.confirmed ||
			row.why != "" && !strings.HasPrefix(why[0], row.why) {
			t.Errorf("%s, %s ms: confirmed %d, found %d, want %d; unconfirmed: %q, want %q", row.fresh, row.slow, confirmed,
				len(summary.Found), row.confirmed, why, row.why)
		}
	}
}

// TestHangWithHistory checks that a hang that needs earlier traces of its process is
// confirmed with them, whether it takes the processor or sleeps.
func TestHangWithHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: many seconds")
	}
	for _, how := range []string{"spin", "sleep"} {
		t.Run(how, func(t *testing.T) {
			t.Setenv("TIRES", how)
			config := testConfig(t, buildLibrary(t, "tires.c"), "ipasir")
			config.Limits.CPU, config.Limits.Wall, config.Findings = 100*time.Millisecond, 500*time.Millisecond, 1
			config.Traces = 2000
			// Without these, no trace creates thirty solvers.
			config.Cells[0].Generate.Without = []string{"two-instances", "three-instances", "release-reinit"}
			summary := runCampaign(t, context.Background(), config, unreduced)
			if len(summary.Found) != 1 {
				t.Fatalf("%d findings, want 1; unconfirmed: %v", len(summary.Found), summary.Unconfirmed)
			}
			f := summary.Found[0]
			if f.Class != oracle.TooSlow || f.History < 15 || f.History > 64 {
				t.Errorf("%s with a history of %d traces, want 3.1 with about 30", f.Key, f.History)
			}
		})
	}
}
