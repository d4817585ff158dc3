package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// noForks builds a library that, when it is preloaded, makes every fork fail with EAGAIN.
func noForks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "noforks.c"), filepath.Join(dir, "noforks.so")
	const text = "#include <errno.h>\n#include <unistd.h>\npid_t fork (void) { errno = EAGAIN; return -1; }\n"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("cc", "-shared", "-fPIC", "-o", path, source).CombinedOutput(); err != nil {
		t.Skipf("cc: %v\n%s", err, said)
	}
	return path
}

// TestForksFailForAWhile: a process starts although the forks of this process and of the warden
// fail a few times. If they always fail, the error says why.
func TestForksFailForAWhile(t *testing.T) {
	preload := "LD_PRELOAD=" + noForks(t)
	var tries int
	attempt := func(failing int) error {
		tries = 0
		cmd := exec.Command("true")
		before := slices.Clone(cmd.Args)
		w, err := startBelow(cmd, warden.Ward{}, func(cmd *exec.Cmd) error {
			tries++
			switch {
			case tries > failing:
			case tries%2 == 1:
				return &os.PathError{Op: "fork/exec", Path: cmd.Path, Err: syscall.EAGAIN}
			default:
				cmd.Env = append(cmd.Env, preload)
			}
			return start(cmd)
		})
		if err != nil {
			return err
		}
		defer w.socket.Close()
		defer forgetPID(cmd.Process.Pid)
		if want := append([]string{wardenName, "/usr/bin/true"}, before...); len(cmd.Args) != len(want) {
			t.Errorf("the warden has arguments %q, want those of %q", cmd.Args, want)
		}
		return cmd.Wait()
	}
	if err := attempt(4); err != nil || tries != 5 {
		t.Errorf("four forks fail: %v after %d tries", err, tries)
	}
	if err := attempt(100); !errors.Is(err, syscall.EAGAIN) || tries > 10 {
		t.Errorf("all forks fail: %v after %d tries", err, tries)
	}
}

// TestWardenIsDisturbedAtStart: a target may stop or kill its warden before that has said that it started the
// target. A stopped warden goes on, and a killed one is replaced.
func TestWardenIsDisturbedAtStart(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, disturb := range []string{"STOP", "KILL"} {
		cmd, tries := exec.Command("true"), 0
		w, err := startBelow(cmd, warden.Ward{}, func(cmd *exec.Cmd) error {
			if tries++; tries == 1 {
				script := []string{"sh", "-c", "kill -" + disturb + ` $$; exec "$@"`, "sh", program}
				cmd.Path, cmd.Args = "/bin/sh", append(script, cmd.Args[1:]...)
			}
			return start(cmd)
		})
		if err != nil {
			t.Errorf("%s: %v after %d tries", disturb, err, tries)
			continue
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: the target: %v", disturb, err)
		}
		w.socket.Close()
		forgetPID(cmd.Process.Pid)
	}
}
