package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const longestNumber = 20 // of a process, in digits

// lockShared fails when a run is writing to the directory. It returns nil where
// nothing was ever locked.
func lockShared(dir string) (*os.File, error) {
	file, err := os.Open(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, nil // who reads the directory says why
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		defer file.Close()
		return nil, writingThere(file)
	}
	return file, nil
}

// lockDir keeps two runs from writing into one directory. The kernel releases
// the lock when the process ends, however it ends. Where a file system has no
// locks, the runs are not kept apart.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		defer file.Close()
		return nil, writingThere(file)
	}
	if err == nil {
		file.Truncate(0)
		fmt.Fprintln(file, os.Getpid()) // for the message above; without it the message is shorter
	}
	return file, nil
}

func writingThere(lock *os.File) error {
	owner, _ := io.ReadAll(io.LimitReader(lock, longestNumber))
	if number := strings.TrimSpace(string(owner)); number != "" {
		return fmt.Errorf("another run (process %s) is writing there", number)
	}
	return errors.New("another run is writing there")
}
