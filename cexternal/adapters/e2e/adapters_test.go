// Package e2e runs ipafuzz on the real solvers that the adapters serve; it has tests
// and no other code.
package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// What is known of a target, as Debian 12 packages it. docs/bugs-found.md has
// the faults with their traces.
type known struct {
	target  string
	pkg     string // Debian's name
	traces  uint64 // of the fuzzing test
	without []string
	// A finding of one of these classes must be found; none: the target is healthy.
	classes   []oracle.Class
	tolerated []oracle.Class // may be found before
	conform   bool           // run the conformance suite
	fails     []string       // its cases that fail, each for the reason that stands behind it
}

var solvers = []known{
	{target: "minisat", pkg: "minisat", traces: 10_000, conform: true},
	{target: "minisat-simp", pkg: "minisat", traces: 5000, without: []string{"options"}, conform: true},
	{target: "picosat", pkg: "picosat", traces: 10_000, conform: true},
	{target: "cryptominisat", pkg: "libcryptominisat5-dev", traces: 5000, conform: true},
	{target: "cadical", pkg: "libcadical-dev", traces: 3000, conform: true},
	{target: "cadical-calls", pkg: "libcadical-dev", traces: 3000, classes: []oracle.Class{oracle.ClaimsNoSolution, oracle.ModelFalsifies}, conform: true},
	{target: "cvc5", pkg: "libcvc5-dev", traces: 300, classes: []oracle.Class{oracle.Leak}, conform: true,
		fails: []string{"release/memory", "release/memory-of-many-solves"}}, // every cvc5::Solver leaves some kB behind
	{target: "z3", pkg: "libz3-dev", traces: 700, classes: []oracle.Class{oracle.NotOptimal, oracle.OneValueDiffers, oracle.AllValuesDiffer}, conform: true},
	{target: "z3-wmax", pkg: "libz3-dev", traces: 1000, without: []string{"options"}},
	{target: "z3-sortmax", pkg: "libz3-dev", traces: 150, without: []string{"options"},
		classes:   []oracle.Class{oracle.NotOptimal, oracle.OneValueDiffers, oracle.AllValuesDiffer},
		tolerated: []oracle.Class{oracle.GaveUp, oracle.AnswersDiffer, oracle.TooSlow}},
	{target: "maxsat-over-cadical", pkg: "libcadical-dev", traces: 1000},
	{target: "maxsat-over-picosat", pkg: "picosat", traces: 2000},
	{target: "maxsat-over-minisat", pkg: "minisat", traces: 2000, conform: true},
	{target: "maxsat-over-cryptominisat", pkg: "libcryptominisat5-dev", traces: 1000},
}

// seed is fixed, and settable to look further.
func seed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(1)
	if given := os.Getenv("IPAFUZZ_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 0, 64); err != nil {
			t.Fatalf("IPAFUZZ_SEED: %v", err)
		}
	}
	t.Logf("seed %d (IPAFUZZ_SEED sets it)", seed)
	return seed
}

var limits = replay.Limits{CPU: 10 * time.Second, Wall: 60 * time.Second, Memory: 2 << 30, Output: 1 << 20}

// TestMain builds what the installed packages allow.
func TestMain(m *testing.M) {
	build := exec.Command("make", "-s", "-C", filepath.Join("..", "..", ".."), "adapters")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		os.Stderr.WriteString("make adapters: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func open(t *testing.T, name, pkg string) *replay.Target {
	t.Helper()
	file, err := targets.ReadFile(filepath.Join("..", "targets.toml"))
	if err != nil {
		t.Fatal(err)
	}
	target, err := targets.Resolve(name, "", file)
	if err == nil {
		return target
	}
	if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
		t.Fatalf("the package %s is not installed: %v", pkg, err)
	}
	t.Skipf("the package %s is not installed ('make setup' does it): %v", pkg, err)
	return nil
}

