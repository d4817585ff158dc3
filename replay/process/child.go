package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/caught"
)

const (
	// WatchInterval is how often a process is looked at from outside: the
	// precision of every limit. A look costs about 40 µs, 0.4 % of it.
	WatchInterval = 10 * time.Millisecond
	// LoadTime is how long a library may take to load, and a runner to describe
	// itself.
	LoadTime = 60 * time.Second
	// MaxStillborn is how often in a row a process may end before its first trace.
	// After that it counts as a failure of the surroundings.
	MaxStillborn = 3
)

// A Child is a process in a group of its own, with a file for the output that is
// meant for people.
type Child struct {
	Cmd    *exec.Cmd
	Fixed  Fixed // surroundings
	Output *os.File
	Exited chan struct{}    // closed when the process is gone
	State  *os.ProcessState // set before Exited is closed

	watched sync.WaitGroup
	ending  sync.Mutex // keeps signals away from a process group whose number was reused
	reaped  bool
	bug     atomic.Pointer[error] // of ipafuzz, for which the process was ended
}

// Guard runs do, which looks after the process, in a goroutine. When do panics,
// the process is ended, and Broken returns the panic: the target is not to blame.
func (c *Child) Guard(do func()) {
	c.watched.Go(func() {
		if err := caught.Do(func() error { do(); return nil }); err != nil {
			c.bug.Store(&err)
			c.Kill()
		}
	})
}

// Broken returns the bug of ipafuzz for which the process was ended.
func (c *Child) Broken() error {
	if bug := c.bug.Load(); bug != nil {
		return *bug
	}
	return nil
}

// AwaitGuards waits until everything that Guard has started has returned.
func (c *Child) AwaitGuards() { c.watched.Wait() }

// MakeOutput creates the file for the output.
func (c *Child) MakeOutput() (err error) {
	if c.Output, err = MemoryFile("output"); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(c.Output.Fd(), unix.F_SETFL, unix.O_APPEND); err != nil {
		c.Output.Close()
		return fmt.Errorf("cannot append to the target's output: %w", err)
	}
	return nil
}

// MemoryFile creates a file without a name, in memory, for output of a target.
func MemoryFile(what string) (*os.File, error) {
	fd, err := unix.MemfdCreate("ipafuzz "+what, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot make a file for the target's output: %w", err)
	}
	return os.NewFile(uintptr(fd), what+" of the target"), nil
}

// Launch starts Cmd, and calls gone as soon as the process has ended.
func (c *Child) Launch(gone func()) error {
	c.Exited = make(chan struct{})
	// A process that hangs does not see that its pipe was closed, and would
	// outlive ipafuzz when that is killed. The signal comes when the thread that
	// starts the process ends; Go ends only threads that somebody has locked.
	c.Cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := c.Fixed.start(c.Cmd); err != nil {
		return err
	}
	c.Guard(func() {
		defer gone()
		defer close(c.Exited)
		c.awaitEnd()
		c.Cmd.Wait()
		forgetPID(c.Cmd.Process.Pid)
		c.State = c.Cmd.ProcessState
	})
	return nil
}

// awaitEnd waits for the end of the process and ends the rest of its group
// before the group's number is free for others.
func (c *Child) awaitEnd() {
	for {
		err := unix.Waitid(unix.P_PID, c.Cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	c.Kill()
	c.ending.Lock()
	defer c.ending.Unlock()
	c.reaped = true
}

// Gone reports whether the process has ended.
func (c *Child) Gone() bool {
	select {
	case <-c.Exited:
		return true
	default:
		return false
	}
}

// Kill ends the process and the rest of its group.
func (c *Child) Kill() { c.Signal(syscall.SIGKILL, nil) }

// Signal sends a signal to the process and the rest of its group. It calls before
// first, unless the process has ended.
func (c *Child) Signal(signal syscall.Signal, before func()) {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.reaped {
		return
	}
	if before != nil {
		before()
	}
	syscall.Kill(-c.Cmd.Process.Pid, signal)
}
