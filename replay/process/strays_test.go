package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReapStrays checks that what a target leaves behind ends, whatever its name, and that a process of our own group
// does not. It runs in a process of its own, because strays are all children that this package has not started.
func TestReapStrays(t *testing.T) {
	const inside = "IPAFUZZ_TEST_STRAYS"
	if os.Getenv(inside) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestReapStrays$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	if err := AdoptStrays(); err != nil {
		t.Fatal(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	content, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	hidden := filepath.Join(t.TempDir(), "x) S 1 (") // go-ps misreads this name
	if err := os.WriteFile(hidden, content, 0o755); err != nil {
		t.Fatal(err)
	}
	own := exec.Command(sleep, "60")
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	defer own.Process.Kill()
	for _, program := range []string{sleep, hidden} {
		said, err := exec.Command("sh", "-c", `setsid "$0" 60 >/dev/null 2>&1 & echo $!`, program).Output()
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(said)))
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for stat, ok := Stat(pid); ok && (stat.PPID != os.Getpid() || name != filepath.Base(program)); stat, ok = Stat(pid) {
			time.Sleep(time.Millisecond) // the shell is still there, or setsid runs
			comm, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
			name = strings.TrimSpace(string(comm))
		}
		if syscall.Kill(pid, 0) != nil {
			t.Fatalf("%s did not start", program)
		}
		strays.lost.Store(true)
		ReapStrays()
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("%s is still there", program)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if syscall.Kill(own.Process.Pid, 0) != nil {
		t.Error("a process of our own group ended")
	}
}
