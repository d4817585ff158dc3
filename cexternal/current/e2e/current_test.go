// Package e2e runs ipafuzz on current releases; it has tests and no other code. A test skips what 'make
// current' has not built.
package e2e

import (
	"errors"
	"fmt"
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
	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

const built = "../../../build/current"

var suite = driver.Suite{Dir: "..",
	Limits: replay.Limits{CPU: 5 * time.Second, Wall: time.Minute, Memory: 3 << 30, Output: 1 << 20}}

// open returns the target, or skips the test. In CI, what 'make test' builds must be there.
func open(t *testing.T, name string) *replay.Target {
	t.Helper()
	file, err := targets.ReadFile("../targets.toml")
	if err != nil {
		t.Fatal(err)
	}
	all, err := bugs.ReadVersions("../../..")
	if err != nil {
		t.Fatal(err)
	}
	target, err := targets.Resolve(name, "", file)
	if err == nil {
		_, err = replay.Greet(target, suite.Limits)
	}
	if err == nil && target.Kind == replay.File {
		err = starts(t, target)
	}
	if err != nil {
		skip := t.Skip
		if slices.Contains(all.Built, name) {
			skip = func(args ...any) { driver.Skip(t, fmt.Sprint(args...)) }
		}
		skip("it is not in build/current ('make current' makes it): ", err)
	}
	return target
}

// starts runs a program on one formula. Its wrapper may be there, and what it imports not.
func starts(t *testing.T, target *replay.Target) error {
	runner, err := replay.Open(target, replay.Fork, suite.Limits)
	if err != nil {
		return err
	}
	defer runner.Close()
	var run trace.Run
	err = runner.Run(t.Context(), testtrace.Parse(t, "ipafuzz 2 "+target.Model.Name+"\nsolve\n"), &run)
	if mistake := new(replay.MistakeError); errors.As(err, &mistake) {
		return err
	}
	return nil // tests say what else is wrong
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
	// One of the two builds is enough, slow targets are left out, and some targets only show faults of old versions.
	left := []string{"cadical-2.2.1-checked", "kissat-4.0.4", "z3-5.4-sortmax",
		"cadical-3.0.1-ipasir", "cadical-2.2.1-ipasir", "z3-5.4-lower", "z3-wcnf-current", "depqbf-6.03-blocked"}
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
		if _, err := os.Stat(filepath.Join("../../..", stale)); err != nil {
			continue // 'make test' builds a part
		}
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

// TestFaultsFound: docs/bugs-found.md says what its traces show.
func TestFaultsFound(t *testing.T) { suite.Page(t, "current", open) }

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
