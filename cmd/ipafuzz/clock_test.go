package main

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

// buildJumping builds ipafuzz as users do, and returns the environment in which its wall clock jumps. Its
// workers are in C and do not use the wall clock (see campaign/pace).
func buildJumping(t *testing.T) (program string, environment []string) {
	t.Helper()
	dir := t.TempDir()
	program, library := filepath.Join(dir, "ipafuzz"), filepath.Join(dir, "jumps.so")
	for _, build := range []*exec.Cmd{exec.Command("go", "build", "-o", program, "."),
		exec.Command("cc", "-shared", "-fPIC", "-O1", "-pthread", "-o", library, "testdata/clock/jumps.c")} {
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build.Args, err, said)
		}
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "runtime.vdsoClockgettimeSym" })
	if at < 0 || file.Type != elf.ET_EXEC {
		t.Skipf("Go reads clocks in another way here (%v)", file.Type)
	}
	return program, append(os.Environ(), "LD_PRELOAD="+library, fmt.Sprintf("IPAFUZZ_CLOCK_BELOW=%d", os.Getpid()),
		fmt.Sprintf("IPAFUZZ_CLOCK=%#x", symbols[at].Value))
}

// TestClockJumps lets the wall clock jump by six hours, fifty times a second, and checks that only the
// dates of records show it. A campaign runs as long as it should, a healthy target is clean, a hang is
// found, and no output says that ipafuzz stood still.
func TestClockJumps(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: several seconds")
	}
	program, environment := buildJumping(t)
	for _, c := range []struct {
		target, ends string
		code         int
		class        string
	}{
		{"ref", "--time=2s", exit.Success, ""},
		{"ref:defect=lost-watch", "--traces=500", exit.Findings, ""},
		{hostileLibrary(t, "spins"), "--findings=1", exit.Findings, "3.1"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		cmd := exec.Command(program, "fuzz", "--target", c.target, "--model=ipasir", "--profile=tiny", "--seed=1",
			"--cpu=500ms", c.ends, "--json", "--out", out)
		cmd.Env = environment
		said := new(strings.Builder)
		cmd.Stderr = said
		begun := time.Now()
		text, err := cmd.Output()
		took := time.Since(begun)
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.target, code, c.code, text, said)
		}
		var summary struct {
			Stats struct {
				Elapsed time.Duration `json:"elapsed_ns"`
			}
			Findings []struct{ Class string }
		}
		if err := json.Unmarshal(text, &summary); err != nil {
			t.Fatalf("%s: %v\n%s", c.target, err, text)
		}
		elapsed, least := summary.Stats.Elapsed, 1800*time.Millisecond // a tenth may remain for failures
		if elapsed <= 0 || elapsed > took || c.code == exit.Success && elapsed < least {
			t.Errorf("%s: it says that it took %v; it took %v", c.target, elapsed, took)
		}
		if c.class != "" && (len(summary.Findings) == 0 || summary.Findings[0].Class != c.class) {
			t.Errorf("%s: found %v, want class %s", c.target, summary.Findings, c.class)
		}
		if strings.Contains(said.String(), "stopped for") {
			t.Errorf("%s: %s", c.target, said)
		}
		if !strings.Contains(c.ends, "time") {
			continue
		}
		lines, err := os.ReadFile(filepath.Join(out, "stats.jsonl"))
		var last struct{ Time time.Time }
		if err == nil {
			all := strings.Split(strings.TrimSpace(string(lines)), "\n")
			err = json.Unmarshal([]byte(all[len(all)-1]), &last)
		}
		if err != nil || time.Since(last.Time).Abs() < time.Hour {
			t.Errorf("the clock did not jump: the last record is of %v; %v", last.Time, err)
		}
	}
}
