package campaign

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// buildRare compiles testdata/rare.c around the built-in library.
func buildRare(t *testing.T, flags ...string) string {
	t.Helper()
	sources, err := filepath.Glob("../cexternal/ref/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatal("the sources of the built-in library are not there")
	}
	library := filepath.Join(t.TempDir(), "librare.so")
	arguments := append([]string{"-shared", "-fPIC", "-O1", "-std=c11", "-D_GNU_SOURCE", "-DREF_SHARED",
		"-I../cexternal/exec",
		"-Dipasir_init=inner_init", "-Dipasir_add=inner_add", "-Dipasir_solve=inner_solve", "-o", library}, sources...)
	wrapper := filepath.Join(t.TempDir(), "rare.o")
	if out, err := exec.Command("cc", append([]string{"-c", "-fPIC", "-o", wrapper, "testdata/rare.c"}, flags...)...).
		CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	if out, err := exec.Command("cc", append(arguments, wrapper)...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return library
}

// TestRareMessage checks that a rare message of a silent library is blamed on the trace
// that writes it alone.
func TestRareMessage(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a campaign: several seconds")
	}
	t.Parallel()
	config := testConfig(t, buildRare(t), "ipasir")
	config.Traces, config.Findings, config.Out = 10_000, 1, t.TempDir()
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 || len(summary.Unconfirmed) != 0 {
		t.Fatalf("%d findings, want 1; unconfirmed %+v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.ErrorMessage || f.Detail != "internal error: N at N" || f.History != 0 || !f.Rate.Always() {
		t.Errorf("%s, history %d, failed in %s", f.Key, f.History, f.Rate)
	}
	said, err := os.ReadFile(filepath.Join(f.Dir, "stderr.txt"))
	if err != nil || !strings.HasPrefix(string(said), "internal error: ") {
		t.Errorf("stderr.txt: %q, %v", said, err)
	}
}

// TestMessageWithHistory checks that a message that no trace writes alone is stored with
// the traces that it needs.
func TestMessageWithHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: tens of seconds")
	}
	t.Parallel()
	config := testConfig(t, buildRare(t, "-DAFTER=150"), "ipasir")
	config.Traces, config.Findings = 2000, 1
	config.Cells[0].Generate.Without = []string{"two-instances", "three-instances", "release-reinit", "terminate"}
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 || len(summary.Unconfirmed) != 0 {
		t.Fatalf("%d findings, want 1; unconfirmed %+v", len(summary.Found), summary.Unconfirmed)
	}
	if f := summary.Found[0]; f.Class != oracle.ErrorMessage || f.History < 130 || f.History > 200 {
		t.Errorf("%s, history %d", f.Key, f.History)
	}
}
