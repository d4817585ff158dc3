package store

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// behindLanes is the nice value of the archivist's thread.
const behindLanes = 10

// yieldToLanes makes the thread of the calling goroutine, which stays on it, give way to others. If the system refuses
// that, traces are only kept more slowly.
func yieldToLanes() {
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), behindLanes)
}
