package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	for begun := time.Now(); errors.Is(err, unix.EWOULDBLOCK); {
		// A process that the owner was just starting when it was killed has the lock until it becomes its program.
		if !isGone(ownerOf(file)) || time.Since(begun) > mostAfterDeath {
			defer file.Close()
			return nil, errBusy(file)
		}
		time.Sleep(mostAfterDeath / 100)
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		file.Truncate(0)
		fmt.Fprintln(file, os.Getpid()) // errBusy quotes the number, if it is there
	}
	return file, nil
}

// unlock gives a lock back at once, even if a process that is just starting has it, too.
func unlock(lock *os.File) error {
	unix.Flock(int(lock.Fd()), unix.LOCK_UN)
	return lock.Close()
}

// mostAfterDeath is how long a lock may outlive its owner.
const mostAfterDeath = 2 * time.Second

// ownerOf returns the number of the process that took the lock, or "" if the file does not say.
func ownerOf(lock *os.File) string {
	text := make([]byte, maxProcessDigits)
	n, _ := lock.ReadAt(text, 0)
	return strings.TrimSpace(string(text[:n]))
}

// isGone reports whether the process with that number has ended.
func isGone(process string) bool {
	number, err := strconv.Atoi(process)
	return err == nil && errors.Is(unix.Kill(number, 0), unix.ESRCH)
}

// errBusy names the process that holds the lock, if the file says which.
func errBusy(lock *os.File) error {
	if number := ownerOf(lock); number != "" {
		return fmt.Errorf("another run (process %s) is writing there", number)
	}
	return errors.New("another run is writing there")
}
