package native

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/internal/ulimit"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// workerName is the name of a worker in a list of processes, and of the module in the
// frames of the worker's own code.
const workerName = "ipafuzz worker"

// A workerProcess is one worker with its shared memory and its watchdog.
type workerProcess struct {
	process.Child
	target   *replay.Target
	limits   atomic.Pointer[replay.Limits]
	memory   *worker.Memory
	shared   uint64           // bytes of memory shared with the worker: resident, but not the target's
	fileSize uint64           // limit on the size of each file of the target; 0: none
	program  string           // the file that the worker executes
	files    process.DirWatch // of the worker's directory; without one if it is not contained
	hello    worker.Hello
	closing  sync.Once
	first    chan struct{} // tells the watchdog that the first traces were posted

	// Between the stream and the watchdog.
	posted  atomic.Uint64 // number of traces
	waiting atomic.Bool   // the stream can only wait for the worker

	// Why the watchdog ended the process, and the serial number of the trace then.
	end       atomic.Int32 // a trace.End
	endSerial atomic.Uint64
	endInside atomic.Bool  // a trace was running then
	asleep    atomic.Bool  // the process was idle then
	stopped   atomic.Bool  // a signal had stopped the process
	threads   atomic.Int32 // number of threads in a deadlock
	scribbled atomic.Bool  // the worker reports a position that makes no sense
	peakKB    atomic.Uint64

	// At the watchdog's last look, the trace with this serial number had run for this long.
	ran       atomic.Int64
	ranSerial atomic.Uint64
}

// startWorker starts a worker. The caller must then call greet.
func startWorker(t *replay.Target, way replay.Way, limits replay.Limits, layout worker.Layout,
	heapStride int) (*workerProcess, error) {
	setup := worker.Setup{Mode: worker.Persistent, Source: worker.Library, Model: t.Model.ID, Path: t.Path,
		Setter: setterOf(t), FileSize: fileSizeLimit(limits), Output: limits.Output, HeapStride: heapStride}
	if way == replay.Fork {
		setup.Mode = worker.Fork
	}
	d, program := t.Driver.(*driver), process.Program
	setup.BearsFork = d.bearsFork.Load()
	switch t.Kind {
	case replay.BuiltIn:
		setup.Source = worker.BuiltIn
	case replay.Static:
		setup.Source, program = worker.Static, d.program
	}
	for _, s := range t.Settings {
		setup.Settings = append(setup.Settings, [2]string{s.Name, s.Value})
	}
	memory, err := worker.New(setup, layout)
	if err != nil {
		return nil, err
	}
	p := &workerProcess{program: program, target: t, memory: memory, fileSize: setup.FileSize,
		first: make(chan struct{}, 1), shared: 4 * uint64(layout.Slots) * uint64(layout.TraceWords+layout.AnswerWords)}
	p.limits.Store(&limits)
	p.Fixed, p.Uncontained, p.Yields = limits.Fixed, limits.Uncontained || t.Uncontained, limits.Yields
	p.Ward.Forks = way == replay.Fork
	if err := p.start(program, heapStride == 1, d); err != nil {
		memory.Close()
		return nil, err
	}
	return p, nil
}

// fileSizeLimit returns the limit on the size of each file of the target: its output, a file in
// its directory, or shared memory, which has the limit of other memory. It is never above the limit of this process,
// which the worker cannot raise.
func fileSizeLimit(limits replay.Limits) uint64 {
	if limits.Output == 0 || limits.Memory == 0 {
		return 0
	}
	return min(max(process.FilesPerOutput*limits.Output, limits.Memory), ulimit.FileSize())
}

