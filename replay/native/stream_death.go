package native

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// suspect handles a record that makes no sense: a trace has overwritten it, its own or another.
// To find out which, suspect has each trace run in a process of its own. If the trace of job
// already has, it is to blame.
func (s *stream) suspect(b *replay.Batch, job worker.Job) error {
	if s.ran > 0 || b != s.single {
		s.single = b
		return nil
	}
	if job.Err != nil && job.Err != worker.ErrScribbled {
		return fmt.Errorf("target %s: %w", s.target.Name, job.Err)
	}
	if s.way == replay.Fork && job.NoFork {
		return fmt.Errorf("target %s: a worker could not fork", s.target.Name)
	}
	run := &b.Runs[b.Done]
	run.Answers.Reset()
	run.End, run.Call = trace.Killed, min(job.Call, len(b.Traces[b.Done].Calls))
	// A target that overwrites answers has corrupted the process, which is as bad as a crash.
	run.Death = trace.Death{Signal: int(syscall.SIGSEGV), Stderr: "(no crash: " + worker.ErrScribbled.Error() + ")"}
	if s.way == replay.Fork && job.WaitStatus > 0 && job.WaitStatus <= 0xffff {
		run.End, run.Death = s.endOfChild(job.Doubtful())
	}
	s.taken(b)
	return nil
}

// bury fills in the runs of a batch up to the death of the process. The trace that was running
// gets the blame. If the process died between two traces of a batch, something that the target left
// behind, such as a thread or a timer, ended it, and the trace before gets the blame; if that is in an
// earlier batch, the trace after it. No trace gets the blame if somebody else may have ended the process
// there, or if the trace that exceeded a limit finished before the watchdog ended the process.
func (s *stream) bury(b *replay.Batch, number uint32) error {
	s.process.Kill()
	<-s.process.Exited
	where, slot := s.process.memory.Where(), s.slot(number)
	credible := s.process.credible()
	if where.Serial == uint64(s.ran) && credible {
		return s.buryIdle(b, slot.Job(0), where.OutputFrom)
	}
	index := where.Job
	known := where.Batch == number && index < slot.Len() && where.Serial == uint64(s.ran+index+1) && credible
	if known && s.way == replay.Persistent && !where.Running && !slot.HasBegun(index) {
		if index == 0 {
			return s.buryIdle(b, slot.Job(0), where.OutputFrom)
		}
		index--
	}
	if !known {
		if s.ran > 0 || b != s.single {
			s.single = b
			return nil
		}
		for index = 0; index < slot.Len()-1 && slot.Job(index).Finished; index++ {
		}
	}
	if known && s.way == replay.Persistent && s.process.endInside.Load() && slot.Job(index).Finished {
		_, err := s.takeUpTo(b, number, index+1) // it finished after the watchdog's look
		return err
	}
	if whole, err := s.takeUpTo(b, number, index); !whole {
		return err
	}
	if known && s.process.end.Load() != int32(trace.Finished) && s.process.endSerial.Load() != where.Serial {
		return nil
	}
	job := slot.Job(index)
	s.fill(b, job)
	if job.Err == worker.ErrScribbled || !credible {
		job = job.Doubtful()
	} else if job.Finished && job.Signal == 0 { // it was the last of its batch
		job.Crash = s.process.memory.Idle()
	}
	run := &b.Runs[b.Done]
	if s.process.ranSerial.Load() == where.Serial { // the worker died before it could record the time
		run.Usage.WallNanos = uint64(max(s.process.ran.Load(), 0))
	}
	run.End, run.Death = s.endOfProcess(job)
	run.Call = min(job.Call, len(b.Traces[b.Done].Calls))
	s.taken(b)
	return nil
}

// buryIdle handles a process that died before it began the next trace. The traces before that one are judged
// already. If the target ended the process, the next trace gets the blame, because a crash that nobody sees
// is worse than one that is seen at the wrong trace.
func (s *stream) buryIdle(b *replay.Batch, next worker.Job, outputFrom int64) error {
	if s.process.Violation() == "" && !(s.process.ByItself() && s.process.end.Load() == int32(trace.Finished)) {
		return nil
	}
	run := &b.Runs[b.Done]
	s.fill(b, next)
	run.End, run.Death = s.endOfProcess(worker.Job{Crash: s.process.memory.Idle(), OutputFrom: outputFrom})
	run.Call = 0
	s.taken(b)
	return nil
}

// endOfProcess tells how the worker died in a trace.
func (s *stream) endOfProcess(job worker.Job) (trace.End, trace.Death) {
	end, death := trace.End(s.process.end.Load()), trace.Death{}
	if end == trace.Finished {
		end, death = s.process.Death()
		death.InParent = s.way == replay.Fork && s.process.Violation() == "" && job.Signal == 0
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
	death.AtExit = s.way == replay.Fork && job.Finished && !death.InParent
	death.InInit = job.InInit && !death.InParent
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
