package process

import (
	"syscall"
	"time"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Death translates the wait status of a process that has ended.
func Death(status syscall.WaitStatus) (trace.End, trace.Death) {
	if status.Signaled() {
		return trace.Killed, trace.Death{Signal: int(status.Signal())}
	}
	return trace.Exited, trace.Death{ExitCode: status.ExitStatus()}
}

// Death tells how the child ended. The child must have ended.
func (c *Child) Death() (trace.End, trace.Death) { return Death(c.Status()) }

// ByItself reports whether the child ended by an exit, or by a signal that other processes hardly send, as
// opposed to one that ends a process on purpose. The child must have ended.
func (c *Child) ByItself() bool {
	if !c.ended {
		return false
	}
	switch c.status.Signal() {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU:
		return false
	}
	return true
}

// CPU returns the CPU time of the child and everything below it. The child must have ended.
func (c *Child) CPU() time.Duration { return c.cpu }

// Status returns the wait status of the child, which must have ended. If the warden was killed
// before it could report that status, Status returns the warden's: the child was killed, too.
func (c *Child) Status() syscall.WaitStatus {
	if c.ended {
		return c.status
	}
	return c.State.Sys().(syscall.WaitStatus)
}