func (p *workerProcess) start(program string, exactHeap bool, d *driver) error {
	if err := p.MakeOutput(); err != nil {
		return err
	}
	const firstExtra = 3
	p.Cmd = exec.Command(program)
	p.Cmd.Args[0] = workerName
	dir, err := p.ContainIn("")
	if err != nil {
		p.Output.Close()
		return err
	}
	p.files.Dir = dir
	p.Ward.Enter, p.Ward.Library = p.Ward.Contain, true
	p.OnViolation = func(string) {
		p.endSerial.Store(p.memory.Where().Serial)
		p.end.Store(int32(trace.Trespassed)) // which says more than a limit
	}
	p.Ward.Self = program == process.Program
	p.Ward.SharedMemory = p.limits.Load().Memory
	p.Ward.CPU = process.LastResort(p.limits.Load().CPU)
	p.Cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", worker.Variable, firstExtra))
	if exactHeap {
		p.Cmd.Env = append(p.Cmd.Env, withoutHeapCache())
	}
	if d.sanitizer.reportsRaces() || p.target.Kind == replay.Static {
		p.Ward.Variables = append(p.Ward.Variables, reportingRaces())
	}
	if d.sanitizer.library != "" {
		p.Ward.Variables = append(p.Ward.Variables, preloading(d.sanitizer.preloaded()))
		p.Ward.Self = false
	} else if d.allocator && !strings.ContainsAny(p.target.Path, " :") { // LD_PRELOAD is split at these
		p.Ward.Variables = append(p.Ward.Variables, preloading(p.target.Path))
		p.Ward.Self = false // only a program that starts anew obeys LD_PRELOAD
	}
	p.Cmd.ExtraFiles = []*os.File{p.memory.File()}
	p.Cmd.Stdout, p.Cmd.Stderr = p.Output, p.Output
	if err := p.Launch(p.memory.WakeWaiter); err != nil {
		p.Output.Close()
		p.removeDir()
		return fmt.Errorf("cannot start a worker: %w", err)
	}
	return nil
}

// greet waits until the worker has loaded the target.
func (p *workerProcess) greet() error {
	p.Guard(p.watch)
	defer process.Starting(p.target.Name+" to load", process.LoadTime)()
	deadline := time.Now().Add(process.LoadTime)
	for {
		gone := p.Gone() // ask first: the worker may answer just before it ends
		hello := p.memory.Hello()
		switch {
		case hello.Ready:
			p.hello = hello
			return nil
		case hello.Refused:
			p.close()
			return replay.Unusable(p.target.Name, "%s%s", inSource(hello.Message), p.wanted(hello))
		case gone:
			said := p.LastWords()
			p.close()
			if err := p.Broken(); err != nil {
				return err
			}
			if p.State.ExitCode() == worker.ExitSetup {
				return fmt.Errorf("a worker could not set itself up (%v)", p.State)
			}
			if what := p.Violation(); what != "" {
				return replay.Unusable(p.target.Name, "while loading, it called %s, which is forbidden to targets "+
					"(--no-containment allows it)", what)
			}
			if end := trace.End(p.end.Load()); end != trace.Finished {
				return replay.Unusable(p.target.Name, "it exceeded the %v while loading%s", end, said)
			}
			return replay.Unusable(p.target.Name, "it ended the process while loading (%v)%s", p.State, said)
		case time.Now().After(deadline):
			p.close()
			return replay.Unusable(p.target.Name, "it did not load within %v", process.LoadTime)
		}
		p.memory.WaitHello(process.WatchInterval)
	}
}

// wanted returns what the message about a refused option lacks: the values of that option or, if the target has
// none of that name, the names of those that it has.
func (p *workerProcess) wanted(hello worker.Hello) string {
	refused, ok := strings.CutPrefix(hello.Message, "the target refuses option ")
	d, err := apimodel.ParseDescription(hello.Description + "\n" + p.target.Describe)
	if !ok || err != nil || len(d.Options) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(refused, "=")
	if option := d.Option(name); option != nil {
		return "; want " + option.Range()
	}
	if len(d.Options) > 12 {
		return "; 'ipafuzz targets inspect' lists its options"
	}
	var names []string
	for _, option := range d.Options {
		names = append(names, option.Name)
	}
	return "; its options are " + strings.Join(names, ", ")
}

