package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestFromTheFirstTraceToTheReplay follows two faults as a user sees them: fuzzing finds them in ordinary
// traces, reduces and stores them, and a replay from the directory shows them in a fresh process.
func TestFromTheFirstTraceToTheReplay(t *testing.T) {
	wrong := []oracle.Class{oracle.NotOptimal, oracle.OneValueDiffers, oracle.AllValuesDiffer}
	for _, fault := range []struct {
		target string
		traces uint64 // the traces in which it must be found
		calls  int    // the most calls of the minimal trace
	}{
		{"z3-sortmax", 150, 8},
		{"z3", 300, 24}, // the default engine, maxres, without options
	} {
		t.Run(fault.target, func(t *testing.T) {
			if testing.Short() {
				t.Skip("reduces a finding of Z3: tens of seconds")
			}
			target := suite.Open(t, fault.target, "libz3-dev")
			generate := gen.Config{Profile: "tiny", Without: []string{"options", "big-weights"}}
			dir := filepath.Join(t.TempDir(), "out")
			config := campaign.Config{Seed: testseed.Of(t, 1), Traces: fault.traces, Findings: 1, Out: dir}
			summary := fuzzing.Fuzz(t, target, generate, config, nil)
			if len(summary.Found) != 1 {
				t.Fatalf("%d traces, %d findings", summary.Traces, len(summary.Found))
			}
			f := summary.Found[0]
			t.Logf("%s after %d traces, %d calls reduced to %d", f.Key, f.After, len(f.Original.Calls), len(f.Minimal.Calls))
			if !slices.Contains(wrong, f.Class) || len(f.Minimal.Calls) > fault.calls {
				t.Errorf("want a wrong optimum in at most %d calls, found %s:\n%s", fault.calls, f.Key, f.Minimal)
			}
			fuzzing.Shows(t, target, driver.ReadTrace(t, filepath.Join(f.Dir, "minimal.trace")), f.Class)
			program := filepath.Join(f.Dir, "repro") // repro.c, which runs without ipafuzz
			build := driver.Command(t, "cc", "-o", program, program+".c", target.Path, "-Wl,-rpath,"+filepath.Dir(target.Path))
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := driver.Command(t, program).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("the program that was exported: %v, and the fault was to be seen\n%s", err, out)
			}
		})
	}
}

// TestExportedCalls: a C program shows a fault in the calls that only CaDiCaL has.
func TestExportedCalls(t *testing.T) {
	target, tr := suite.Open(t, "cadical-calls", "libcadical-dev"), suite.Trace(t, "cadical-constraint")
	key := oracle.Key{Target: "cadical-calls", Class: oracle.ClaimsNoSolution, Detail: "claims no solution"}
	for language, compiler := range map[string]string{"c": "cc", "c++": "c++"} {
		file := filepath.Join(t.TempDir(), "repro"+export.LanguageNamed(language).Suffix)
		program, err := suite.Export(t, target, tr, key, language, file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, program, 0o644); err != nil {
			t.Fatal(err)
		}
		build := driver.Command(t, compiler, "-Wall", "-Wextra", "-Werror", "-o", file+".out", file,
			target.Path, "-Wl,-rpath,"+filepath.Dir(target.Path))
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, program)
		}
		out, err := driver.Command(t, file+".out").CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%v, and the fault was to be seen\n%s\n%s", err, out, program)
		}
	}
}
