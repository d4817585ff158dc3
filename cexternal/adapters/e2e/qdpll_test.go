package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestQdpllPrograms: programs that call DepQBF by qdpll.h, without ipafuzz and the adapter,
// show the faults of docs/bugs-found.md.
func TestQdpllPrograms(t *testing.T) {
	target := suite.Open(t, "depqbf", "depqbf")
	for _, c := range []struct {
		file  string
		class oracle.Class
		exit  int // -1: a signal; 0: no fault
	}{
		{"depqbf-assumption", oracle.ClaimsSolution, 0}, // a fault that needs other options
		{"depqbf-universal-assumption", oracle.ClaimsNoSolution, 1},
		{"depqbf-relevant", oracle.Abort, -1},
		{"depqbf-after-value", oracle.Abort, -1},
		{"depqbf-after-values", oracle.Segfault, -1},
		{"depqbf-wrong-after-value", oracle.ClaimsNoSolution, 1},
		{"depqbf-push-assumption", oracle.ClaimsSolution, 1},
		{"depqbf-101", oracle.Abort, -1},
	} {
		t.Run(c.file, func(t *testing.T) {
			exit, out := runQdpll(t, suite.Trace(t, c.file), oracle.Key{Class: c.class}, target.Name)
			if exit != c.exit {
				t.Errorf("exit code %d, want %d\n%s", exit, c.exit, out)
			}
		})
	}
	t.Run("groups and blocks", func(t *testing.T) {
		tr, err := trace.ParseString("ipafuzz 2 qbf\nexists 1 2 0\nforall 3 0\nexists 0\nextend 3 4 0\nclause 1 -3 4 0\n" +
			"open 5\nclause -1\nclause -1 0\nclose 5\nclause 1 2 0\nassume -2\nsolve want 20\nfailed -2\ndeactivate 5\n" +
			"solve want 10\nmodel\nactivate 5\ndelete 5\nsolve want 10\nrelease\ninit\nexists 1 0\nclause 1 0\npush\n" +
			"clause -1 0\nsolve want 20\npop\nsolve want 10\n@1 option incremental false\n@1 exists 1 0\n@1 push\n" +
			"@1 clause 1 0\n@1 clause -1 0\n@1 solve want 20\n@1 pop\n@1 solve want 10\n")
		if err != nil {
			t.Fatal(err)
		}
		if exit, out := runQdpll(t, tr, oracle.Key{}, target.Name); exit != 0 {
			t.Errorf("exit code %d\n%s", exit, out)
		}
	})
	t.Run("hang and leak", func(t *testing.T) {
		tr, err := trace.ParseString("ipafuzz 2 qbf\nexists 1 0\npush\nclause 1 0\nsolve want 10\npop\nsolve want 10\n")
		if err != nil {
			t.Fatal(err)
		}
		for class, wrong := range map[oracle.Class]string{oracle.TooSlow: endlessSolve, oracle.Leak: leakingPush} {
			if exit, out := runQdpll(t, tr, oracle.Key{Class: class}, target.Name); exit != 0 {
				t.Errorf("%s: exit code %d of a healthy library\n%s", class, exit, out)
			}
			if exit, out := runQdpllWith(t, wrong, tr, oracle.Key{Class: class}, target.Name); exit != 1 {
				t.Errorf("%s: exit code %d with the fault\n%s", class, exit, out)
			}
		}
	})
	_, err := suite.Export(t, target, suite.Trace(t, "depqbf-losing-value"), oracle.Key{Class: oracle.ModelFalsifies},
		"qdpll", "shows.c")
	if _, cannot := errors.AsType[*export.CannotSayError](err); !cannot {
		t.Errorf("a fault of values: %v", err)
	}
}

// DepQBF has no known faults of these kinds, so these functions replace its own.
const (
	endlessSolve = "int qdpll_sat (void *solver) { for (volatile int i = 0;; i++) (void) solver; }\n"
	leakingPush  = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdlib.h>\nstatic void *volatile lost;\n" +
		"unsigned qdpll_push (void *solver) {\n  lost = malloc (4096);\n" +
		"  return ((unsigned (*) (void *)) dlsym (RTLD_NEXT, \"qdpll_push\")) (solver);\n}\n"
)

// runQdpll exports a trace, builds the program and returns its exit code.
func runQdpll(t *testing.T, tr *trace.Trace, key oracle.Key, target string) (int, []byte) {
	t.Helper()
	return runQdpllWith(t, "", tr, key, target)
}

// runQdpllWith is runQdpll with functions that replace those of the library.
func runQdpllWith(t *testing.T, functions string, tr *trace.Trace, key oracle.Key, target string) (int, []byte) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "shows.c")
	program, err := suite.Export(t, suite.Open(t, target, "depqbf"), tr, key, "qdpll", source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, program, 0o644); err != nil {
		t.Fatal(err)
	}
	build := driver.Command(t, "cc", "-Wall", "-Wextra", "-Werror", "-DLIMIT_SECONDS=1", "-o", source+".out", source,
		"-lqdpll")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, program)
	}
	run := driver.Command(t, source+".out")
	if functions != "" {
		shim := filepath.Join(filepath.Dir(source), "shim.c")
		if err := os.WriteFile(shim, []byte(functions), 0o644); err != nil {
			t.Fatal(err)
		}
		build = driver.Command(t, "cc", "-shared", "-fPIC", "-o", shim+".so", shim, "-ldl")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		run.Env = append(os.Environ(), "LD_PRELOAD="+shim+".so")
	}
	out, err := run.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out
}
