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

const maxProcessDigits = 20

// lockShared fails if a campaign is writing to the directory. It returns nil if there is no lock file.
func lockShared(dir string) (*os.File, error) {
	file, err := os.Open(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, nil // reading the directory reports why
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		defer file.Close()
		return nil, errBusy(file)
	}
	return file, nil
}

// lockDir keeps two campaigns from writing to one directory. The kernel releases the lock when the process
// ends, however it ends. If the file system has no locks, lockDir succeeds without one.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		defer file.Close()
		return nil, errBusy(file)
	}
	if err == nil {
		file.Truncate(0)
		fmt.Fprintln(file, os.Getpid()) // errBusy quotes the number, if it is there
	}
	return file, nil
}

// errBusy names the process that holds the lock, if the file says which.
func errBusy(lock *os.File) error {
	owner, _ := io.ReadAll(io.LimitReader(lock, maxProcessDigits))
	if number := strings.TrimSpace(string(owner)); number != "" {
		return fmt.Errorf("another run (process %s) is writing there", number)
	}
	return errors.New("another run is writing there")
}
