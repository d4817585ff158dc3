package e2e

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTerminal: a library cannot write to the terminal of ipafuzz by its name.
func TestTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a library and ipafuzz: some seconds")
	}
	s := newSuite(t)
	trace := filepath.Join(t.TempDir(), "solve.trace")
	if err := os.WriteFile(trace, []byte("ipafuzz 2 ipasir\nadd 1 0\nsolve\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	screen, typed := openTerminal(t)
	for _, way := range []string{"persistent", "fork"} {
		cmd := exec.Command(s.program, "replay", trace, "--target", s.libraryOf(t, "writes-to-terminal"), "--way", way)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = typed, typed, typed
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
	}
	typed.Close()
	shown, _ := io.ReadAll(screen) // ends with EIO
	if !bytes.Contains(shown, []byte("nothing wrong was found")) || bytes.Contains(shown, []byte("pwned")) {
		t.Errorf("the terminal shows %q", shown)
	}
}

// openTerminal makes a terminal. What is written to its second end can be read from the first.
func openTerminal(t *testing.T) (screen, typed *os.File) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		typed, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return screen, typed
}
