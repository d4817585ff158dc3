package conform

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const cadicalArchive = "/usr/lib/x86_64-linux-gnu/libcadical.a"

// TestCaDiCaL runs the suite on a real solver, as a shared library and as an
// official directory.
func TestCaDiCaL(t *testing.T) {
	if _, err := os.Stat(cadicalArchive); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatalf("libcadical-dev is not installed: %v", err)
		}
		t.Skipf("libcadical-dev is not installed ('make setup' does it): %v", err)
	}
	t.Setenv("IPAFUZZ_CACHE", t.TempDir())
	dir := t.TempDir()
	shared := filepath.Join(dir, "libcadical-ipasir.so")
	command(t, "g++", "-shared", "-o", shared, "-Wl,--whole-archive", cadicalArchive, "-Wl,--no-whole-archive")
	official := filepath.Join(dir, "sat", "cadical")
	if err := os.MkdirAll(official, 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, "cp", cadicalArchive, filepath.Join(official, "libipasircadical.a"))
	if err := os.WriteFile(filepath.Join(official, "LINK"), []byte("g++\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{shared, official} {
		t.Run(filepath.Base(spec), func(t *testing.T) {
			report := runSuite(t, resolve(t, spec, "ipasir"), limits)
			for i := range report.Results {
				r := &report.Results[i]
				if known := slices.Contains(knownOfCaDiCaL, r.Case.Short()); (r.Outcome == Fail) != known {
					t.Errorf("%s: %s: %s\n%s\n%s", r.Case.Name, r.Outcome, r.Reason, r.Stderr, r.Log)
				}
			}
			t.Log(report.Summary())
		})
	}
}

// knownOfCaDiCaL are the cases that Debian's CaDiCaL 1.5.3 fails, for two reasons:
// val of a negative literal has the wrong sign (val -1 is -1 while val 1 is 1),
// and val of a variable above all that were named is -1, whatever the literal.
// For the largest variables it asks for more memory than there is, and says so
// by an exception; these cases are unsupported.
var knownOfCaDiCaL = []string{
	"add/unit", "literals/signs", "val/again-and-again", "val/both-signs", "val/fits-the-clauses", "val/forced",
	"val/free-variables", "val/in-no-clause", "val/negative-first", "val/of-assumptions", "instances/values",
	"published/negative-literals-are-zero",
	"val/never-named-does-no-harm",
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
