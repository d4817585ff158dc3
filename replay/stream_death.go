package replay

import (
	"strings"
	"syscall"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

func (s *Stream) endOfProcess(job worker.Job) (trace.End, trace.Death) {
	end, death := trace.End(s.process.end.Load()), trace.Death{}
	if end == trace.Finished {
		end, death = deathOf(s.process.state.Sys().(syscall.WaitStatus))
		if s.process.scribbled.Load() { // it was ended for that
			death.Signal = int(syscall.SIGSEGV)
		}
	}
	s.describe(&end, &death, job)
	death.Stderr = s.process.tail(job.OutputFrom, toTheEnd)
	return end, death
}

func (s *Stream) endOfChild(job worker.Job) (trace.End, trace.Death) {
	end, death := deathOf(syscall.WaitStatus(job.WaitStatus))
	s.describe(&end, &death, job)
	death.Stderr = s.process.uncut(job.OutputCuts, s.process.tail, job.OutputFrom, job.OutputTo)
	return end, death
}

// describe adds what the crash handler noted.
func (s *Stream) describe(end *trace.End, death *trace.Death, job worker.Job) {
	if death.Signal == int(syscall.SIGXFSZ) {
		*end, death.Signal = trace.OutOfOutput, 0 // the kernel was quicker than the watchdog
	}
	if job.Signal == 0 {
		return
	}
	if *end == trace.OutOfTime && job.Signal > 0 && job.Signal < 65 {
		*end, death.Signal = trace.Killed, job.Signal // the handler hung in a process that was past help
	}
	death.Code, death.Address, death.OtherThread = job.Code, job.Address, job.OtherThread
	for i, f := range job.Frames {
		frame := trace.Frame{Module: s.wholePath(f.Module), Offset: f.Offset}
		death.Frames = append(death.Frames, symbolize(frame, s.process.program, i > 0))
	}
}

// wholePath returns the path of a module whose record holds the end of it alone.
func (s *Stream) wholePath(module string) string {
	if s.target.Kind == Library && len(module) == worker.ModuleBytes-1 && strings.HasSuffix(s.target.Path, module) {
		return s.target.Path
	}
	return module
}
