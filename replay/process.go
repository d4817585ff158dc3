package replay

import (
	"fmt"
	processes "github.com/ipafuzz/ipafuzz/replay/process"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// watchInterval is how often a worker is looked at from outside: the
	// precision of every limit. A look costs about 40 µs, 0.4 % of it.
	watchInterval = 10 * time.Millisecond
	// loadTime is how long a library may take to be loaded, and a runner to say
	// what it is.
	loadTime = 60 * time.Second
)

// workerName is what a worker is called in a list of processes, and what the
// frames of its own code have for a module.
const workerName = "ipafuzz worker"

// WorkerProgram is the file of the program that a worker is: this one, or, where
// the code is a library that another program has loaded, one that has package
// worker in it too. It is set before the first target is opened.
var WorkerProgram = "/proc/self/exe"

// A process is one worker with its shared memory and its watchdog.
type process struct {
	child
	target  *Target
	limits  Limits
	memory  *worker.Memory
	shared  uint64 // bytes of it, which are resident and not the target's
	program string // that the worker runs
	hello   worker.Hello

	// Between the stream and the watchdog.
	posted  atomic.Uint64 // traces
	waiting atomic.Bool   // the stream can do nothing but wait for the worker

	// What the watchdog ended it for, while the trace of this serial number ran.
	end       atomic.Int32 // a trace.End
	endSerial atomic.Uint64
	scribbled atomic.Bool // the worker's word on where it is makes no sense
	peakKB    atomic.Uint64
}

// startProcess starts a worker; greet is to be called next.
func startProcess(t *Target, way Way, limits Limits, layout worker.Layout, heapStride int) (*process, error) {
	setup := worker.Setup{Mode: worker.Persistent, Source: worker.Library, Model: t.Model.ID, Path: t.Path,
		FileSize: 4 * limits.Output, HeapStride: heapStride}
	if way == Fork {
		setup.Mode = worker.Fork
	}
	program := WorkerProgram
	switch t.Kind {
	case BuiltIn:
		setup.Source = worker.BuiltIn
	case Static:
		setup.Source, program = worker.Static, t.program
	}
	for _, s := range t.Settings {
		setup.Settings = append(setup.Settings, [2]string{s.Name, s.Value})
	}
	memory, err := worker.New(setup, layout)
	if err != nil {
		return nil, err
	}
	p := &process{program: program, target: t, limits: limits, memory: memory,
		shared: 4 * uint64(layout.Slots) * uint64(layout.TraceWords+layout.AnswerWords)}
	if err := p.start(program, heapStride == 1); err != nil {
		memory.Close()
		return nil, err
	}
	return p, nil
}

func (p *process) start(program string, exactHeap bool) error {
	if err := p.makeOutput(); err != nil {
		return err
	}
	const firstExtra = 3
	p.cmd = exec.Command(program)
	p.cmd.Args[0] = workerName
	p.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", worker.Variable, firstExtra))
	if exactHeap {
		p.cmd.Env = append(p.cmd.Env, withoutHeapCache())
	}
	if p.target.allocator && !strings.ContainsAny(p.target.Path, " :") { // they separate the list
		p.cmd.Env = append(p.cmd.Env, preloading(p.target.Path))
	}
	p.cmd.ExtraFiles = []*os.File{p.memory.File()}
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	if err := p.launch(p.memory.WakeWaiter); err != nil {
		p.output.Close()
		return fmt.Errorf("cannot start a worker: %w", err)
	}
	return nil
}

// greet waits until the worker has loaded the target.
func (p *process) greet() error {
	p.guard(p.watch)
	deadline := time.Now().Add(loadTime)
	for {
		gone := p.gone() // before its last words are read
		hello := p.memory.Hello()
		switch {
		case hello.Ready:
			p.hello = hello
			return nil
		case hello.Refused:
			p.close()
			return unusable(p.target.Name, "%s", hello.Message)
		case gone:
			said := p.tail(0, toTheEnd)
			p.close()
			if err := p.broken(); err != nil {
				return err
			}
			if p.state.ExitCode() == worker.ExitSetup {
				return fmt.Errorf("a worker could not set itself up (%v)", p.state)
			}
			if end := trace.End(p.end.Load()); end != trace.Finished {
				return unusable(p.target.Name, "it went beyond the %v while it was being loaded%s", end, quoted(said))
			}
			return unusable(p.target.Name, "it ended the process while it was being loaded (%v)%s", p.state, quoted(said))
		case time.Now().After(deadline):
			p.close()
			return unusable(p.target.Name, "it was not loaded within %v", loadTime)
		}
		p.memory.WaitHello(watchInterval)
	}
}

// preloading is the setting under which a library with an allocator of its own
// is there before the C library, as in a program that was linked with it. Only
// then do both allocate from the same heap: what strdup returns, the library
// frees.
func preloading(path string) string {
	const name = "LD_PRELOAD"
	if own := os.Getenv(name); own != "" {
		path = own + ":" + path
	}
	return name + "=" + path
}