// preloading returns a setting that makes the dynamic linker load a library before the C
// library. For a library with its own allocator, that is as in a program linked with it: both
// libraries then allocate from the same heap, so that the library can free what strdup returns.
func preloading(path string) string { return beside("LD_PRELOAD", path) }

// withoutHeapCache returns a setting that turns off glibc's cache of freed blocks. Blocks in the
// cache count as used, so some thousand freed blocks would each look like a leak once.
func withoutHeapCache() string { return beside("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0") }

// beside returns a setting of an environment variable that keeps the user's value and adds
// another.
func beside(name, value string) string {
	if own := os.Getenv(name); own != "" {
		value = own + ":" + value
	}
	return name + "=" + value
}

// watch enforces the limits from outside: targets reset alarms and install handlers, so
// nothing inside the process is reliable. It counts the time of a trace from just after the
// first look that saw the trace to just before the last one, so that neither another trace
// nor a delay of this goroutine counts.
func (p *workerProcess) watch() {
	next := time.NewTimer(p.watchInterval())
	defer next.Stop()
	var serial uint64
	var cpuBefore time.Duration
	var clock process.WatchClock
	var wall process.WallLimit
	var deadlock process.DeadlockWatch
	begun := clock.Now()
	var pid int
	var residentBefore uint64
	for {
		select {
		case <-p.Exited:
			return
		case <-p.first:
			next.Reset(p.watchInterval())
		case <-next.C: // do not use the time that it sends, which may be long past on a busy machine
			next.Reset(p.watchInterval())
			looked := clock.Now()
			where := p.memory.Where()
			runs, resident := p.look(where)
			busy := where.Running || p.waiting.Load()
			if where.Serial < serial || where.Serial > p.posted.Load() {
				p.scribbled.Store(true)
				p.Kill()
				return
			}
			if where.Serial != serial || !busy {
				serial, begun, pid = where.Serial, clock.Now(), 0
			}
			if runs != pid {
				pid, residentBefore = runs, resident
				cpuBefore, _ = cpuTime(pid)
			}
			p.ran.Store(int64(looked.Sub(begun)))
			p.ranSerial.Store(serial)
			limits := p.limitsOf(serial)
			end := p.exceeded(&limits, busy, pid, resident, where.OutputFrom, cpuBefore)
			if end == trace.Finished && busy && p.grew(residentBefore, resident) {
				end = trace.OutOfMemory
			}
			if ran := looked.Sub(begun); end == trace.Finished && busy && wall.Exceeded(ran, limits.Wall, pid) {
				end = trace.OutOfTime
			}
			if end == trace.Finished && busy {
				if threads, seen := deadlock.Seen(looked.Sub(begun), pid); seen {
					end = trace.Deadlocked
					p.threads.Store(int32(threads))
				}
			}
			if end == trace.Finished && p.files.Exceeds(process.FilesPerOutput*p.limits.Load().Output) {
				end = trace.OutOfOutput
			}
			if end != trace.Finished && busy && p.memory.Where().Serial != where.Serial {
				continue // this goroutine was delayed, and the next trace used the time
			}
			if end != trace.Finished {
				if end == trace.OutOfTime {
					asleep, stopped := process.Idle(pid)
					p.asleep.Store(asleep && !process.HasBusyChild(pid))
					p.stopped.Store(stopped)
				}
				p.endSerial.Store(where.Serial)
				p.endInside.Store(where.Running)
				p.endBy(end)
				if end == trace.Deadlocked {
					p.recordStack(pid)
				}
				p.Kill()
				return
			}
		}
	}
}

// endBy records the limit for which the watchdog ends the process, unless the warden has ended it for a forbidden
// call: a thousand processes may take long to die.
func (p *workerProcess) endBy(limit trace.End) {
	p.end.CompareAndSwap(int32(trace.Finished), int32(limit))
}

