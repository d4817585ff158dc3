package process

import (
	"syscall"

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
func (c *Child) Death() (trace.End, trace.Death) { return Death(c.State.Sys().(syscall.WaitStatus)) }
