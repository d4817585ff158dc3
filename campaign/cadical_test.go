package campaign

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
)

const cadicalArchive = "/usr/lib/x86_64-linux-gnu/libcadical.a"

// TestCaDiCaL fuzzes a real solver in two ways: as a shared library, and as an
// official directory whose archive is linked with the executor. Debian's
// CaDiCaL 1.5.3 answers val of a negative literal with the wrong sign (val -1 is
// -1 while val 1 is 1), which shows as values that contradict each other or, for
// want of another query, falsify a clause. Its statuses and cores are right.
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
	run(t, "g++", "-shared", "-o", shared, "-Wl,--whole-archive", cadicalArchive, "-Wl,--no-whole-archive")
	official := filepath.Join(dir, "sat", "cadical")
	if err := os.MkdirAll(official, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "cp", cadicalArchive, filepath.Join(official, "libipasircadical.a"))
	if err := os.WriteFile(filepath.Join(official, "LINK"), []byte("g++\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{shared, official} {
		t.Run(filepath.Base(target), func(t *testing.T) {
			config := testConfig(t, target, "ipasir")
			config.Traces = 20_000
			if testing.Short() {
				config.Traces = 1000
			}
			config.Cells[0].Generate.Without = []string{"max-variable", "gaps"} // its tables grow with the largest variable
			wrongSign := false
			for _, f := range runCampaign(t, context.Background(), config).Found {
				switch f.Class {
				case oracle.ValuesDisagree:
					wrongSign = true
				case oracle.ModelFalsifies:
				default:
					t.Errorf("%s: observed %s, expected %s, known by %s\n%s", f.Key, f.Observed, f.Expected, f.Known, f.Minimal)
				}
			}
			if !wrongSign {
				t.Error("the wrong sign of a negative literal's value was not found")
			}
		})
	}
}

func run(t *testing.T, command string, args ...string) {
	t.Helper()
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
