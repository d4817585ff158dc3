package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A run of ipafuzz keeps the files of its targets in one directory, and holds a lock on a file
// there. The kernel releases the lock when the run ends, however it ends. So the next run can
// tell which directories are no longer in use.
const (
	runPrefix = "ipafuzz-run-"
	lockName  = "lock"
	lockText  = "the lock of a run of ipafuzz\n"
)

var temporary struct {
	sync.Mutex
	dir  string // of this run; "" while it needs none
	lock *os.File
	used int // number of directories in dir
}

// TempDir creates an empty directory in the directory of this run. The caller removes it with
// RemoveTempDir.
func TempDir() (dir string, err error) {
	t := &temporary
	t.Lock()
	defer t.Unlock()
	if t.dir == "" {
		err = beginRun()
	}
	if err == nil {
		if dir, err = os.MkdirTemp(t.dir, ""); err == nil {
			t.used++
			return dir, nil
		}
		endRun()
	}
	return "", fmt.Errorf("cannot make a directory for files of a target: %w (TMPDIR names another place)", err)
}

// RemoveTempDir removes a directory that TempDir has made.
func RemoveTempDir(dir string) {
	removeAll(dir)
	t := &temporary
	t.Lock()
	defer t.Unlock()
	t.used--
	endRun()
}

// beginRun makes the directory of this run. Another run may sweep it away before it is locked.
func beginRun() (err error) {
	t := &temporary
	for range 100 {
		if t.dir, err = os.MkdirTemp("", runPrefix); err != nil {
			return err
		}
		if t.lock, err = lock(filepath.Join(t.dir, lockName)); err == nil {
			return nil
		}
		os.RemoveAll(t.dir)
		t.dir = ""
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// endRun removes the directory of this run if TempDir has no directory left in it.
func endRun() {
	t := &temporary
	if t.used > 0 || t.dir == "" {
		return
	}
	removeAll(t.dir)
	t.lock.Close()
	t.dir, t.lock = "", nil
}

// lock creates a locked file. It writes lockText only once the file is locked: sweepRun keeps what is in a directory
// whose lock file has no text yet. If sweepRun has removed the file meanwhile, the error is fs.ErrNotExist.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(file.Fd()), unix.LOCK_EX); err == nil {
		_, err = file.WriteString(lockText)
	}
	if err == nil {
		_, err = os.Lstat(path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// SweepTempDirs removes the directories of runs that ended without removing them. The program
// calls it when it starts.
func SweepTempDirs() { sweep(os.TempDir()) }

// sweep removes the directories in place of runs that have ended.
func sweep(place string) {
	entries, err := os.ReadDir(place)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), runPrefix) {
			sweepRun(filepath.Join(place, entry.Name()))
		}
	}
}

// sweepRun removes the directory of a run that has ended. A run that was killed while it made or removed its directory
// has left an empty one, or one with an empty lock file.
func sweepRun(dir string) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		os.Remove(dir) // fails unless it is empty
	}
	if err != nil {
		return // not the directory of a run, or that of another user
	}
	defer file.Close()
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	text := make([]byte, len(lockText)+1)
	switch n, _ := file.ReadAt(text, 0); string(text[:n]) {
	case lockText:
		removeRun(dir)
	case "":
		if entries, err := os.ReadDir(dir); err == nil && len(entries) == 1 {
			removeRun(dir)
		}
	}
}

// removeRun removes the lock file last, so that the next run goes on if this one is killed.
func removeRun(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Name() != lockName {
			removeAll(filepath.Join(dir, entry.Name()))
		}
	}
	removeAll(dir)
}

// Empty removes what a target has left in a directory that TempDir has made, which the target may have closed.
func Empty(dir string) error {
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		removeAll(filepath.Join(dir, entry.Name()))
	}
	if len(entries) == 0 || err != nil {
		return err
	}
	if entries, err = os.ReadDir(dir); len(entries) > 0 {
		return fmt.Errorf("%s stays in %s", entries[0].Name(), dir)
	}
	return err
}

// removeAll removes a directory, even if a target has made parts of it unreadable.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && errors.Is(err, fs.ErrPermission) {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}