// post hands a batch of that many traces to the worker.
func (p *workerProcess) post(traces int) {
	if p.posted.Add(uint64(traces)) == uint64(traces) {
		p.first <- struct{}{}
	}
	p.memory.Post()
}

// watchInterval returns the time until the next look. It is shorter than usual if the CPU limit
// is short, so that a trace cannot run for several times the limit.
func (p *workerProcess) watchInterval() time.Duration {
	const looks, least = 4, time.Millisecond // looks within the limit; shortest interval
	if limit := p.limits.Load().CPU; limit > 0 && p.posted.Load() > 0 {
		return min(process.WatchInterval, max(limit/looks, least))
	}
	return process.WatchInterval
}

// look returns the process that runs the trace and its resident memory. The target may
// overwrite the PID of the child that the worker reports, so look checks the child's parent.
func (p *workerProcess) look(where worker.Where) (pid int, resident uint64) {
	pid = p.PID
	if where.Child > 0 {
		if stat, ok := process.Stat(where.Child); ok && stat.PPID == pid {
			return where.Child, uint64(stat.ResidentMemory())
		}
	}
	if stat, ok := process.Stat(pid); ok {
		resident = uint64(stat.ResidentMemory())
	}
	return pid, resident
}

func (p *workerProcess) limitsOf(serial uint64) replay.Limits {
	limits := *p.limits.Load()
	if serial <= 1 {
		return limits.First()
	}
	return limits
}

func (p *workerProcess) exceeded(limits *replay.Limits, busy bool, pid int, resident uint64, outputFrom int64,
	cpuBefore time.Duration) trace.End {
	most := int64(min(limits.Output, math.MaxInt64))
	if stat, err := p.Output.Stat(); err == nil && most > 0 && stat.Size()-outputFrom > most {
		return trace.OutOfOutput
	}
	if resident > 0 {
		p.peakKB.Store(max(p.peakKB.Load(), resident>>10))
		if limits.Memory > 0 && resident > limits.Memory+p.shared {
			return trace.OutOfMemory
		}
	}
	if !busy {
		return trace.Finished
	}
	if cpu, ok := cpuTime(pid); ok && limits.CPU > 0 && cpu-cpuBefore > limits.CPU {
		return trace.OutOfCPU
	}
	return trace.Finished
}

// grew reports whether the resident memory grew by more than a trace may need.
func (p *workerProcess) grew(before, after uint64) bool {
	growth := p.limits.Load().Growth
	return growth > 0 && after > before && after-before > growth
}

// cpuTime reads the CPU clock of another process, to the nanosecond.
func cpuTime(pid int) (time.Duration, bool) {
	var ts unix.Timespec
	const cpuClock = 2 // the low bits of the number of a process's CPU clock
	if err := unix.ClockGettime(int32(^pid<<3|cpuClock), &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// credible reports whether the worker's reports make sense.
func (p *workerProcess) credible() bool { return !p.scribbled.Load() && p.memory.Ready() }

// close ends the process and frees what belongs to it.
func (p *workerProcess) close() {
	p.closing.Do(func() {
		p.Kill()
		p.AwaitGuards()
		process.ReapStrays()
		p.removeDir()
		p.memory.Close()
		p.Output.Close()
	})
}

func (p *workerProcess) removeDir() {
	if p.files.Dir != "" {
		process.RemoveTempDir(p.files.Dir)
	}
}

// wait waits until the worker has done batch n, its first unfinished batch. It returns false if
// the worker ends before that, or claims to have done batches after last, the last posted one.
func (p *workerProcess) wait(n, last uint32) bool {
	p.waiting.Store(true)
	defer p.waiting.Store(false)
	for {
		gone := p.Gone() // ask first: the worker may finish a batch just before it ends
		switch done := p.memory.Done() - n; {
		case done > last-n+1:
			p.scribbled.Store(true)
			return false
		case done > 0:
			return true
		case gone:
			return false
		}
		p.memory.WaitDone(n, 5*process.WatchInterval)
	}
}
