package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// Program is the file that wardens and workers execute. It must contain package warden. It is
// this program, unless this code is a library in another program. Set it before the first
// process is started.
var Program = "/proc/self/exe"

// wardenName is the name of a warden in a list of processes.
const wardenName = "ipafuzz warden"

// startTime is how long a warden may take to start its target.
const startTime = time.Minute

// A watched is a command that runs below a warden.
type watched struct {
	cmd    *exec.Cmd // of the warden
	socket *os.File
	pid    int // of the target
}

// While the user has too many processes, a fork fails with EAGAIN. That usually passes, so a
// start is tried again after pauses, each twice as long as the one before: 2.5 s in all. The same
// if the warden is killed: an uncontained target may have been faster than the warden's report.
const firstPause, longestPause = 10 * time.Millisecond, 1280 * time.Millisecond

// startBelow starts a command below a warden. It changes cmd to the command of the warden,
// which it starts with start.
func startBelow(cmd *exec.Cmd, ward warden.Ward, start func(*exec.Cmd) error) (*watched, error) {
	fresh := *cmd // a Cmd can be started only once
	w, err := startOnce(cmd, ward, start)
	passes := func() bool { return errors.Is(err, syscall.EAGAIN) || errors.Is(err, errKilled) }
	for pause := firstPause; passes() && pause <= longestPause; pause *= 2 {
		time.Sleep(pause)
		*cmd = fresh
		w, err = startOnce(cmd, ward, start)
	}
	return w, err
}

func startOnce(cmd *exec.Cmd, ward warden.Ward, start func(*exec.Cmd) error) (*watched, error) {
	orders, err := ward.Message()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot make a socket for a warden: %w", err)
	}
	unix.SetNonblock(pair[0], true) // deadlines on our end need it
	ours, theirs := os.NewFile(uintptr(pair[0]), "socket of a warden"), os.NewFile(uintptr(pair[1]), "socket of a warden")
	defer theirs.Close() // may be closed before
	w := &watched{cmd: cmd, socket: ours}
	if _, err := ours.Write(orders); err != nil {
		ours.Close()
		return nil, fmt.Errorf("cannot write to a warden: %w", err)
	}
	const firstExtra = 3
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", warden.Variable, firstExtra+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	if !ward.Self {
		cmd.Args = append([]string{wardenName, cmd.Path}, cmd.Args...)
	}
	cmd.Path = Program
	// A session of its own keeps the terminal's signals away from the target, and the target's
	// output away from the terminal: there is no /dev/tty in it. The warden must outlive this
	// process: when the socket closes, it ends its target.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := start(cmd); err != nil {
		ours.Close()
		return nil, err
	}
	theirs.Close() // otherwise a warden that is killed would not end what awaitStart reads
	if err := w.awaitStart(ward.Contain); err != nil {
		cmd.Process.Kill() // usually it has ended already
		ours.Close()
		cmd.Wait()
		forgetPID(cmd.Process.Pid)
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && isClosed(err) {
			strays.lost.Store(true)
			return nil, fmt.Errorf("a warden did not start: %w (%v)", errKilled, status.Signal())
		}
		return nil, err
	}
	return w, nil
}

// errKilled reports a warden that was killed before it said that it has started the target.
var errKilled = errors.New("it was ended by a signal")

// isClosed reports whether an error of read says that the other end of the socket is gone.
func isClosed(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) }

// lookInterval is the time between two looks at a warden that starts its target.
const lookInterval = 50 * time.Millisecond

func (w *watched) awaitStart(contained bool) error {
	defer w.socket.SetReadDeadline(time.Time{})
	for end := time.Now().Add(startTime); ; {
		w.socket.SetReadDeadline(time.Now().Add(lookInterval))
		word, err := w.read()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(end):
			if continueIfStopped(w.cmd.Process.Pid) && !contained { // the target may have stopped it
				noteStop()
			}
			continue
		case err != nil:
			return fmt.Errorf("a warden did not start: %w", err)
		case word.Kind != warden.Started:
			return errors.New("a warden did not say that it has started the target")
		case word.Number != 0:
			return syscall.Errno(word.Number)
		}
		w.pid = word.PID
		return nil
	}
}

// read returns the next word of the warden, and io.EOF when the warden has ended.
func (w *watched) read() (warden.Word, error) {
	message := make([]byte, warden.WordBytes+1)
	n, err := w.socket.Read(message)
	if err != nil {
		return warden.Word{}, err
	}
	return warden.ParseWord(message[:n])
}

// signal sends a signal to the target, or to its process group.
func (w *watched) signal(signal syscall.Signal) { w.socket.Write([]byte{byte(signal)}) }
