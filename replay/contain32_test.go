package replay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestContained32 checks what a 32-bit program may not do. Its system calls have other numbers, and some are made in
// other ways.
func TestContained32(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		return
	}
	contain(t)
	program := filepath.Join(t.TempDir(), "calls32")
	cc(t, "-m32", "-static", "-nostdlib", "-fno-pie", "-no-pie", "-fno-stack-protector", "-O1", "-o", program,
		"testdata/calls32.c")
	if err := exec.Command(program, "20", "-38").Run(); err == nil || err.(*exec.ExitError).ExitCode() != 1 {
		skip(t, fmt.Sprintf("the kernel runs no 32-bit programs: %v", err))
	}
	neighbour := exec.Command("sleep", "100")
	if err := neighbour.Start(); err != nil {
		t.Fatal(err)
	}
	defer neighbour.Wait()
	defer neighbour.Process.Kill()
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	pid := neighbour.Process.Pid
	refused, denied, unknown := -int(syscall.EACCES), -int(syscall.EPERM), -int(syscall.ENOSYS)
	one := parse(t, oneSolve)
	for _, c := range []struct{ call, says string }{
		{"37 0 0 0", ""},           // kill, which only asks
		{"5 @new 577 384 -13", ""}, // open, to write: not here
		{fmt.Sprintf("5 @%s 0 0 3", mine), ""},

		{fmt.Sprintf("359 2 1 0 %d", refused), ""},            // socket
		{fmt.Sprintf("102 1 #2,1,0 %d", refused), ""},         // the same, by socketcall
		{fmt.Sprintf("26 16 %d 0 0 %d", pid, denied), ""},     // ptrace
		{fmt.Sprintf("348 %d 0 0 0 0 %d", pid, denied), ""},   // process_vm_writev
		{fmt.Sprintf("117 23 1 4096 896 %d", unknown), ""},    // shmget, by ipc
		{fmt.Sprintf("395 1 4096 896 %d", unknown), ""},       // shmget
		{fmt.Sprintf("425 1 0 %d", unknown), ""},              // io_uring_setup
		{fmt.Sprintf("286 @user @x @x 1 -4 %d", unknown), ""}, // add_key
		{fmt.Sprintf("21 @x @/ @x 0 0 %d", denied), ""},       // mount
		{fmt.Sprintf("404 0 #1,0,0,0 %d", denied), ""},        // clock_settime64
	} {
		// The shell is the parent of the program, and the warden that of the shell.
		script := fmt.Sprintf("'%s' %s || exit 9; ", program, strings.ReplaceAll(c.call, "#", `\#`))
		got := run(t, openRunner(t, shell(t, script+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
		if c.says == "" && got.End != trace.Finished ||
			c.says != "" && (got.End != trace.Trespassed || !strings.HasPrefix(got.Death.Output, c.says)) {
			t.Errorf("%s: %v in call %d: %q, %+v; want %q", c.call, got.End, got.Call, got.Death.Output, got.Death, c.says)
		}
	}
}
