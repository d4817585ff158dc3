package campaign

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestDataRace checks that a library built with -fsanitize=thread reports what its instances share. The
// exported program reports it, too. The library without the defect reports nothing.
func TestDataRace(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a library: seconds")
	}
	library := buildRacing(t)
	const seen = "only when instances run at the same time: 4.3 thread sanitizer: data race "
	for _, defect := range []string{":defect=112", ":defect=113", ""} {
		config := testConfig(t, library+defect, "ipasir")
		config.Traces, config.Findings, config.Cells[0].Generate.Threads = 300, 1, true
		summary := runCampaign(t, context.Background(), config, unreduced)
		if len(summary.Found) == 0 != (defect == "") {
			t.Errorf("%q: %d findings in %d traces; unconfirmed %d", defect, len(summary.Found), summary.Traces,
				len(summary.Unconfirmed))
		}
		for _, f := range summary.Found {
			if f.Class != oracle.InstancesMix || !strings.HasPrefix(f.Detail, seen) {
				t.Errorf("%q: found %s, want class %s: %s...", defect, f.Key, oracle.InstancesMix, seen)
				continue
			}
			target := config.Cells[0].Target
			program := programOf(t, f.Minimal, f.Key, target)
			if said, err := exec.Command(program).CombinedOutput(); err == nil || !strings.Contains(string(said), "data race") {
				t.Errorf("%q: the exported program: %v\n%s", defect, err, said)
			}
		}
	}
}

// TestRaceBesideAnotherFailure checks that a race is found although every trace that has it fails otherwise, too.
func TestRaceBesideAnotherFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a library: seconds")
	}
	library := filepath.Join(t.TempDir(), "libracer.so")
	build := exec.Command("cc", "-shared", "-fPIC", "-O1", "-g", "-fsanitize=thread", "-o", library, "testdata/racer.c")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	config := testConfig(t, library, "ipasir")
	config.Traces = 20
	summary := runCampaign(t, context.Background(), config, unreduced)
	classes := make(map[oracle.Class]bool)
	for _, f := range summary.Found {
		classes[f.Class] = true
	}
	if len(classes) != 2 || !classes[oracle.GaveUp] || !classes[oracle.ErrorMessage] {
		t.Errorf("found %v, want %s and %s; unconfirmed: %+v", classes, oracle.GaveUp, oracle.ErrorMessage,
			summary.Unconfirmed)
	}
}

// buildRacing returns the built-in library, built with -fsanitize=thread.
func buildRacing(t *testing.T) string {
	t.Helper()
	sources, err := filepath.Glob("../cexternal/ref/*.c")
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(t.TempDir(), "libracing.so")
	build := exec.Command("cc", append([]string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-g",
		"-fsanitize=thread", "-DREF_SHARED", "-fvisibility=hidden", "-I../cexternal/exec", "-o", library}, sources...)...)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, said)
	}
	return library
}

// programOf writes a trace as a program in C and builds it as the program says.
func programOf(t *testing.T, minimal *trace.Trace, key oracle.Key, target *replay.Target) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "fault.c")
	p, err := repro.ProgramFor(t.Context(), minimal, export.LanguageNamed("c"), source, target, key, replay.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, p.Text, 0o644); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Build, "-fsanitize=thread") {
		t.Errorf("the program is built without the sanitizer: %s", p.Build)
	}
	build := exec.Command("sh", "-c", p.Build)
	build.Dir = filepath.Dir(source)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", p.Build, err, said)
	}
	return filepath.Join(build.Dir, "fault")
}
