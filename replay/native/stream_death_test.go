package native

import (
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestHandlerThatHangs: a crash stays a crash if the crash handler then waits for a lock for ever, and the signal
// with which the watchdog asks for the stack of a deadlock is no crash.
func TestHandlerThatHangs(t *testing.T) {
	for _, row := range []struct {
		end    trace.End // as the watchdog saw it
		noted  syscall.Signal
		want   trace.End
		signal syscall.Signal
	}{
		{trace.OutOfTime, 0, trace.OutOfTime, 0},
		{trace.OutOfTime, syscall.SIGSEGV, trace.Killed, syscall.SIGSEGV},
		{trace.Deadlocked, 0, trace.Deadlocked, 0},
		{trace.Deadlocked, syscall.SIGSEGV, trace.Killed, syscall.SIGSEGV},
		{trace.Deadlocked, stackSignal, trace.Deadlocked, 0},
	} {
		s, end, death := &stream{process: &workerProcess{}}, row.end, trace.Death{}
		s.describe(&end, &death, worker.Job{Crash: worker.Crash{Signal: int(row.noted), Code: 1}})
		if end != row.want || death.Signal != int(row.signal) {
			t.Errorf("%v with signal %d noted: %v, signal %d; want %v, %d", row.end, row.noted, end, death.Signal, row.want,
				row.signal)
		}
		if (death.Code == 0) != (row.want != trace.Killed) {
			t.Errorf("%v with signal %d noted: code %d", row.end, row.noted, death.Code)
		}
	}
}

// TestForbiddenCallFirst: a process that was ended for a forbidden call, and takes long to die, met no limit.
func TestForbiddenCallFirst(t *testing.T) {
	for _, row := range []struct{ before, want trace.End }{
		{trace.Finished, trace.OutOfCPU}, {trace.Trespassed, trace.Trespassed},
	} {
		p := new(workerProcess)
		p.end.Store(int32(row.before))
		if p.endBy(trace.OutOfCPU); trace.End(p.end.Load()) != row.want {
			t.Errorf("after %v: %v", row.before, trace.End(p.end.Load()))
		}
	}
}
