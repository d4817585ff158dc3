package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestOwnSetter: the program sets options with the library's own function if the setter names one.
func TestOwnSetter(t *testing.T) {
	t.Parallel()
	tr, err := trace.ParseString("ipafuzz 2 ipasir\noption level 3\noption mode fast\noption check true\n" +
		"add 1 0\nsolve want 10\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		setter export.Setter
		want   []string
	}{
		{export.Setter{}, []string{`ipafuzz_set_option (s0, "level", "3");`, `ipafuzz_set_option (s0, "mode", "fast");`}},
		{export.Setter{Function: "own", Int: true}, []string{"void own (void *solver, const char *name, int value);",
			`own (s0, "seed", 5);`, `own (s0, "level", 3);`, `own (s0, "check", 1);`}},
		{export.Setter{Function: "own"}, []string{"void own (void *solver, const char *name, const char *value);",
			`own (s0, "level", "3");`, `own (s0, "mode", "fast");`}},
	} {
		var b strings.Builder
		o := export.Options{Setter: c.setter, Settings: []export.Setting{{Name: "seed", Value: "5"}}}
		if err := export.LanguageNamed("c").Write(&b, tr, o); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%+v: the program lacks %s:\n%s", c.setter, want, &b)
			}
		}
		if c.setter.Int && strings.Contains(b.String(), "fast\");") {
			t.Errorf("the program passes a text to a function that takes an int:\n%s", &b)
		}
	}
}

// buildReference builds the built-in library as a shared library. An environment variable chooses its defect.
func buildReference(t *testing.T) string {
	t.Helper()
	sources, err := filepath.Glob("../../cexternal/ref/*.c")
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(t.TempDir(), "libipafuzzref.so")
	command(t, "", "cc", append([]string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-DREF_SHARED",
		"-fvisibility=hidden", "-I../../cexternal/exec", "-o", library}, sources...)...)
	return library
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := program(t, name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
}

// findingOf fuzzes the built-in library with a defect and returns a finding, of the class that the table of defects
// names if the campaign soon has one.
func findingOf(t *testing.T, d ref.Defect, model string) *store.Finding {
	t.Helper()
	target, err := targets.Resolve(fmt.Sprintf("ref:defect=%d", d.Number), model, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var best *store.Finding
	kind := gen.Config{FailAllocations: d.Class == string(oracle.FailedAllocation)}
	c, err := campaign.New(campaign.Config{Cells: source.Cells([]*replay.Target{target}, kind), Seed: 1,
		Way: replay.Persistent, Workers: 1, Traces: 20_000, Findings: 5,
		Limits: replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 16 << 20},
		OnFinding: func(f *store.Finding) {
			if f.Class == oracle.FailedAllocation && len(f.Minimal.Calls) == 2 {
				return // the failure is in init, and the program plants the defect only after init
			}
			if best == nil || string(f.Class) == d.Class {
				best = f
			}
			if string(f.Class) == d.Class {
				stop()
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if best == nil {
		t.Fatalf("defect %d was not found", d.Number)
	}
	return best
}

// TestProgramsShowTheFault: the program exported from a minimal trace fails with the library that has the defect and
// succeeds with the healthy one. The test takes one defect of each class; with IPAFUZZ_DEFECTS=1, all on all models.
func TestProgramsShowTheFault(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a campaign for every class: tens of seconds")
	}
	t.Parallel()
	library := buildReference(t)
	dir := t.TempDir()
	seen := make(map[string]bool)
	for _, d := range ref.Defects() {
		for _, m := range apimodel.Models() {
			if d.Model != "both" && d.Model != m.Name || seen[d.Class] && os.Getenv("IPAFUZZ_DEFECTS") != "1" {
				continue
			}
			seen[d.Class] = true
			t.Run(d.Name+"-"+m.Name, func(t *testing.T) {
				found := findingOf(t, d, m.Name)
				showsFault(t, dir, library, d, found)
			})
		}
	}
}

// TestFailedAllocationInProgram: the same allocation fails in an exported program as in a worker. The C library's own
// do not count.
func TestFailedAllocationInProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	library := filepath.Join(dir, "liballocates.so")
	command(t, "", "cc", "-shared", "-fPIC", "-o", library, "../../replay/testdata/allocates.c")
	tr, err := trace.ParseString("ipafuzz 2 ipasir\ninit\noption ipafuzz.fail-allocation 1\nadd 9 0\n")
	if err != nil {
		t.Fatal(err)
	}
	for language, compiler := range map[string][]string{"c": {"cc", "-std=c11"}, "c++": {"c++", "-std=c++11"}} {
		l := export.LanguageNamed(language)
		var text bytes.Buffer
		failure := export.Failure{Class: "5.8", Detail: "then: 1.5 SIGSEGV"}
		if err := l.Write(&text, tr, export.Options{Failure: failure}); err != nil {
			t.Fatal(err)
		}
		source, executable := filepath.Join(dir, "program"+l.Suffix), filepath.Join(dir, language)
		if err := os.WriteFile(source, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, dir, compiler[0],
			append(compiler[1:], "-Wall", "-Wextra", "-Werror", "-o", executable, source, library)...)
		out, err := program(t, executable).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != -1 || strings.Contains(string(out), "nothing is wrong") {
			t.Errorf("%s: %v, want a crash\n%s", language, err, out)
		}
	}
}

func showsFault(t *testing.T, dir, library string, d ref.Defect, found *store.Finding) {
	t.Helper()
	ctx := context.Background()
	right, err := trial.RightAnswers(ctx, found.Minimal)
	if err != nil {
		t.Fatal(err)
	}
	target, _ := targets.Resolve("ref", found.Minimal.Model.Name, nil)
	description, err := trial.Describe(target, replay.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language string
		compiler []string
	}{
		{"c", []string{"cc", "-std=c11", "-Wall", "-Wextra", "-Werror"}},
		{"c++", []string{"c++", "-std=c++11", "-Wall", "-Wextra", "-Werror"}},
	} {
		l := export.LanguageNamed(c.language)
		var text bytes.Buffer
		if err := l.Write(&text, found.Minimal, export.Options{Name: "minimal.trace", Failure: failureOf(found.Key),
			Right: right, Policies: description.Policies,
			Limits: export.Limits{Seconds: 1, Bytes: 256 << 20}}); err != nil {
			t.Fatalf("%v\n%s\n%s", err, found.Key, found.Minimal)
		}
		source, executable := filepath.Join(dir, d.Name+l.Suffix), filepath.Join(dir, d.Name+l.Suffix+".program")
		if err := os.WriteFile(source, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, dir, c.compiler[0], append(c.compiler[1:], "-o", executable, source, library)...)
		for _, defect := range []string{"0", fmt.Sprint(d.Number)} {
			run := program(t, executable)
			run.Env = append(os.Environ(), "IPAFUZZ_REF_DEFECT="+defect)
			out, err := run.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if code := run.ProcessState.ExitCode(); (code != 0) != (defect != "0") || code == 125 {
				t.Errorf("%s, defect %s: exit code %d\n%s\n%s\n%s", found.Key, defect, code, out, found.Minimal,
					strings.TrimSpace(text.String()))
			}
		}
	}
}
