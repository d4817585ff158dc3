// Package ulimit names the limit of this process that made a system call fail. The C library only says "file too
// large", also of shared memory, and on a disk with plenty of room.
package ulimit

import (
	"errors"
	"fmt"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// FileSize returns how many bytes a file of this process may have; math.MaxUint64 stands for any number.
func FileSize() uint64 { return of(unix.RLIMIT_FSIZE) }

func of(resource int) uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return math.MaxUint64
	}
	return limit.Cur
}

// Explain returns a sentence on the limit that the error is about, or "" if it is about none.
func Explain(err error) string {
	switch {
	case errors.Is(err, syscall.EFBIG) && FileSize() != math.MaxUint64:
		return fmt.Sprintf("Files, and shared memory, may have at most %d bytes here, in every directory. "+
			"Start ipafuzz without that limit (ulimit -f).", FileSize())
	case errors.Is(err, syscall.EMFILE):
		return fmt.Sprintf("At most %d files may be open here. A campaign needs 24, and 24 for each worker: "+
			"raise the limit (ulimit -n), or use fewer --workers.", of(unix.RLIMIT_NOFILE))
	}
	return ""
}
