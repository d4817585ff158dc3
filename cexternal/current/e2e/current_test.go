// Package e2e runs ipafuzz on current releases; it has tests and no other code. A test skips what 'make
// current' has not built.
package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
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
)

const built = "../../../build/current"

var suite = driver.Suite{Dir: "..",
	Limits: replay.Limits{CPU: 5 * time.Second, Wall: time.Minute, Memory: 3 << 30, Output: 1 << 20}}

// open returns the target, or skips the test.
func open(t *testing.T, name string) *replay.Target {
	t.Helper()
	file, err := targets.ReadFile("../targets.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(built); err != nil {
		t.Skip("build/current is not there ('make current' makes it)")
	}
	target, err := targets.Resolve(name, "", file)
	if err == nil {
		_, err = replay.Greet(target, suite.Limits)
	}
	if err != nil {
		t.Skipf("it is not in build/current: %v", err)
	}
	return target
}

// TestSmoke: every current release that was built runs a few traces, and no finding is a fault of ipafuzz.
func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every solver")
	}
	file, err := targets.ReadFile("../targets.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range file.Names() {
		if name == "z3-5.4-sortmax" {
			continue // its sorting networks grow with the weights: a trace can take all memory, and minutes to confirm
		}
		t.Run(name, func(t *testing.T) {
			target := open(t, name)
			generate := gen.Config{Profile: "tiny", Without: []string{"max-variable", "gaps", "options", "big-weights"}}
			config := campaign.Config{Seed: testseed.Of(t, 1), Traces: 20, Findings: 1,
				Out: filepath.Join(t.TempDir(), "out")}
			summary := suite.Fuzz(t, target, generate, config, func(_ *store.Finding, end func()) { end() })
			if summary.Traces == 0 {
				t.Error("no trace ran")
			}
		})
	}
}

// TestNights: the files of examples/current name targets that exist, each target is in one of them, and every
// pinned package has a version.
func TestNights(t *testing.T) {
	file, err := targets.ReadFile("../targets.toml")
	if err != nil {
		t.Fatal(err)
	}
	const examples = "../../../examples/current/"
	used := make(map[string]bool)
	for _, name := range []string{"night.toml", "night-maxsat.toml", "night-qbf.toml"} {
		var night struct {
			Target []string
			Model  string
		}
		if _, err := toml.DecodeFile(examples+name, &night); err != nil {
			t.Fatal(err)
		}
		for _, target := range night.Target {
			if !slices.Contains(file.Names(), target) {
				t.Errorf("%s: unknown target %s", name, target)
			}
			if own := file.Targets[target].Model; own != "" && night.Model != "" && own != night.Model {
				t.Errorf("%s: the targets file says %s for %s, and this file says %s", name, own, target, night.Model)
			}
			used[target] = true
		}
	}
	// One of the two builds is enough, and slow targets are left out.
	left := []string{"cadical-2.2.1-checked", "kissat-4.0.4", "z3-5.4-sortmax"}
	for _, target := range file.Names() {
		if used[target] == slices.Contains(left, target) {
			t.Errorf("target %s is in the examples: %t", target, used[target])
		}
	}
	pins, err := os.ReadFile("../python/requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(pins)) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, "==") {
			t.Errorf("requirements.txt: no version: %s", line)
		}
	}
}

// TestStale: 'make current' compiles again what an adapter, a pinned version or its own rules change.
func TestStale(t *testing.T) {
	if _, err := os.Stat(built + "/cadical-3.0.1.so"); err != nil {
		t.Skip("build/current is not there ('make current' makes it)")
	}
	for file, stale := range map[string]string{
		"cexternal/adapters/cadical.cc":       "build/current/cadical-3.0.1.so",
		"cexternal/adapters/cadical_more.hpp": "build/current/cadical-3.0.1-checked.so",
		"cexternal/current/current.mk":        "build/current/cadical-3.0.1/release/solver.o",
		"build/current/sources/Cargo.toml":    "build/current/kissat-4.0.4/release/main.o",
		"cexternal/current/picosat/main.c":    "build/current/picosat-proofs",
	} {
		make := exec.Command("make", "-n", "-f", "cexternal/current/current.mk", "-W", file, "all")
		make.Dir = "../../.."
		would, err := make.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, would)
		}
		if !slices.Contains(strings.Fields(string(would)), stale) {
			t.Errorf("after a change of %s, make would not build %s", file, stale)
		}
	}
}

