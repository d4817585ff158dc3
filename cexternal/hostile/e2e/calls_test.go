package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCalls: a filter ends each call, and the finding names it. Calls that no filter can check fail as on an
// older kernel, else the library aborts.
func TestCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: some seconds")
	}
	s := newSuite(t)
	if err := os.WriteFile(filepath.Join(s.home, "precious.txt"), []byte(precious), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "solve.trace")
	if err := os.WriteFile(trace, []byte("ipafuzz 2 ipasir\nadd 1 0\nsolve\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ call, says string }{
		{"lchown", "lchown of "},
		{"chown", "chown of "},
		{"fchownat", "fchownat of "},
		{"fchown", "fchown of "},
		{"fchmodat2", "fchmodat2 of "},
		{"utimes", "utimes of "},
		{"sched_setscheduler", "sched_setscheduler of a process outside"},
		{"sched_setparam", "sched_setparam of a process outside"},
		{"sched_setattr", "sched_setattr of a process outside"},
		{"ioprio_set", "ioprio_set of a process outside"},
		{"pidfd_getfd", "pidfd_getfd of a process outside"},
		{"clock_settime", "clock_settime"},
		{"setpriority-user", "setpriority of all processes of a user"},
		{"ioprio_set-user", "ioprio_set of all processes of a user"},
		{"fcntl", "fcntl of a process outside"},
		{"ioctl", "ioctl of typing at a terminal"},
		{"socket", "socket of the network"},
		{"io_uring_setup", ""},
		{"openat2", ""},
		{"int80", ""},
		{"x32", ""},
		{"add_key", ""},
	} {
		t.Run(c.call, func(t *testing.T) {
			if strings.HasSuffix(c.call, "-user") && os.Getuid() != 0 {
				t.Skip("needs root")
			}
			cmd := exec.Command(s.program, "replay", trace, "--target", s.libraryOf(t, "call-"+c.call))
			cmd.Env = append(os.Environ(), s.environment()...)
			said, err := cmd.CombinedOutput()
			code := 0
			if c.says != "" {
				code = 1
			}
			if got := cmd.ProcessState.ExitCode(); got != code {
				t.Fatalf("exit code %d, want %d (%v)\n%s", got, code, err, said)
			}
			if c.says != "" && (!bytes.Contains(said, []byte("5.9")) || !strings.Contains(string(said), c.says)) {
				t.Errorf("%s\nwant 5.9, %s", said, c.says)
			}
		})
	}
}
