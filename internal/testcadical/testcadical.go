// Package testcadical makes targets of Debian's CaDiCaL for tests that need a real
// solver.
package testcadical

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const archive = "/usr/lib/x86_64-linux-gnu/libcadical.a"

// Build returns the solver as a shared library and as an official directory, whose
// archive is linked with the executor. It skips the test if the solver is not
// installed; with IPAFUZZ_NO_SKIP the test fails.
func Build(t *testing.T) (library, directory string) {
	t.Helper()
	if _, err := os.Stat(archive); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatalf("libcadical-dev is not installed: %v", err)
		}
		t.Skipf("libcadical-dev is not installed ('make setup' does it): %v", err)
	}
	t.Setenv("IPAFUZZ_CACHE", t.TempDir())
	dir := t.TempDir()
	library = filepath.Join(dir, "libcadical-ipasir.so")
	out, err := exec.Command("g++", "-shared", "-o", library, "-Wl,--whole-archive", archive,
		"-Wl,--no-whole-archive").CombinedOutput()
	if err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	directory = filepath.Join(dir, "sat", "cadical")
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(archive, filepath.Join(directory, "libipasircadical.a")); err != nil {
		t.Fatal(err)
	}
	return library, directory
}
