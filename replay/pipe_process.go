package replay

import (
	"bytes"
	"errors"
	"fmt"
	processes "github.com/ipafuzz/ipafuzz/replay/process"
	"math"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// pipeGrace is how long a runner that has closed one of its ends may take to
	// end, and how long its last words are waited for when a process that it left
	// behind holds its stdout open.
	pipeGrace = time.Second
	// mostHello is what a runner may say of itself, in bytes.
	mostHello = apimodel.MaxDescription + 4096
	readSize  = 64 << 10 // and what a pipe holds
)

// helloTime is how long a runner may take to say what it is.
var helloTime = loadTime

// A pipeProcess is one runner with its pipes and its watchdog.
type pipeProcess struct {
	child
	target      *Target
	limits      Limits
	hello       pipeHello
	description *apimodel.Description
	tree        family
	stdin       *os.File
	stdout      *os.File

	// From the goroutine that reads stdout to the one that runs traces.
	mu     sync.Mutex
	unread []byte
	closed bool          // nothing more comes
	more   chan struct{} // something is new; one token

	buffer  []byte // what was taken over, up to at already used
	at      int
	scanned int // behind at: no line ends before it

	ran int // traces that it has run

	// Between the runner and the watchdog.
	serial    atomic.Uint64 // traces that are finished
	busy      atomic.Bool   // an answer is waited for
	received  atomic.Int64  // bytes on stdout
	end       atomic.Int32  // what it was ended for: a trace.End
	endSerial atomic.Uint64
	peakKB    atomic.Uint64
}

