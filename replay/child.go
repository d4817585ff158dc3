package replay

import (
	"fmt"
	processes "github.com/ipafuzz/ipafuzz/replay/process"
	"math"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/caught"
)

// stderrKept is how much of what a dead process wrote is kept.
const stderrKept = 16 << 10

// A child is a process in a group of its own, with a file for what it writes
// that is for people.
type child struct {
	output  *os.File
	cmd     *exec.Cmd
	exited  chan struct{}  // closed when the process is gone
	watched sync.WaitGroup // what still looks at it
	state   *os.ProcessState
	ending  sync.Mutex // guards the process group's number against its reuse
	reaped  bool
	closing sync.Once
	bug     atomic.Pointer[error] // of ipafuzz, for which the process was ended
}

// guard starts what looks at the process. When that panics the process is ended,
// and broken says why: its death is none of the target's.
func (p *child) guard(do func()) {
	p.watched.Go(func() {
		if err := caught.Do(func() error { do(); return nil }); err != nil {
			p.bug.Store(&err)
			p.kill()
		}
	})
}

// broken is not nil when the process was ended because of a bug of ipafuzz.
func (p *child) broken() error {
	if bug := p.bug.Load(); bug != nil {
		return *bug
	}
	return nil
}

// makeOutput makes the file for the output: in memory, and without a name.
func (p *child) makeOutput() error {
	fd, err := unix.MemfdCreate("ipafuzz output", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("cannot make a file for the target's output: %w", err)
	}
	p.output = os.NewFile(uintptr(fd), "output of the target")
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND); err != nil {
		p.output.Close()
		return fmt.Errorf("cannot append to the target's output: %w", err)
	}
	return nil
}

// launch starts the command and calls gone as soon as it has ended.
func (p *child) launch(gone func()) error {
	p.exited = make(chan struct{})
	// A process that hangs does not see that its pipe was closed, and would go
	// on for ever when ipafuzz is killed. The signal comes when the thread that
	// starts the process ends; Go ends no thread that nobody locked.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := processes.Start(p.cmd); err != nil {
		return err
	}
	p.guard(func() {
		defer gone()
		defer close(p.exited)
		p.awaitEnd()
		p.cmd.Wait()
		processes.Forget(p.cmd.Process.Pid)
		p.state = p.cmd.ProcessState
	})
	return nil
}

// awaitEnd waits for the end of the process and ends the rest of its group
// before its number is free for others.
func (p *child) awaitEnd() {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	p.kill()
	p.ending.Lock()
	defer p.ending.Unlock()
	p.reaped = true
}

func (p *child) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// kill ends the process with all others of its group.
func (p *child) kill() {
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.reaped {
		return
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
}

const toTheEnd = math.MaxInt64

// outputSize is how much the process has written since its file was cut last.
func (p *child) outputSize() int64 {
	stat, err := p.output.Stat()
	if err != nil {
		return 0
	}
	return stat.Size()
}

// tail returns the last of what the process wrote between two places of its
// output.
func (p *child) tail(from, to int64) string {
	stat, err := p.output.Stat()
	if err != nil {
		return ""
	}
	to = min(to, stat.Size())
	from = max(from, to-stderrKept, 0)
	if from >= to {
		return ""
	}
	text := make([]byte, to-from)
	n, err := p.output.ReadAt(text, from)
	if n == 0 && err != nil {
		return ""
	}
	return string(text[:n])
}
