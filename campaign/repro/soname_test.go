package repro

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// solver is an IPASIR library without a search.
const solver = `#include <stdint.h>
const char *ipasir_signature (void) { return "none"; }
void *ipasir_init (void) { return "solver"; }
void ipasir_release (void *s) {}
void ipasir_add (void *s, int32_t l) {}
void ipasir_assume (void *s, int32_t l) {}
int ipasir_solve (void *s) { return 10; }
int32_t ipasir_val (void *s, int32_t l) { return l; }
int ipasir_failed (void *s, int32_t l) { return 0; }
void ipasir_set_terminate (void *s, void *d, int (*f) (void *)) {}
void ipasir_set_learn (void *s, void *d, int n, void (*f) (void *, int32_t *)) {}
`

// TestProgramFindsLibrary builds and runs a program with the commands that it names, for a library whose
// SONAME names no file, and then for one whose SONAME is a link to it.
func TestProgramFindsLibrary(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "solver.so")
	build := exec.Command("cc", "-shared", "-fPIC", "-x", "c", "-", "-Wl,-soname,libsolver.so.1", "-o", library)
	build.Stdin = strings.NewReader(solver)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	target := &replay.Target{Name: "solver", Kind: replay.Library, Path: library, Model: apimodel.IPASIR}
	for _, isLinked := range []bool{false, true} {
		if isLinked {
			if err := os.Symlink("solver.so", filepath.Join(dir, "libsolver.so.1")); err != nil {
				t.Fatal(err)
			}
		}
		source := filepath.Join(dir, "fault.c")
		p, err := ProgramOf(testtrace.Parse(t, "ipafuzz 1 ipasir\nadd 1 0\nsolve\n"), export.LanguageNamed("c"), source,
			target, nil, oracle.Key{}, replay.DefaultLimits, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(source, p.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		command, how, hasHow := strings.Cut(p.Build, " # run it with: ")
		if hasHow == isLinked {
			t.Errorf("with a link: %v; the program says %q", isLinked, p.Build)
		}
		run := exec.Command("sh", "-c", command+" && "+how+" ./fault")
		run.Dir = dir
		if said, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.Build, err, said)
		}
	}
}

// TestBuiltInLibrary checks that the library is found where 'make build' puts it.
func TestBuiltInLibrary(t *testing.T) {
	t.Parallel()
	library := filepath.Join(t.TempDir(), "libipafuzzref.so")
	ipafuzz := filepath.Join(filepath.Dir(library), "ipafuzz")
	if got := builtInLibrary(ipafuzz); got != "" {
		t.Errorf("found %s, which is not there", got)
	}
	if err := os.WriteFile(library, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := builtInLibrary(ipafuzz); got != library {
		t.Errorf("found %q, want %s", got, library)
	}
}