// TestFuzz: the faults of these versions are found, and healthy targets give
// nothing.
func TestFuzz(t *testing.T) {
	for _, k := range solvers {
		t.Run(k.target, func(t *testing.T) {
			config := campaign.Config{Cells: source.Cells([]*replay.Target{open(t, k.target, k.pkg)}, gen.Config{Profile: "tiny", Without: k.without}), Seed: seed(t), Way: replay.Persistent,
				Workers: 1, Traces: k.traces, Limits: limits}
			config.Limits.CPU = time.Second // sortmax takes for ever when weights are large
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			proper := false
			config.OnFinding = func(f *campaign.Found) {
				if slices.Contains(k.classes, f.Class) {
					proper = true
					stop() // a fault in every third trace is not to be shrunk all day
				}
			}
			if testing.Short() {
				config.Traces /= 10
			}
			c, err := campaign.New(config)
			if err != nil {
				t.Fatal(err)
			}
			summary, err := c.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range summary.Found {
				if !slices.Contains(k.classes, f.Class) && !slices.Contains(k.tolerated, f.Class) {
					t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
				}
			}
			if k.classes != nil && !proper && !testing.Short() {
				t.Errorf("%d traces, and none of the faults %v was found", summary.Traces, k.classes)
			}
			for _, u := range summary.Unconfirmed {
				t.Logf("seen but not confirmed: %s, trace %d", u.Key, u.Number)
			}
			for _, f := range summary.Found {
				t.Logf("found after %d traces: %s", f.After, f.Key)
			}
			t.Logf("%d traces, %d solves, %d findings", summary.Traces, summary.Solves, len(summary.Found))
		})
	}
}

// TestConform: the suite, but for the cases that are named with their reason.
func TestConform(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole suite for every library: tens of seconds")
	}
	for _, k := range solvers {
		if !k.conform {
			continue
		}
		t.Run(k.target, func(t *testing.T) {
			target := open(t, k.target, k.pkg)
			runner, err := replay.Open(target, replay.Fork, limits)
			if err != nil {
				t.Fatal(err)
			}
			defer runner.Close()
			suite := conform.Suite{Runner: runner, OpenHeap: func() (conform.Runner, error) { return replay.OpenHeap(target, limits) }}
			report := conform.Report{Target: target.Name, Model: target.Model.Name}
			if report.Results, err = suite.Run(context.Background(), conform.Cases(target.Model)); err != nil {
				t.Fatal(err)
			}
			for i := range report.Results {
				r := &report.Results[i]
				if (r.Outcome == conform.Fail) != slices.Contains(k.fails, r.Case.Short()) {
					t.Errorf("%s: %s: %s\n%s", r.Case.Name, r.Outcome, r.Reason, r.Stderr)
				}
			}
			t.Log(report.Summary())
		})
	}
}

// TestFaultsFound replays the traces of docs/bugs-found.md.
func TestFaultsFound(t *testing.T) {
	for _, fault := range []struct {
		file, target, pkg string
		class             oracle.Class
	}{
		{"minisat-rcheck.trace", "minisat-simp", "minisat", oracle.ClaimsSolution},
		{"z3-upper-bound-block.trace", "z3", "libz3-dev", oracle.NotOptimal},
		{"z3-default.trace", "z3", "libz3-dev", oracle.NotOptimal},
		{"z3-both-polarities.trace", "z3", "libz3-dev", oracle.NotOptimal},
		{"z3-sortmax.trace", "z3-sortmax", "libz3-dev", oracle.NotOptimal},
		{"z3-wmax-exception.trace", "z3-wmax", "libz3-dev", oracle.GaveUp},
		{"z3-bounds.trace", "z3-lower", "libz3-dev", oracle.OneValueDiffers},
		{"cadical-constraint.trace", "cadical-calls", "libcadical-dev", oracle.ClaimsNoSolution},
		{"cadical-sign.trace", "cadical-ipasir", "libcadical-dev", oracle.ValuesDisagree},
	} {
		t.Run(fault.file, func(t *testing.T) {
			target := open(t, fault.target, fault.pkg)
			text, err := os.ReadFile(filepath.Join("..", "testdata", fault.file))
			if err != nil {
				t.Fatal(err)
			}
			tr, err := trace.ParseString(string(text))
			if err != nil {
				t.Fatal(err)
			}
			runner, err := replay.Open(target, replay.Fork, limits)
			if err != nil {
				t.Fatal(err)
			}
			defer runner.Close()
			description, err := runner.Description()
			if err != nil {
				t.Fatal(err)
			}
			var run trace.Run
			if err := runner.Run(context.Background(), tr, &run); err != nil {
				t.Fatal(err)
			}
			// The reference solver is asked about everything: what can be certified is.
			judge := oracle.New(oracle.Config{Policies: description.Policies, CrossCheck: true, Reference: reference.New(ref.NewProver(), 1000)})
			found := judge.Judge(tr, &run)
			if !slices.ContainsFunc(found, func(f oracle.Finding) bool {
				return f.Class == fault.class && f.Certified == (f.Class[0] == '2')
			}) || judge.Disagreement() != nil {
				t.Errorf("want class %s, certified when it is of family 2, found %v (%v)\n%s", fault.class, found, judge.Disagreement(), tr.AppendLog(nil, &run))
			}
		})
	}
}
