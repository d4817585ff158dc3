package native

import (
	"strings"
	"syscall"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// endOfProcess tells how the worker died in a trace.
func (s *stream) endOfProcess(job worker.Job) (trace.End, trace.Death) {
	end, death := trace.End(s.process.end.Load()), trace.Death{}
	if end == trace.Finished {
		end, death = s.process.Death()
		if s.process.scribbled.Load() { // the watchdog ended it for that
			death.Signal = int(syscall.SIGSEGV)
		}
	}
	death.Output = s.process.Violation()
	death.Asleep, death.Stopped = s.process.asleep.Load(), s.process.stopped.Load()
	death.Threads = int(s.process.threads.Load())
	s.describe(&end, &death, job)
	death.Stderr = s.process.TailFrom(job.OutputFrom)
	return end, death
}

// endOfChild tells how the forked child of a trace died.
func (s *stream) endOfChild(job worker.Job) (trace.End, trace.Death) {
	end, death := process.Death(syscall.WaitStatus(job.WaitStatus))
	s.describe(&end, &death, job)
	death.Stderr = s.process.uncut(job.OutputCuts, s.process.Tail, job.OutputFrom, job.OutputTo)
	return end, death
}

// describe adds what the crash handler recorded.
func (s *stream) describe(end *trace.End, death *trace.Death, job worker.Job) {
	// The signal alone is not enough: the target may have set a limit of its own.
	if death.Signal == int(syscall.SIGXFSZ) &&
		(s.process.hasFlooded(job.OutputFrom) || s.process.fileSize > 0 && job.Address == s.process.fileSize) {
		*end, death.Signal = trace.OutOfOutput, 0 // the kernel acted before the watchdog
		job.Signal = 0
	}
	death.AtExit, death.InInit = s.way == replay.Fork && job.Finished, job.InInit
	if job.Signal == 0 {
		return
	}
	ownSignal := *end == trace.Deadlocked && job.Signal == int(stackSignal)
	if (*end == trace.OutOfTime || *end == trace.Deadlocked && !ownSignal) && job.Signal > 0 && job.Signal < 65 {
		*end, death.Signal = trace.Killed, job.Signal // the target crashed, and then the crash handler hung
	}
	if !ownSignal {
		death.Code, death.Address, death.OtherThread = job.Code, job.Address, job.OtherThread
	}
	for i, f := range job.Frames {
		frame := trace.Frame{Module: s.wholePath(f.Module), Offset: f.Offset}
		death.Frames = append(death.Frames, symbolize(frame, s.process.program, i > 0)...)
	}
}

// wholePath returns the path of a module. If the record holds only the end of the target's path,
// wholePath completes it.
func (s *stream) wholePath(module string) string {
	cut := len(module) == worker.ModuleBytes-1
	if cut && s.target.Kind == replay.Library && strings.HasSuffix(s.target.Path, module) {
		return s.target.Path
	}
	return module
}
