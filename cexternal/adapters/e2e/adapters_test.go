// Package e2e runs ipafuzz on the real solvers that the adapters serve; it has tests
// and no other code.
package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// A known is what we know about a target as Debian 12 packages it. docs/bugs-found.md has the faults with
// their traces.
type known struct {
	target  string
	pkg     string // Debian's name
	traces  uint64 // traces of TestFuzz
	without []string
	// classes are the classes of which one must be found; without any, the target is healthy.
	classes   []oracle.Class
	tolerated []oracle.Class // other classes that may be found first
	conform   bool           // run the conformance suite
	fails     []string       // the cases that fail, each with the reason
}

var solvers = []known{
	{target: "minisat", pkg: "minisat", traces: 10_000, conform: true},
	{target: "minisat-simp", pkg: "minisat", traces: 5000, without: []string{"options"}, conform: true},
	{target: "picosat", pkg: "picosat", traces: 10_000, conform: true},
	{target: "cryptominisat", pkg: "libcryptominisat5-dev", traces: 5000, conform: true},
	{target: "cadical", pkg: "libcadical-dev", traces: 3000, conform: true},
	{target: "cadical-calls", pkg: "libcadical-dev", traces: 3000, conform: true,
		classes: []oracle.Class{oracle.ClaimsNoSolution, oracle.ModelFalsifies}},
	{target: "cvc5", pkg: "libcvc5-dev", traces: 300, classes: []oracle.Class{oracle.Leak}, conform: true,
		fails: []string{"release/memory", "release/memory-of-many-solves"}}, // every cvc5::Solver leaks some kB
	{target: "z3", pkg: "libz3-dev", traces: 700, conform: true,
		classes: []oracle.Class{oracle.NotOptimal, oracle.OneValueDiffers, oracle.AllValuesDiffer}},
	{target: "z3-wmax", pkg: "libz3-dev", traces: 1000, without: []string{"options"}},
	{target: "z3-sortmax", pkg: "libz3-dev", traces: 150, without: []string{"options"},
		classes:   []oracle.Class{oracle.NotOptimal, oracle.OneValueDiffers, oracle.AllValuesDiffer},
		tolerated: []oracle.Class{oracle.GaveUp, oracle.AnswersDiffer, oracle.TooSlow, oracle.TooMuchMemory}},
	{target: "depqbf", pkg: "depqbf", traces: 3000, classes: []oracle.Class{oracle.Abort},
		tolerated: []oracle.Class{oracle.Segfault, oracle.ClaimsSolution, oracle.ClaimsNoSolution, oracle.ModelFalsifies,
			oracle.ValuesDisagree}},
	{target: "z3-qbf", pkg: "libz3-dev", traces: 300, conform: true},
	{target: "z3-qbf-qsat", pkg: "libz3-dev", traces: 300, conform: true},
	{target: "cvc5-qbf", pkg: "libcvc5-dev", traces: 300, classes: []oracle.Class{oracle.Leak}, conform: true,
		fails: []string{"frames/memory"}}, // see cvc5,
	{target: "maxsat-over-cadical", pkg: "libcadical-dev", traces: 1000},
	{target: "maxsat-over-picosat", pkg: "picosat", traces: 2000},
	{target: "maxsat-over-minisat", pkg: "minisat", traces: 2000, conform: true},
	{target: "maxsat-over-cryptominisat", pkg: "libcryptominisat5-dev", traces: 1000},
}

var suite = driver.Suite{Dir: "..",
	Limits: replay.Limits{CPU: 10 * time.Second, Wall: 60 * time.Second, Memory: 2 << 30, Output: 1 << 20}}

// fuzzing has a lower time limit: sortmax neither ends nor stops to grow if weights are large.
var fuzzing = driver.Suite{Dir: "..",
	Limits: replay.Limits{CPU: time.Second, Wall: 60 * time.Second, Memory: 2 << 30, Output: 1 << 20}}

func TestMain(m *testing.M) { driver.Main(m, "adapters") }

// TestFuzz: fuzzing finds the known faults of these versions, and none in healthy targets.
func TestFuzz(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes every library: tens of seconds")
	}
	for _, k := range solvers {
		t.Run(k.target, func(t *testing.T) {
			target := suite.Open(t, k.target, k.pkg)
			config := campaign.Config{Seed: testseed.Of(t, 1), Traces: k.traces}
			proper := false
			summary := fuzzing.Fuzz(t, target, gen.Config{Profile: "tiny", Without: k.without}, config,
				func(f *store.Finding, end func()) {
					if slices.Contains(k.classes, f.Class) {
						proper = true
						end() // every third trace fails, and reducing them all would take a day
					}
				})
			for _, f := range summary.Found {
				if !slices.Contains(k.classes, f.Class) && !slices.Contains(k.tolerated, f.Class) {
					t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
				}
			}
			if k.classes != nil && !proper {
				t.Errorf("%d traces, and none of the faults %v was found", summary.Traces, k.classes)
			}
		})
	}
}

// TestExamples: examples/adapters names these targets.
func TestExamples(t *testing.T) {
	const example = "../../../examples/adapters/agree-qbf.toml"
	file, err := targets.ReadFile("../targets.toml")
	if err != nil {
		t.Fatal(err)
	}
	var agree struct{ Target, Against []string }
	if _, err := toml.DecodeFile(example, &agree); err != nil {
		t.Fatal(err)
	}
	for _, spec := range append(agree.Target, agree.Against...) {
		if name, _, _ := strings.Cut(spec, ":"); !slices.Contains(file.Names(), name) {
			t.Errorf("%s: unknown target %s", example, name)
		}
	}
	if len(agree.Against) != 2 {
		t.Errorf("%s: %d rivals", example, len(agree.Against))
	}
}

// TestConform runs the conformance suite. Only the named cases may fail.
func TestConform(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole suite for every library: tens of seconds")
	}
	for _, k := range solvers {
		if k.conform {
			t.Run(k.target, func(t *testing.T) {
				suite.Conform(t, suite.Open(t, k.target, k.pkg), replay.Fork, k.fails)
			})
		}
	}
}

// TestFailedAllocation lets an allocation of a real library fail.
func TestFailedAllocation(t *testing.T) {
	made := testtrace.Parse(t, "ipafuzz 1 ipasir\noption ipafuzz.fail-allocation 5\nadd 1 2 0\nadd -1 3 0\nsolve\n")
	suite.Shows(t, suite.Open(t, "picosat", "picosat"), made, oracle.FailedAllocation)
}

// TestFaultsFound: docs/bugs-found.md says what its traces show.
func TestFaultsFound(t *testing.T) {
	suite.Page(t, "adapters", func(t *testing.T, name string) *replay.Target {
		return suite.Open(t, name, "a solver of the adapters")
	})
}