// withoutHeapCache is the setting under which glibc counts what it holds ready
// for a thread as free. Otherwise each of some thousand freed blocks looks like
// a leak once.
func withoutHeapCache() string {
	const name, setting = "GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"
	if own := os.Getenv(name); own != "" {
		return name + "=" + own + ":" + setting
	}
	return name + "=" + setting
}

func quoted(said string) string {
	if said == "" {
		return ""
	}
	return "; it wrote:\n" + said
}

// watch enforces the limits from outside: targets reset alarms and install
// handlers, so nothing inside the process can be relied on. The time of a trace is
// taken from behind the look that saw it first to before the one that sees it
// last, so that no other trace and no delay of this goroutine counts for it.
func (p *process) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	var serial uint64
	var cpuBefore time.Duration
	begun := time.Now()
	var pid int
	for {
		select {
		case <-p.exited:
			return
		case <-ticker.C: // whose time may be long past on a busy machine
			looked := time.Now()
			where := p.memory.Where()
			runs, resident := p.look(where)
			busy := where.Running || p.waiting.Load()
			if where.Serial < serial || where.Serial > p.posted.Load() {
				p.scribbled.Store(true)
				p.kill()
				return
			}
			if where.Serial != serial || !busy {
				serial, begun, pid = where.Serial, time.Now(), 0
			}
			if runs != pid {
				pid = runs
				cpuBefore, _ = cpuTime(pid)
			}
			if end := p.exceeded(busy, pid, resident, where.OutputFrom, looked.Sub(begun), cpuBefore); end != trace.Finished {
				p.endSerial.Store(where.Serial)
				p.end.Store(int32(end))
				p.kill()
				return
			}
		}
	}
}

// look returns the process that runs the trace and its resident memory. The
// number of a forked child is the worker's word, so its parent is asked for.
func (p *process) look(where worker.Where) (pid int, resident uint64) {
	pid = p.cmd.Process.Pid
	if where.Child > 0 {
		if stat, ok := processes.Stat(where.Child); ok && stat.PPID == pid {
			return where.Child, uint64(stat.ResidentMemory())
		}
	}
	if stat, ok := processes.Stat(pid); ok {
		resident = uint64(stat.ResidentMemory())
	}
	return pid, resident
}

func (p *process) exceeded(busy bool, pid int, resident uint64, outputFrom int64, wall, cpuBefore time.Duration) trace.End {
	if stat, err := p.output.Stat(); err == nil && p.limits.Output > 0 && stat.Size()-outputFrom > int64(min(p.limits.Output, math.MaxInt64)) {
		return trace.OutOfOutput
	}
	if resident > 0 {
		p.peakKB.Store(max(p.peakKB.Load(), resident>>10))
		if p.limits.Memory > 0 && resident > p.limits.Memory+p.shared {
			return trace.OutOfMemory
		}
	}
	if !busy {
		return trace.Finished
	}
	if p.limits.Wall > 0 && wall > p.limits.Wall {
		return trace.OutOfTime
	}
	if cpu, ok := cpuTime(pid); ok && p.limits.CPU > 0 && cpu-cpuBefore > p.limits.CPU {
		return trace.OutOfCPU
	}
	return trace.Finished
}

// cpuTime reads the CPU clock of another process, to the nanosecond.
func cpuTime(pid int) (time.Duration, bool) {
	var ts unix.Timespec
	const cpuClock = 2 // the low bits of a process's CPU clock number
	if err := unix.ClockGettime(int32(^pid<<3|cpuClock), &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// credible reports whether what the worker says of itself makes sense.
func (p *process) credible() bool { return !p.scribbled.Load() && p.memory.Ready() }

// close ends the process and frees what belongs to it.
func (p *process) close() {
	p.closing.Do(func() {
		p.kill()
		p.watched.Wait()
		processes.ReapStrays()
		p.memory.Close()
		p.output.Close()
	})
}

// wait sleeps until batch number n is done, the first that is not of those up
// to the last; false when the worker ended before, or counts as if it had been
// given more.
func (p *process) wait(n, last uint32) bool {
	p.waiting.Store(true)
	defer p.waiting.Store(false)
	for {
		gone := p.gone() // before what it has done at the end is read
		switch done := p.memory.Done() - n; {
		case done > last-n+1:
			p.scribbled.Store(true)
			return false
		case done > 0:
			return true
		case gone:
			return false
		}
		p.memory.WaitDone(n, 5*watchInterval)
	}
}

// deathOf says how the process ended, as far as its exit tells.
func deathOf(status syscall.WaitStatus) (trace.End, trace.Death) {
	if status.Signaled() {
		return trace.Killed, trace.Death{Signal: int(status.Signal())}
	}
	return trace.Exited, trace.Death{ExitCode: status.ExitStatus()}
}
