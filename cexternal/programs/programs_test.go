// Package programs runs ipafuzz on the solver programs of targets.toml; it has
// tests and no other code.
package programs

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// suite has high limits, because the machine may be busy. None of the formulas is hard.
var suite = driver.Suite{Dir: ".",
	Limits: replay.Limits{CPU: time.Minute, Wall: 5 * time.Minute, Memory: 4 << 30, Output: 16 << 20}}

// instances is the number of formulas for each program; 'make programs' sets it to many.
var instances = flag.Int("instances", 0, "formulas for each program (0: a few)")

// wrongOptima are the classes in which one fault of docs/bugs-found.md shows.
var wrongOptima = []oracle.Class{oracle.NotOptimal, oracle.OneValueDiffers, oracle.AllValuesDiffer}

// partialCertificates are the classes of the faults that depqbf has with --qdo.
var partialCertificates = []oracle.Class{oracle.Segfault, oracle.ValuesDisagree}

// programs are the targets of targets.toml, with Debian's packages.
var programs = []struct {
	target, pkg string
	slow        bool           // to start
	faults      []oracle.Class // known faults of the solver, not of its reader
}{
	{"cadical", "cadical", false, nil},
	{"picosat", "picosat", false, nil},
	{"cadical-drat", "cadical", false, nil},
	{"cryptominisat5", "cryptominisat", false, nil},
	{"cryptominisat5-frat", "cryptominisat", false, nil},
	{"minisat", "minisat", false, nil},
	{"clasp-sat", "clasp", false, nil},
	{"sat4j-sat", "sat4j", true, nil},
	{"clasp", "clasp", false, nil},
	{"z3", "z3", false, wrongOptima},
	{"toulbar2", "toulbar2", false, nil},
	{"sat4j", "sat4j", true, nil},
	{"clasp-opb", "clasp", false, nil},
	{"sat4j-opb", "sat4j", true, nil},
	{"minisat+", "minisat+", false, nil},
	{"clasp-wbo", "clasp", false, nil},
	{"sat4j-wbo", "sat4j", true, nil},
	{"cbc", "coinor-cbc", false, nil},
	{"glpsol", "glpk-utils", false, nil},
	{"lp_solve", "lp-solve", false, nil},
	{"cbc-lp", "coinor-cbc", false, nil},
	{"depqbf", "depqbf", false, partialCertificates},
	{"depqbf-traditional", "depqbf", false, partialCertificates},
	{"depqbf-long-distance", "depqbf", false, partialCertificates},
	{"depqbf-qbce", "depqbf", false, partialCertificates},
	{"z3-quantified", "z3", false, nil},
	{"cvc5-quantified", "cvc5", false, nil},
}

// TestReadersAgree: every program reads the files of its format correctly. Exhaustive search shows that its
// answers to random formulas are right.
func TestReadersAgree(t *testing.T) {
	file, err := targets.ReadFile("targets.toml")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, p := range programs {
		seen[p.target] = true
		t.Run(p.target, func(t *testing.T) {
			target := suite.Open(t, p.target, "the package "+p.pkg)
			wanted := *instances
			if wanted == 0 {
				wanted = 30
				if testing.Short() {
					wanted = 8
				}
				if p.slow {
					wanted = 4
					if testing.Short() {
						wanted = 2
					}
				}
			}
			agree(t, target, wanted, p.faults)
		})
	}
	for _, name := range file.Names() {
		if !seen[name] {
			t.Errorf("no test runs %s", name)
		}
	}
}

func agree(t *testing.T, target *replay.Target, wanted int, known []oracle.Class) {
	seed := testseed.Of(t, 1)
	runner, err := replay.Open(target, replay.Fork, suite.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	description, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	generator, err := gen.New(gen.Config{Model: target.Model, Description: description, Profile: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	judge := oracle.New(oracle.Config{Policies: description.Policies})
	solves, answered := 0, 0
	for number := uint64(0); answered < wanted; number++ {
		tr, run := new(trace.Trace), new(trace.Run)
		generator.Generate(gen.Seed(seed, 0, number), tr)
		if err := runner.Run(context.Background(), tr, run); err != nil {
			t.Fatal(err)
		}
		for _, f := range judge.Judge(tr, run) {
			if slices.Contains(known, f.Class) {
				t.Logf("trace %d: %s, a known fault", number, f.Key(target.Name))
				continue
			}
			t.Errorf("trace %d: %s: %s, want %s\n%s", number, f.Key(target.Name), f.Observed, f.Expected, tr)
		}
		if t.Failed() {
			return
		}
		for i := range tr.Calls {
			if call := target.Model.Call(tr.Calls[i].Op); call.Name == "solve" {
				solves++
				if run.Answers.At(i).Kind == trace.Answered {
					answered++
				}
			}
		}
	}
	t.Logf("%d of %d formulas were within the limits, and all answers right", answered, solves)
	if answered < solves*3/4 {
		t.Errorf("only %d of %d formulas were within the limits of the target", answered, solves)
	}
}

// TestFaultsFound: docs/bugs-found.md says what its traces show.
func TestFaultsFound(t *testing.T) {
	suite.Page(t, "programs", func(t *testing.T, name string) *replay.Target {
		return suite.Open(t, name, "the package "+name)
	})
}
