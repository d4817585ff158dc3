package native

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/replay/process"
)

// stackSignal makes the crash handler of a process record its stack.
const stackSignal = syscall.SIGTRAP

// recordStack has the crash handler of a process in a deadlock record where its main thread waits, and end the
// process. The target may have blocked the signal or replaced the handler; then there is no stack.
func (p *workerProcess) recordStack(pid int) {
	if pid != p.PID { // a worker that forks would report that its child died
		syscall.Kill(p.PID, syscall.SIGSTOP)
	}
	if unix.Tgkill(pid, pid, stackSignal) != nil {
		return
	}
	const patience = 500 * time.Millisecond
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if stat, ok := process.Stat(pid); !ok || stat.State == "Z" || stat.State == "X" {
			return
		}
	}
}
