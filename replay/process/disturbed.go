package process

import (
	"fmt"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// disturbance is what Disturbed returns.
var disturbance struct {
	sync.Mutex
	what string
}

// Disturbed describes the first disturbance by a target since the program began, or what may have been one; "": there
// was none. A target disturbs ipafuzz if it sends a signal to its warden, which only targets that are not contained can
// do, or if it does not load again.
func Disturbed() string {
	disturbance.Lock()
	defer disturbance.Unlock()
	return disturbance.what
}

// NoteDisturbance records what Disturbed then returns, unless it has something already.
func NoteDisturbance(what string) {
	disturbance.Lock()
	defer disturbance.Unlock()
	if disturbance.what == "" {
		disturbance.what = what
	}
}

// noteSignal records a signal that a process below a warden sent to the warden.
func noteSignal(word warden.Word) {
	NoteDisturbance(fmt.Sprintf("process %d of a target sent the %v signal to the process of ipafuzz that watches it",
		word.PID, syscall.Signal(word.Number)))
}

// awaitExit waits until a warden ends, without reaping it. If somebody stops the warden, awaitExit
// continues it: a stopped warden could neither end its target nor report that it has ended.
func (c *Child) awaitExit() {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, c.Cmd.Process.Pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		switch {
		case err == unix.EINTR:
		case err == nil && info.Code == stopped:
			if !c.Ward.Contain {
				noteStop()
			}
			syscall.Kill(c.Cmd.Process.Pid, syscall.SIGCONT)
		default:
			return
		}
	}
}

const stopped = 5 // CLD_STOPPED

func noteStop() {
	NoteDisturbance("a process of ipafuzz that watches a target was stopped, which an uncontained target may have done")
}

// continueIfStopped continues a child of this process if a signal has stopped it.
func continueIfStopped(pid int) (wasStopped bool) {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	if wasStopped = err == nil && info.Code == stopped; wasStopped {
		syscall.Kill(pid, syscall.SIGCONT)
	}
	return wasStopped
}
