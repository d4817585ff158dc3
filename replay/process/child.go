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
	// WatchInterval is how often a process is looked at from outside: the precision of
	// every limit that is not very short. A look costs about 40 µs, 0.4 % of it.
	WatchInterval = 10 * time.Millisecond
	// LoadTime is how long a library may take to load, and a runner to describe
	// itself.
	LoadTime = 60 * time.Second
	// MaxStillborn is how often in a row a process may end before its first trace.
	// After that it counts as a failure of the surroundings.
	MaxStillborn = 3
)

// A Child is a process in a group of its own, with a file for the output that is
// meant for people. A warden is its parent and ends everything that it leaves behind.
type Child struct {
	Cmd   *exec.Cmd // of the process; after Launch, of the warden
	Fixed Fixed     // surroundings
	// Uncontained lets the process do what it wants where others are contained.
	Uncontained bool
	Ward        warden.Ward
	// OnViolation is called when a contained process made a forbidden system call, before
	// the process is ended.
	OnViolation func(what string)
	PID         int // of the process
	Output      *os.File
	Exited      chan struct{}    // closed when the process is gone
	State       *os.ProcessState // of the warden, which ends as the process did; set before Exited is closed

	below   *watched
	watched sync.WaitGroup
	ending  sync.Mutex // keeps signals away from a warden whose number was reused
	reaped  bool
	killing *time.Timer // ends a warden that does not end by itself

	mu        sync.Mutex // guards what the warden said
	ended     bool       // the process has, with the wait status
	status    syscall.WaitStatus
	cpu       time.Duration
	violation string                // the first forbidden system call
	signals   []warden.Word         // that the process sent to the warden
	bug       atomic.Pointer[error] // of ipafuzz, for which the process was ended
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

// Launch starts Cmd below a warden, and calls gone as soon as the process and everything
// below it have ended.
func (c *Child) Launch(gone func()) (err error) {
	c.Exited = make(chan struct{})
	c.Ward.Group = true
	if c.below, err = startBelow(c.Cmd, c.Ward, c.Fixed.start); err != nil {
		return err
	}
	c.PID = c.below.pid
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

// listen notes what the warden says, until its end.
func (c *Child) listen() {
	for {
		word, err := c.below.read()
		if err != nil {
			return
		}
		if word.Kind == warden.Violated && c.Violation() == "" {
			// Before the end is known: otherwise it looks like a death by SIGKILL.
			c.forbid(printable.Line(word.Text))
			continue
		}
		c.mu.Lock()
		switch {
		case word.Kind == warden.Ended:
			c.ended, c.status, c.cpu = true, syscall.WaitStatus(word.Number), word.CPU
		case word.Kind == warden.Signalled && len(c.signals) < mostSignals:
			c.signals = append(c.signals, word)
		}
		c.mu.Unlock()
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

// mostSignals bounds what is noted of a process that sends signals without end.
const mostSignals = 16

// awaitEnd waits for the end of the warden, before its number is free for others.
func (c *Child) awaitEnd() {
	for {
		err := unix.Waitid(unix.P_PID, c.Cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
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
	c.below.signal(signal)
}
