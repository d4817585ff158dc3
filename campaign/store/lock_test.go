package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestUnlock: a lock is free as soon as its owner has closed it, even if a child has it, too.
func TestUnlock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := lockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "60")
	child.ExtraFiles = []*os.File{lock}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	if err := unlock(lock); err != nil {
		t.Fatal(err)
	}
	again, err := lockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	unlock(again)
}

// TestLockAfterDeath: a lock that outlives its owner for a moment is waited for, that of a living process is not.
func TestLockAfterDeath(t *testing.T) {
	t.Parallel()
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		owner int
		locks bool
	}{{dead.Process.Pid, true}, {os.Getpid(), false}} {
		dir := t.TempDir()
		held, err := os.Create(filepath.Join(dir, ".lock"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(held, c.owner)
		if err := unix.Flock(int(held.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		release := time.AfterFunc(100*time.Millisecond, func() { held.Close() })
		lock, err := lockDir(dir)
		if (err == nil) != c.locks {
			t.Errorf("owner %d: %v, want a lock: %v", c.owner, err, c.locks)
		}
		if err == nil {
			lock.Close()
		}
		if release.Stop() {
			held.Close()
		}
	}
}