// startPipe starts a runner and waits until it has said what it is. Started is
// called before that.
func startPipe(t *Target, limits Limits, started func(*pipeProcess)) (*pipeProcess, error) {
	p := &pipeProcess{target: t, limits: limits, more: make(chan struct{}, 1)}
	if err := p.start(); err != nil {
		return nil, err
	}
	started(p)
	if err := p.greet(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *pipeProcess) start() error {
	program, err := p.target.lookCommand()
	if err != nil {
		return unusable(p.target.Name, "%v", err)
	}
	if err := p.makeOutput(); err != nil {
		return err
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		p.output.Close()
		return fmt.Errorf("cannot make a pipe for a runner: %w", err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		p.output.Close()
		in.Close()
		stdin.Close()
		return fmt.Errorf("cannot make a pipe for a runner: %w", err)
	}
	p.stdin, p.stdout = stdin, stdout
	p.cmd = exec.Command(program, p.target.Command[1:]...)
	p.cmd.Args[0], p.cmd.Dir = p.target.Command[0], p.target.dir
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, p.output
	err = p.launch(func() {
		// A process that was left behind may hold the other ends open.
		p.stdin.Close()
		p.stdout.SetReadDeadline(time.Now().Add(pipeGrace))
	})
	in.Close()
	out.Close()
	if err != nil {
		p.output.Close()
		p.stdin.Close()
		p.stdout.Close()
		return unusable(p.target.Name, "cannot be started: %v", err)
	}
	p.tree.root = p.cmd.Process.Pid
	p.guard(p.read)
	p.guard(p.watch)
	return nil
}

// read takes over what the runner writes as fast as it does: a runner must
// never wait for its reader while that waits for it to read.
func (p *pipeProcess) read() {
	defer p.deliver(nil, true)
	piece := make([]byte, readSize)
	for {
		n, err := p.stdout.Read(piece)
		if errors.Is(err, os.ErrDeadlineExceeded) { // however late that is noticed: what it wrote before its end is there
			n = p.readAtOnce(piece)
		}
		p.received.Add(int64(n))
		if err != nil {
			p.deliver(piece[:n], true)
			return
		}
		p.deliver(piece[:n], false)
	}
}

// readAtOnce reads what can be read without waiting for more, and at most as much
// as a pipe holds.
func (p *pipeProcess) readAtOnce(piece []byte) (n int) {
	p.stdout.SetReadDeadline(time.Time{})
	raw, err := p.stdout.SyscallConn()
	if err != nil {
		return 0
	}
	raw.Read(func(fd uintptr) bool {
		for n < len(piece) {
			more, err := unix.Read(int(fd), piece[n:])
			if err == unix.EINTR {
				continue
			}
			if err != nil || more <= 0 {
				break
			}
			n += more
		}
		return true
	})
	return n
}

// deliver hands over what was read, and whether nothing more will come.
func (p *pipeProcess) deliver(piece []byte, closed bool) {
	p.mu.Lock()
	p.unread = append(p.unread, piece...)
	p.closed = closed
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

var errRunnerEnded = errors.New("the runner has ended")

// take moves what was read into the buffer; false when nothing more will come.
func (p *pipeProcess) take() bool {
	if p.at > 0 && p.at == len(p.buffer) {
		p.buffer, p.at, p.scanned = p.buffer[:0], 0, 0
	} else if p.at > len(p.buffer)/2 {
		p.buffer = p.buffer[:copy(p.buffer, p.buffer[p.at:])]
		p.scanned -= p.at
		p.at = 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buffer = append(p.buffer, p.unread...)
	p.unread = p.unread[:0]
	return !p.closed
}

// ready returns the next line without its end when the whole of it is there. It
// is valid until the next call.
func (p *pipeProcess) ready() ([]byte, bool) {
	i := bytes.IndexByte(p.buffer[p.scanned:], '\n')
	if i < 0 {
		p.scanned = len(p.buffer)
		return nil, false
	}
	line := p.buffer[p.at : p.scanned+i]
	p.at = p.scanned + i + 1
	p.scanned = p.at
	return bytes.TrimSuffix(line, []byte("\r")), true
}

// line waits for the next line. The error is errRunnerEnded, or that the runner
// has closed its stdout and goes on.
func (p *pipeProcess) line() ([]byte, error) {
	if line, ok := p.ready(); ok {
		return line, nil
	}
	for {
		comes := p.take()
		if line, ok := p.ready(); ok {
			return line, nil
		}
		if !comes {
			return nil, p.awaitExit("stdout")
		}
		<-p.more
	}
}

// awaitExit waits for the end of a runner that has closed an end of its pipes.
func (p *pipeProcess) awaitExit(closed string) error {
	select {
	case <-p.exited:
		if err := p.broken(); err != nil {
			return err
		}
		return errRunnerEnded
	case <-time.After(pipeGrace):
		p.kill()
		<-p.exited
		return violation(p.target, "it closed its %s and did not end", closed)
	}
}

// pending returns a line that nobody has asked for, nil when there is none.
func (p *pipeProcess) pending() []byte {
	p.take()
	line, _ := p.ready()
	return line
}

// write sends lines. What becomes of a runner that has ended is found out when
// its answer is read.
func (p *pipeProcess) write(text []byte) error {
	if _, err := p.stdin.Write(text); errors.Is(err, syscall.EPIPE) {
		if err := p.awaitExit("stdin"); err != errRunnerEnded {
			return err
		}
	}
	return nil
}

// greet reads what the runner says of itself.
func (p *pipeProcess) greet() error {
	late := time.AfterFunc(helloTime, func() {
		p.end.CompareAndSwap(int32(trace.Finished), int32(trace.OutOfTime))
		p.kill()
	})
	defer late.Stop()
	var text []byte
	for {
		line, err := p.line()
		switch {
		case err == errRunnerEnded:
			said := quoted(p.tail(0, toTheEnd))
			if end := trace.End(p.end.Load()); end != trace.Finished {
				return unusable(p.target.Name, "it went beyond the %v before it said %q%s", end, pipeReady, said)
			}
			return unusable(p.target.Name, "it ended (%v) before it said %q%s", p.state, pipeReady, said)
		case err != nil:
			return err
		}
		if string(bytes.TrimRight(line, " \t")) == pipeReady && len(text) > 0 {
			break
		}
		first := len(text) == 0
		text = append(append(text, line...), '\n')
		if first { // a program that is no runner may go on forever
			var probe pipeHello
			if _, err := probe.parse(append(text, "model ipasir\n"...)); err != nil {
				return violation(p.target, "%v", err)
			}
		}
		if len(text) > mostHello {
			return violation(p.target, "it says more than %d bytes of itself before %q", mostHello, pipeReady)
		}
	}
	var err error
	if p.description, err = p.hello.parse(text); err != nil {
		return violation(p.target, "%v", err)
	}
	return nil
}

// watch enforces the limits.
func (p *pipeProcess) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	var from usageMark
	for {
		select {
		case <-p.exited:
			return
		case <-ticker.C: // whose time may be long past on a busy machine
			looked := time.Now()
			serial, busy := p.serial.Load(), p.busy.Load()
			cpu, resident := p.tree.look()
			if from.begun.IsZero() || from.serial != serial || !busy {
				from = usageMark{serial: serial, begun: time.Now(), cpu: cpu, written: p.written()}
			}
			if end := p.exceeded(&from, busy, looked, cpu, resident); end != trace.Finished {
				p.endSerial.Store(serial)
				p.end.CompareAndSwap(int32(trace.Finished), int32(end))
				p.kill()
				return
			}
		}
	}
}

// A usageMark is what had been used when a trace began.
type usageMark struct {
	serial  uint64
	begun   time.Time
	cpu     time.Duration
	written int64
}

func (p *pipeProcess) exceeded(from *usageMark, busy bool, looked time.Time, cpu time.Duration, resident uint64) trace.End {
	p.peakKB.Store(max(p.peakKB.Load(), resident>>10))
	switch l := &p.limits; {
	case l.Memory > 0 && resident > l.Memory:
		return trace.OutOfMemory
	case l.Output > 0 && p.written()-from.written > int64(min(l.Output, math.MaxInt64)):
		return trace.OutOfOutput
	case !busy:
	case l.Wall > 0 && looked.Sub(from.begun) > l.Wall:
		return trace.OutOfTime
	case l.CPU > 0 && cpu-from.cpu > l.CPU:
		return trace.OutOfCPU
	}
	return trace.Finished
}

// written is what it has written in all.
func (p *pipeProcess) written() int64 {
	n := p.received.Load()
	if stat, err := p.output.Stat(); err == nil {
		n += stat.Size()
	}
	return n
}

// trim throws away what it has written for people between two traces, when that
// is much.
func (p *pipeProcess) trim() {
	const much = 1 << 20
	if stat, err := p.output.Stat(); err == nil && stat.Size() > much {
		p.output.Truncate(0)
	}
}

// close ends the process and frees what belongs to it.
func (p *pipeProcess) close() {
	p.closing.Do(func() {
		p.kill()
		<-p.exited
		p.stdout.SetReadDeadline(time.Now())
		p.watched.Wait()
		processes.ReapStrays()
		p.stdin.Close()
		p.stdout.Close()
		p.output.Close()
	})
}
