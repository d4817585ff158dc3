package pipe

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// grace is how long to wait for more output after the end of a runner: a process that it
	// left behind may hold its stdout open.
	grace = time.Second
	// A runner that has closed one of its pipes must end. It violates the protocol if its
	// processes sleep at sleepingLooks looks in a row, which are a second apart, or if it still
	// runs after mostLooks. On a busy machine, a process may take seconds to end.
	sleepingLooks = 3
	mostLooks     = 30
)

// A runner is one process with its pipes and its watchdog.
type runner struct {
	process.Child
	target      *replay.Target
	limits      atomic.Pointer[replay.Limits]
	greeting    greeting
	description *apimodel.Description
	tree        process.Family
	stdin       *os.File
	lines       lineReader // of its stdout
	ran         int        // number of traces that it has run
	dir         string     // directory of the process; "" if it is not contained
	closing     sync.Once

	// Between the walk and the watchdog.
	serial    atomic.Uint64 // finished traces
	busy      atomic.Bool   // the walk waits for an answer
	end       atomic.Int32  // why the watchdog ended the process: a trace.End
	endSerial atomic.Uint64
	peakKB    atomic.Uint64
	cpu       atomic.Int64 // CPU time that it has used
}

// startRunner starts a runner, calls started, and then waits for the greeting.
func startRunner(t *replay.Target, limits replay.Limits, started func(*runner)) (*runner, error) {
	r := &runner{target: t, lines: lineReader{more: make(chan struct{}, 1)}}
	r.limits.Store(&limits)
	r.Fixed, r.Uncontained, r.Yields = limits.Fixed, limits.Uncontained || t.Uncontained, limits.Yields
	if err := r.start(); err != nil {
		return nil, err
	}
	started(r)
	if err := r.greet(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *runner) start() error {
	program, err := r.target.Program()
	if err != nil {
		return replay.Unusable(r.target.Name, "%v", err)
	}
	if err := r.MakeOutput(); err != nil {
		return err
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		r.Output.Close()
		return fmt.Errorf("cannot make a pipe for a runner: %w", err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		r.Output.Close()
		in.Close()
		stdin.Close()
		return fmt.Errorf("cannot make a pipe for a runner: %w", err)
	}
	r.stdin, r.lines.from = stdin, stdout
	r.Cmd = exec.Command(program, r.target.Command[1:]...)
	r.Cmd.Args[0], r.Cmd.Dir = r.target.Command[0], r.target.Dir
	r.Cmd.Stdin, r.Cmd.Stdout, r.Cmd.Stderr = in, out, r.Output
	if r.dir, err = r.ContainIn(""); err != nil {
		r.Output.Close()
		return err
	}
	r.OnViolation = func(string) {
		r.endSerial.Store(r.serial.Load())
		r.end.CompareAndSwap(int32(trace.Finished), int32(trace.Trespassed))
	}
	r.Ward.CPU = process.LastResort(r.limits.Load().CPU)
	r.Ward.SharedMemory = r.limits.Load().Memory
	err = r.Launch(func() {
		// A process that was left behind may hold the other ends open.
		r.stdin.Close()
		r.lines.from.SetReadDeadline(time.Now().Add(grace))
	})
	in.Close()
	out.Close()
	if err != nil {
		r.removeDir()
		r.Output.Close()
		r.stdin.Close()
		r.lines.from.Close()
		return replay.Unusable(r.target.Name, "cannot be started: %v", err)
	}
	r.tree.Warden = r.Cmd.Process.Pid
	r.Guard(r.lines.read)
	r.Guard(r.watch)
	return nil
}

func (r *runner) watch() {
	ticker := time.NewTicker(process.WatchInterval)
	defer ticker.Stop()
	var from usageMark
	var clock process.WatchClock
	files := process.DirWatch{Dir: r.dir}
	for {
		select {
		case <-r.Exited:
			return
		case <-ticker.C: // do not use the time that it sends, which may be long past on a busy machine
			looked := clock.Now()
			serial, busy := r.serial.Load(), r.busy.Load()
			cpu, resident := r.tree.Look()
			if from.begun.IsZero() || from.serial != serial || !busy {
				from = usageMark{serial: serial, begun: clock.Now(), cpu: cpu, written: r.written()}
			}
			end := r.exceeded(&from, busy, looked, cpu, resident)
			if end == trace.Finished && files.Exceeds(process.FilesPerOutput*r.limits.Load().Output) {
				end = trace.OutOfOutput
			}
			if end != trace.Finished {
				r.endSerial.Store(serial)
				r.end.CompareAndSwap(int32(trace.Finished), int32(end))
				r.Kill()
				return
			}
		}
	}
}

// A usageMark is the usage at the beginning of a trace.
type usageMark struct {
	serial  uint64
	begun   time.Time
	cpu     time.Duration
	written int64
	wall    process.WallLimit
}

func (r *runner) exceeded(from *usageMark, busy bool, looked time.Time, cpu time.Duration,
	resident uint64) trace.End {
	r.peakKB.Store(max(r.peakKB.Load(), resident>>10))
	r.cpu.Store(int64(cpu))
	l := *r.limits.Load()
	if from.serial == 0 {
		l = l.First()
	}
	switch {
	case l.Memory > 0 && resident > l.Memory:
		return trace.OutOfMemory
	case l.Output > 0 && r.written()-from.written > int64(min(l.Output, math.MaxInt64)):
		return trace.OutOfOutput
	case !busy:
	case from.wall.Exceeded(looked.Sub(from.begun), l.Wall, r.tree.Processes()...):
		return trace.OutOfTime
	case l.CPU > 0 && cpu-from.cpu > l.CPU:
		return trace.OutOfCPU
	}
	return trace.Finished
}

func (r *runner) removeDir() {
	if r.dir != "" {
		process.RemoveTempDir(r.dir)
	}
}

// written returns how many bytes the runner has written to stdout and stderr.
func (r *runner) written() int64 { return r.lines.received.Load() + r.OutputSize() }

// trim empties the file of the runner's stderr if it is large. Call it between two traces.
func (r *runner) trim() {
	const large = 1 << 20
	if r.OutputSize() > large {
		r.Output.Truncate(0)
	}
}

// close ends the process and frees its resources.
func (r *runner) close() {
	r.closing.Do(func() {
		r.Kill()
		<-r.Exited
		r.lines.from.SetReadDeadline(time.Now())
		r.AwaitGuards()
		process.ReapStrays()
		r.removeDir()
		r.stdin.Close()
		r.lines.from.Close()
		r.Output.Close()
	})
}
