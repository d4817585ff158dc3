package process

import (
	"syscall"
	"time"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Death tells how a process ended, as far as its wait status does.
func Death(status syscall.WaitStatus) (trace.End, trace.Death) {
	if status.Signaled() {
		return trace.Killed, trace.Death{Signal: int(status.Signal())}
	}
	return trace.Exited, trace.Death{ExitCode: status.ExitStatus()}
}

// Death tells how the child ended, which must have exited.
func (c *Child) Death() (trace.End, trace.Death) { return Death(c.Status()) }

// CPU returns the time that the child, which must have exited, and everything below it used.
func (c *Child) CPU() time.Duration { return c.cpu }

// Status returns the wait status of the child, which must have exited. If something has
// killed its warden, the child was killed, too.
func (c *Child) Status() syscall.WaitStatus {
	if c.ended {
		return c.status
	}
	return c.State.Sys().(syscall.WaitStatus)
}