// TestFaultsFound replays the traces of docs/bugs-found.md.
func TestFaultsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("replays the faults of all current releases: some seconds")
	}
	for _, fault := range []struct {
		trace   string
		targets []string
		class   oracle.Class
	}{
		{"cadical-copy-model", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.ModelFalsifies},
		{"cadical-copy-twice", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.Abort},
		{"cadical-copy-status", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.ClaimsSolution},
		{"cadical-copy-factor", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.Abort},
		{"cadical-copy-check", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.Abort},
		{"cadical-copy-core", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.Abort},
		{"cadical-copy-flip", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.Abort},
		{"cadical-copy-sweep", []string{"cadical-2.2.1-checked", "cadical-3.0.1-checked"}, oracle.Abort},
		{"cadical-flip", []string{"cadical-2.2.1", "cadical-3.0.1"}, oracle.Abort},
		{"cadical-check-terminate", []string{"cadical-3.0.1"}, oracle.Abort},
		{"cadical-elevate", []string{"cadical-3.0.1"}, oracle.Abort},
		{"varisat-core", []string{"varisat-current"}, oracle.WrongCore},
		{"cp-sat-core", []string{"cp-sat-current"}, oracle.WrongCore},
		{"clingo-vmtf", []string{"clingo-current"}, oracle.TooSlow},
		{"optilog-mergesat", []string{"optilog-mergesat-current"}, oracle.ClaimsNoSolution},
		{"optilog-glucose30", []string{"optilog-glucose30-current"}, oracle.ClaimsNoSolution},
		{"optilog-glucose41", []string{"optilog-glucose41-current"}, oracle.GaveUp},
		{"optilog-clone-crash", []string{"optilog-glucose41-current"}, oracle.Segfault},
		{"optilog-clone-unsat", []string{"optilog-glucose41-current"}, oracle.ClaimsSolution},
		{"optilog-lingeling", []string{"optilog-lingeling18-current"}, oracle.Abort},
		{"pumpkin-zero", []string{"pumpkin-max-current"}, oracle.Abort},
		{"caqe-certificate", []string{"caqe-current"}, oracle.WrongStatus},
		{"nenofex-universal", []string{"nenofex-current"}, oracle.ClaimsSolution},
		{"depqbf-tautology", []string{"depqbf-6.03-file"}, oracle.Segfault},
		{"depqbf-inner-value", []string{"depqbf-6.03-file"}, oracle.ValuesDisagree},
		{"depqbf-second-value", []string{"depqbf-6.03-checked"}, oracle.Abort},
		{"depqbf-popped-variable", []string{"depqbf-6.03-checked"}, oracle.Abort},
		{"depqbf-no-cdcl", []string{"depqbf-6.03-fresh"}, oracle.Segfault},
		{"cadical-phase", []string{"cadical-2.2.1-checked", "cadical-3.0.1-checked"}, oracle.Abort},
	} {
		for _, name := range fault.targets {
			t.Run(fault.trace+"/"+name, func(t *testing.T) {
				suite.Shows(t, open(t, name), suite.Trace(t, fault.trace), fault.class)
			})
		}
	}
}

// TestHealthyCalls: the adapter's own checks hold for traces without the options that show faults.
func TestHealthyCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	target := open(t, "cadical-3.0.1")
	for _, options := range [][]string{{"propagator=propagate", "listen=true"}, {"propagate=true", "factor=1"}} {
		fixed := *target
		for _, setting := range options {
			name, value, _ := strings.Cut(setting, "=")
			fixed.Settings = append(slices.Clone(fixed.Settings), replay.Setting{Name: name, Value: value})
		}
		generate := gen.Config{Profile: "tiny", Without: []string{"max-variable", "gaps", "options"}}
		config := campaign.Config{Seed: testseed.Of(t, 1), Traces: 2000, Out: filepath.Join(t.TempDir(), "out")}
		for _, f := range suite.Fuzz(t, &fixed, generate, config, nil).Found {
			t.Errorf("%v: %s: observed %s, expected %s\n%s", options, f.Key, f.Observed, f.Expected, f.Minimal)
		}
	}
}
