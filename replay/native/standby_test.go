package native

import (
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// openHanging opens a stream that runs hanging in a library, which ends at the CPU limit.
func openHanging(t *testing.T, way replay.Way) *stream {
	target := &replay.Target{Name: "ref", Settings: []replay.Setting{{Name: "defect", Value: "complementary-loop"}}}
	if err := ResolveBuiltIn(target, apimodel.IPAMIR); err != nil {
		t.Fatal(err)
	}
	limits := replay.DefaultLimits
	limits.CPU = 10 * time.Millisecond
	s, err := openStream(target, way, limits, replay.DefaultQueue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// runHanging runs a batch whose second trace hangs, and checks what the traces did and how many their processes had
// run before.
func runHanging(t *testing.T, s *stream) {
	t.Helper()
	healthy, hanging := &trace.Trace{Model: apimodel.IPAMIR}, &trace.Trace{Model: apimodel.IPAMIR}
	hanging.Soft(0, 1, 5)
	hanging.Soft(0, -1, 7)
	healthy.Plain(0, apimodel.OpSolve)
	hanging.Plain(0, apimodel.OpSolve)
	earlier := s.ran
	b := &replay.Batch{Traces: []*trace.Trace{healthy, hanging, healthy}}
	if _, err := s.Post(b); err != nil {
		t.Fatal(err)
	}
	for !b.Complete() {
		if _, err := s.Collect(); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []trace.End{trace.Finished, trace.OutOfCPU, trace.Finished} {
		if got := b.Runs[i].End; got != want {
			t.Errorf("trace %d: %v, want %v", i, got, want)
		}
		if want := []int{earlier, earlier + 1, 0}[i]; b.Before[i] != want {
			t.Errorf("%d traces ran before trace %d, want %d", b.Before[i], i, want)
		}
	}
}

// awaitStandby waits until the standby is ready.
func awaitStandby(t *testing.T, s *stream) *workerProcess {
	t.Helper()
	next := s.standby.Load()
	if next == nil {
		t.Fatal("there is no standby")
	}
	if <-next.done; next.ready == nil {
		t.Fatal("the standby did not start")
	}
	return next.ready
}

// TestStandby: once a process has died, another one waits to take over, and another one after that. It takes over
// even if the limits of time have changed, but not if others have, nor if it is dead. None outlives the stream.
func TestStandby(t *testing.T) {
	for _, way := range []replay.Way{replay.Persistent, replay.Fork} {
		s := openHanging(t, way)
		if s.standby.Load() != nil {
			t.Errorf("%s: there is a standby before any death", way)
		}
		runHanging(t, s)
		for _, row := range []struct {
			name  string
			do    func(standby *workerProcess)
			taken bool
		}{
			{"nothing", func(*workerProcess) {}, true},
			{"shorter time", func(*workerProcess) {
				limits := s.limits
				limits.CPU, limits.Wall = 5*time.Millisecond, 10*time.Second
				s.SetLimits(limits)
			}, true},
			{"less memory", func(*workerProcess) {
				limits := s.limits
				limits.Memory /= 2
				s.SetLimits(limits)
			}, false},
			{"a dead standby", func(standby *workerProcess) {
				standby.Signal(syscall.SIGKILL, nil)
				<-standby.Exited
			}, false},
			{"nothing again", func(*workerProcess) {}, true},
		} {
			standby := awaitStandby(t, s)
			row.do(standby)
			runHanging(t, s)
			if taken := s.process == standby; taken != row.taken {
				t.Errorf("%s, %s: the standby took over: %t, want %t", way, row.name, taken, row.taken)
			}
			if !row.taken {
				<-standby.Exited
			}
			if got := s.process.limits.Load().CPU; got != s.limits.CPU {
				t.Errorf("%s, %s: the process has a limit of %v, want %v", way, row.name, got, s.limits.CPU)
			}
		}
		last, standby := s.process, awaitStandby(t, s)
		s.Close()
		for _, p := range []*workerProcess{last, standby} {
			if !p.Gone() {
				t.Errorf("%s: process %d outlives the stream", way, p.PID)
			}
		}
		if _, err := s.Post(&replay.Batch{Traces: []*trace.Trace{{Model: apimodel.IPAMIR}}}); err == nil {
			t.Errorf("%s: a closed stream takes traces", way)
		}
	}
}

// TestStandbyInterrupted: a stream can be interrupted and closed while its standby starts.
func TestStandbyInterrupted(t *testing.T) {
	s := openHanging(t, replay.Persistent)
	runHanging(t, s)
	s.Interrupt()
	next := s.standby.Load()
	s.Close()
	if p := next.worker.Load(); p != nil && !p.Gone() {
		t.Errorf("process %d outlives the stream", p.PID)
	}
}

// TestNextProcessIsNotStartedInVain: a stream that has nothing to run starts the next process when it has.
func TestNextProcessIsNotStartedInVain(t *testing.T) {
	s := openHanging(t, replay.Persistent)
	s.layout.Jobs = 1 // no standby
	hanging := &trace.Trace{Model: apimodel.IPAMIR}
	hanging.Soft(0, 1, 5)
	hanging.Soft(0, -1, 7)
	hanging.Plain(0, apimodel.OpSolve)
	for range 2 {
		b := &replay.Batch{Traces: []*trace.Trace{hanging}}
		if _, err := s.Post(b); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Collect(); err != nil {
			t.Fatal(err)
		}
		if b.Runs[0].End != trace.OutOfCPU || b.Before[0] != 0 {
			t.Errorf("%v after %d traces, want %v after none", b.Runs[0].End, b.Before[0], trace.OutOfCPU)
		}
		if s.process != nil || s.standby.Load() != nil {
			t.Error("a process was started for nothing")
		}
	}
}
