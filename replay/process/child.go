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

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

const (
	// WatchInterval is the time between two looks of a watchdog at its process: the
	// precision of every limit that is not very short. A look costs about 40 µs, 0.4 % of it.
	WatchInterval = 10 * time.Millisecond
	// LoadTime is how long a library may take to load, and a runner to describe
	// itself.
	LoadTime = 60 * time.Second
	// MaxStillborn is how many processes in a row may end before their first trace. Then a
	// queue gives up: something other than a trace ends them.
	MaxStillborn = 3
)

// A Child is a process in a group of its own, with a file for the output that is
// meant for people. A warden is its parent and ends everything that it leaves behind.
type Child struct {
	Cmd   *exec.Cmd // the command of the process; after Launch, that of the warden
	Fixed Fixed     // surroundings
	// Uncontained exempts the process from containment.
	Uncontained bool
	// Yields lets other processes of the system run first.
	Yields bool
	Ward   warden.Ward
	// OnViolation, if not nil, is called when a contained process makes a forbidden system
	// call, before Kill ends the process.
	OnViolation func(what string)
	PID         int // of the process
	Output      *os.File
	Exited      chan struct{}    // closed when the process is gone
	State       *os.ProcessState // of the warden, which ends as the process did; set before Exited is closed

	below   *watched
	watched sync.WaitGroup
	ending  sync.Mutex // guards reaped: after it, the PID of the warden may be another process's
	reaped  bool
	killing *time.Timer // ends a warden that does not end by itself

	mu        sync.Mutex // guards what the warden said
	ended     bool       // the warden reported the end of the process, its status and CPU time
	status    syscall.WaitStatus
	cpu       time.Duration
	violation string                // the first forbidden system call
	refused   string                // the first system call that failed because targets may not make it
	bug       atomic.Pointer[error] // of ipafuzz, for which the process was ended
}

// Guard runs do, such as a watchdog of the process, in a goroutine. If do panics, Guard
// ends the process, and Broken returns the panic: the target is not to blame.
func (c *Child) Guard(do func()) {
	c.watched.Go(func() {
		if err := caught.Do(func() error { do(); return nil }); err != nil {
			c.bug.Store(&err)
			c.Kill()
		}
	})
}

// Broken returns the panic for which Guard ended the process, or nil.
func (c *Child) Broken() error {
	if bug := c.bug.Load(); bug != nil {
		return *bug
	}
	return nil
}

// AwaitGuards waits for all goroutines that Guard has started.
func (c *Child) AwaitGuards() { c.watched.Wait() }

// MakeOutput creates the file Output, to which the process appends.
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

// Launch starts Cmd below a warden, and calls gone as soon as the process and everything
// below it have ended.
func (c *Child) Launch(gone func()) (err error) {
	c.Exited = make(chan struct{})
	c.Ward.Group = true
	if c.below, err = startBelow(c.Cmd, c.Ward, c.Fixed.start); err != nil {
		return err
	}
	c.PID = c.below.pid
	if c.Yields {
		c.yield()
	}
	c.Guard(func() {
		defer gone()
		defer close(c.Exited)
		var listening sync.WaitGroup
		listening.Go(c.listen)
		c.awaitEnd()
		c.Cmd.Wait()
		listening.Wait()
		c.below.socket.Close()
		if !c.ended { // somebody killed the warden
			strays.lost.Store(true)
		}
		forgetPID(c.Cmd.Process.Pid)
		c.State = c.Cmd.ProcessState
	})
	return nil
}

// listen records what the warden reports, until the warden ends.
func (c *Child) listen() {
	for {
		word, err := c.below.read()
		if err != nil {
			return
		}
		if word.Kind == warden.Violated && c.Violation() == "" {
			// Record it before the end of the process, which would otherwise look like a death by SIGKILL.
			c.forbid(printable.Line(word.Text))
			continue
		}
		switch word.Kind {
		case warden.Ended:
			c.mu.Lock()
			c.ended, c.status, c.cpu = true, syscall.WaitStatus(word.Number), word.CPU
			c.mu.Unlock()
		case warden.Signalled:
			noteSignal(word)
		case warden.Refused:
			c.mu.Lock()
			c.refused = printable.Line(word.Text)
			c.mu.Unlock()
		}
	}
}

// forbid ends a process that made a forbidden system call.
func (c *Child) forbid(what string) {
	c.mu.Lock()
	c.violation = what
	c.mu.Unlock()
	if c.OnViolation != nil {
		c.OnViolation(what)
	}
	c.Kill()
}

// Violation returns the forbidden system call for which the process was ended, or "".
func (c *Child) Violation() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.violation
}

// Refused returns the first system call that failed because targets may not make it, or "".
func (c *Child) Refused() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// awaitEnd waits until the warden ends. It does not reap the warden, so that Signal and Kill
// cannot hit another process with the same PID.
func (c *Child) awaitEnd() {
	c.awaitExit()
	c.ending.Lock()
	defer c.ending.Unlock()
	c.reaped = true
	if c.killing != nil {
		c.killing.Stop()
	}
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

// killGrace is how long a warden may take to end what is below it.
const killGrace = 5 * time.Second

// Kill ends the process and everything below it.
func (c *Child) Kill() {
	c.Signal(syscall.SIGKILL, nil)
	c.ending.Lock()
	defer c.ending.Unlock()
	if !c.reaped && c.killing == nil { // the target may have stopped the warden
		c.killing = time.AfterFunc(killGrace, func() {
			c.ending.Lock()
			defer c.ending.Unlock()
			if !c.reaped {
				c.Cmd.Process.Kill()
			}
		})
	}
}

// Signal sends a signal to the process and the rest of its group, unless the process has
// ended. It calls before, if not nil, just before it sends the signal.
func (c *Child) Signal(signal syscall.Signal, before func()) {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.reaped {
		return
	}
	if before != nil {
		before()
	}
	c.below.signal(signal)
}
