// Package e2e runs ipafuzz on the solvers that the runners serve; it has tests
// and no other code.
package e2e

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A fault is a known finding of a target. docs/bugs-found.md has the faults with their traces.
type fault struct {
	class  oracle.Class
	detail string // a part of the key
	most   int    // the most clauses, softs, assumptions and solves of the minimal trace
}

type known struct {
	target  string
	needs   string // the package that has the solver
	seed    uint64
	traces  uint64
	profile string // "": tiny
	without []string
	faults  []fault // must be found, which ends the run
	healthy bool    // no finding is allowed
}

// The numbers of calls are those of a thesis on fuzzing Sat4j's interface (Parruca, Freiburg 2024). A minimal
// trace may have no more calls than the published one.
var solvers = []known{
	{target: "sat4j", needs: "sat4j", seed: 1, traces: 3000,
		faults: []fault{{oracle.OtherExit, "java.lang.NullPointerException PureOrder.java", 2}}}, // figure 19
	{target: "sat4j-minone", needs: "sat4j", seed: 1, traces: 3000,
		faults: []fault{{oracle.OtherExit, "Exception", 5}}}, // figure 20; its wrong model is replayed below
	{target: "sat4j-db", needs: "sat4j", seed: 1, traces: 3000,
		faults: []fault{{oracle.ClaimsSolution, "", 5}}}, // figure 24
	{target: "gini", needs: "gini", seed: 1, traces: 1000,
		faults: []fault{{oracle.OtherExit, "exit 1 in solve", 5}}},
	{target: "gophersat-pb", needs: "gophersat", seed: 1, traces: 3000, without: []string{"big-weights"},
		faults: []fault{{oracle.NotOptimal, "", 8}, {oracle.ModelFalsifies, "hard clause", 5}}},
	{target: "gophersat-maxsat", needs: "gophersat", seed: 7, traces: 20000, profile: "repeats",
		without: []string{"big-weights"},
		faults:  []fault{{oracle.OneValueDiffers, "objective is not", 6}, {oracle.OtherExit, "panic", 2}}},
	{target: "sat4j-enumerate-current", needs: "Sat4j's current release", seed: 1, traces: 400,
		faults: []fault{{oracle.AnswersDiffer, "counts of solutions", 4}}},
	{target: "pysat-cadical195", needs: "python-sat", seed: 1, traces: 300, healthy: true},
	{target: "pysat-minisat22", needs: "python-sat", seed: 1, traces: 300, healthy: true},
	{target: "rc2", needs: "python-sat", seed: 1, traces: 200, healthy: true},
}

var suite = driver.Suite{Dir: "..",
	Limits: replay.Limits{CPU: time.Second, Wall: 2 * time.Minute, Memory: 3 << 30, Output: 1 << 20}}

func TestMain(m *testing.M) { driver.Main(m, "runners") }

// TestFuzz: fuzzing finds, confirms and reduces the known faults of these versions.
func TestFuzz(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes every solver: tens of seconds")
	}
	for _, k := range solvers {
		t.Run(k.target, func(t *testing.T) {
			target := suite.Open(t, k.target, k.needs)
			generate := gen.Config{Profile: cmp.Or(k.profile, "tiny"), Without: k.without}
			config := campaign.Config{Seed: testseed.Of(t, k.seed), Traces: k.traces, Out: filepath.Join(t.TempDir(), "out")}
			missing := len(k.faults)
			found := make([]*store.Finding, len(k.faults))
			summary := suite.Fuzz(t, target, generate, config, func(f *store.Finding, end func()) {
				for i, want := range k.faults {
					if found[i] != nil || f.Class != want.class || !strings.Contains(f.Detail, want.detail) {
						continue
					}
					found[i] = f
					if missing--; missing == 0 {
						end()
					}
				}
			})
			for i, want := range k.faults {
				switch {
				case found[i] != nil:
					if n := calls(reduced(t, target, found[i])); n > want.most {
						t.Errorf("%s: the minimal trace has %d calls, want at most %d", found[i].Key, n, want.most)
					}
					suite.Shows(t, target, driver.ReadTrace(t, filepath.Join(found[i].Dir, "minimal.trace")), found[i].Class)
				default:
					t.Errorf("%d traces, and no finding of class %s (%q)", summary.Traces, want.class, want.detail)
				}
			}
			for _, f := range summary.Found {
				if k.healthy {
					t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
				}
			}
		})
	}
}

// reduced continues a reduction that a run ended by the clock, so that a slow machine has the same result.
func reduced(t *testing.T, target *replay.Target, f *store.Finding) *trace.Trace {
	t.Helper()
	if f.IsMinimal {
		return f.Minimal
	}
	description, err := trial.Describe(target, suite.Limits)
	if err != nil {
		t.Fatal(err)
	}
	m := shrink.Reducer{Target: target, Limits: suite.Limits, Key: f.Key,
		Config: dd.Config{Description: description, Workers: 1, Seed: 1, Budget: dd.Budget{Tests: 5000}}}
	result, err := m.Reduce(context.Background(), f.Minimal)
	if err != nil {
		t.Fatal(err)
	}
	return result.Trace
}

// calls counts the clauses, soft literals, assumptions and solves of a trace. Other calls have no counterpart
// in the thesis.
func calls(t *trace.Trace) (n int) {
	for i := range t.Calls {
		switch t.Calls[i].Op {
		case apimodel.OpClause, apimodel.OpSoft, apimodel.OpAssume, apimodel.OpSolve:
			n++
		}
	}
	return n
}

// TestConform runs the conformance suite in one process, because Java takes long to start. Only the named
// cases may fail.
func TestConform(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a whole suite in Java: tens of seconds")
	}
	for _, k := range []struct {
		target, needs string
		fails         []string
	}{
		{"sat4j", "sat4j", nil},
		{"pysat-cadical153", "python-sat", nil},
	} {
		t.Run(k.target, func(t *testing.T) {
			suite.Conform(t, suite.Open(t, k.target, k.needs), replay.Persistent, k.fails)
		})
	}
}

// TestProofs: the checkers accept the proofs that PySAT hands over.
func TestProofs(t *testing.T) {
	for _, name := range []string{"pysat-glucose4", "pysat-cadical195"} {
		t.Run(name, func(t *testing.T) {
			config := campaign.Config{Seed: testseed.Of(t, 1), Traces: 100, Out: filepath.Join(t.TempDir(), "out")}
			if testing.Short() {
				config.Traces = 30
			}
			target := suite.Open(t, name, "python-sat")
			summary := suite.Fuzz(t, target, gen.Config{Profile: "proofs"}, config, func(f *store.Finding, _ func()) {
				t.Errorf("%s: %s\n%s", f.Key, f.Observed, f.Minimal)
			})
			if checked := summary.Tally.Of("proof"); checked < config.Traces/10 {
				t.Errorf("%d proofs were checked in %d traces", checked, summary.Traces)
			}
		})
	}
}

// TestFaultsFound: docs/bugs-found.md says what its traces show.
func TestFaultsFound(t *testing.T) { suite.Page(t, "runners", open) }

func open(t *testing.T, name string) *replay.Target {
	return suite.Open(t, name, "a solver of the runners")
}
