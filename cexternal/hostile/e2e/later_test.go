package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestForks: a function that a library has asked for in every child neither crashes nor hangs a call, also in a process
// that is not the first one to load the library.
func TestForks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a library and ipafuzz: some seconds")
	}
	s := newSuite(t)
	trace := filepath.Join(t.TempDir(), "solve.trace")
	if err := os.WriteFile(trace, []byte("ipafuzz 2 ipasir\nadd 1 0\nsolve\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hangs-in-fork", "crashes-in-fork"} {
		cmd := exec.Command(s.program, "replay", trace, "--target", s.libraryOf(t, name), "--way", "fork", "--wall", "5s")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
		cmd = exec.Command(s.program, "minimize", trace, "--target", s.libraryOf(t, name), "--wall", "5s")
		if said, _ := cmd.CombinedOutput(); !strings.Contains(string(said), "nothing wrong was found in 3 runs") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// TestCrashBeside: if another thread crashes while traces run one after the other, each failure says where
// it crashed, and does not name the call that ran then.
func TestCrashBeside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a library and ipafuzz: some seconds")
	}
	s := newSuite(t)
	// On a busy machine, more crashes come between two traces or between two batches.
	for range runtime.NumCPU() + 1 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer busy.Wait()
		defer busy.Process.Kill()
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command(s.program, "fuzz", "--target", s.libraryOf(t, "crashes-beside"), "--profile", "tiny", "--traces",
		"1000", "--time", "60s", "--findings", "1", "--seed", "1", "--workers", "1", "--out", out, "--json")
	said, _ := cmd.Output()
	var summary struct {
		Findings, Unconfirmed []struct{ Key string }
	}
	if err := json.Unmarshal(said, &summary); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	all := append(summary.Findings, summary.Unconfirmed...)
	for _, f := range all {
		if !strings.Contains(f.Key, "crash_soon") {
			t.Errorf("%s does not say where it crashed", f.Key)
		}
	}
	if len(all) == 0 {
		t.Errorf("the crash was not seen:\n%s", said)
	}
}
