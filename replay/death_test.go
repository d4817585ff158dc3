package replay_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

var isolated = []replay.Way{replay.Fork, replay.Persistent}

var ways = append(isolated, replay.InProcess)

// tight limits end what works without end soon, and no honest trace on a busy
// machine, where a little work takes long. What sleeps needs a shorter wall time.
var tight = replay.Limits{Wall: time.Minute, CPU: 300 * time.Millisecond, Memory: 512 << 20, Output: 1 << 20}

// TestDeaths: every way to end a process is told apart and blamed on the call
// that it happened in, and the next trace is not touched by it.
func TestDeaths(t *testing.T) {
	killed := func(s syscall.Signal) trace.Death { return trace.Death{Signal: int(s)} }
	sleepy := tight
	sleepy.Wall = time.Second
	for _, c := range []struct {
		name     string
		flags    []string
		limits   replay.Limits
		end      trace.End
		death    trace.Death // without frames
		function string      // of the first frame in the library
	}{
		{name: "exits", end: trace.Exited},
		{name: "complains", end: trace.Exited, death: trace.Death{ExitCode: 7, Stderr: "c ERROR: out of patience\n"}},
		{name: "asserts", end: trace.Killed, death: trace.Death{Signal: int(syscall.SIGABRT), Stderr: "trail is empty"},
			function: "ipamir_solve"},
		{name: "segfaults", end: trace.Killed, death: killed(syscall.SIGSEGV), function: "propagate_watches"},
		{name: "overflows", end: trace.Killed, death: killed(syscall.SIGSEGV), function: "descend"},
		{name: "divides", end: trace.Killed, death: killed(syscall.SIGFPE), function: "ipamir_solve"},
		{name: "closes", end: trace.Killed, death: killed(syscall.SIGABRT), function: "ipamir_solve"},
		{name: "defies", end: trace.Exited, death: trace.Death{ExitCode: 128 + int(syscall.SIGSEGV)}},
		{name: "childless", end: trace.Killed, death: killed(syscall.SIGABRT), function: "ipamir_solve"},
		{name: "childless", flags: []string{"-DREAPS"}, end: trace.Killed, death: killed(syscall.SIGABRT),
			function: "ipamir_solve"},
		{name: "pooled", end: trace.Killed, death: killed(syscall.SIGABRT), function: "ipamir_solve"},
		{name: "floods", end: trace.OutOfOutput, death: trace.Death{Stderr: "c conflict"}},
		{name: "floods", flags: []string{"-DSTREAM=stdout"}, end: trace.OutOfOutput,
			death: trace.Death{Stderr: "c conflict"}},
		{name: "sleeps", limits: sleepy, end: trace.OutOfTime},
		{name: "deadlocks", end: trace.Deadlocked, death: trace.Death{Threads: 1}, function: "lock"},
		{name: "deadlocks", flags: []string{"-DTHREADS"}, end: trace.Deadlocked, death: trace.Death{Threads: 2},
			function: "lock"},
		{name: "spins", end: trace.OutOfCPU},
		{name: "defies", flags: []string{"-DENDLESS"}, end: trace.OutOfCPU},
		{name: "eats", end: trace.OutOfMemory},
	} {
		for _, way := range isolated {
			t.Run(c.name+strings.Join(c.flags, "")+"/"+string(way), func(t *testing.T) {
				if testing.Short() && way == replay.Persistent && (c.end == trace.OutOfCPU || c.end == trace.OutOfMemory) {
					t.Skip("takes its time")
				}
				t.Parallel()
				limits := c.limits
				if limits == (replay.Limits{}) {
					limits = tight
				}
				if c.end == trace.OutOfMemory || c.end == trace.OutOfOutput {
					limits.CPU = 3 * time.Second // the kernel's work counts too
				}
				runner := openRunner(t, resolve(t, library(t, c.name, c.flags...), ""), way, limits)
				begin := time.Now()
				got := run(t, runner, provoked(t))
				if took := time.Since(begin); c.end == trace.OutOfTime && took > 15*limits.Wall {
					t.Errorf("it took %v to end at the limit of %v", took, limits.Wall)
				}
				if c.end == trace.OutOfCPU && time.Duration(got.Usage.WallNanos) < limits.CPU/2 {
					t.Errorf("it took %v by its usage, and the limit is %v", time.Duration(got.Usage.WallNanos), limits.CPU)
				}
				died := c.end == trace.Killed || c.end == trace.Exited
				if died && way == replay.Fork && got.Usage.WallNanos == 0 {
					t.Error("its usage says nothing about the time")
				}
				if len(got.Death.Stderr) > process.MaxExcerpt {
					t.Fatalf("%d bytes of stderr are kept", len(got.Death.Stderr))
				}
				if got.End != c.end || got.Call != provokedSolve || got.Death.Signal != c.death.Signal ||
					got.Death.ExitCode != c.death.ExitCode || got.Death.Threads != c.death.Threads {
					t.Fatalf("%v in call %d, %.300v; want %v in call %d, %+v", got.End, got.Call, fmt.Sprintf("%+v", got.Death),
						c.end, provokedSolve, c.death)
				}
				if !strings.Contains(got.Death.Stderr, c.death.Stderr) || c.death.Stderr == "" && got.Death.Stderr != "" {
					t.Errorf("stderr is %q, want %q", got.Death.Stderr, c.death.Stderr)
				}
				if where := firstOf(got.Death.Frames, c.name+".so"); where != c.function {
					t.Errorf("the crash is in function %q, want %q: %+v", where, c.function, got.Death.Frames)
				}
				if a := got.Answers.At(provokedSolve - 1); a.Kind != trace.Answered {
					t.Errorf("the call before the death is not answered")
				}
				if a := got.Answers.At(provokedSolve); a.Kind != trace.NotAnswered {
					t.Errorf("the call of the death is answered: %+v", a)
				}
				if next := run(t, runner, calm(t)); next.End != trace.Finished || next.Answers.At(2).Num != 30 {
					t.Errorf("the next trace: %+v", next)
				}
			})
		}
	}
}

// TestNoDeadlock: a library whose only thread waits without a time limit is in no deadlock if a timer or
// another process ends the wait.
func TestNoDeadlock(t *testing.T) {
	for _, flag := range []string{"-DALARM", "-DTIMER", "-DCHILD", "-DLIMITED"} {
		for _, way := range isolated {
			t.Run(flag+"/"+string(way), func(t *testing.T) {
				t.Parallel()
				got := run(t, openRunner(t, resolve(t, library(t, "patient", flag), ""), way, tight), provoked(t))
				if got.End != trace.Finished {
					t.Errorf("%v, %+v", got.End, got.Death)
				}
			})
		}
	}
}

// TestForeignHandlersAreReplaced: a library's own handlers, which stay when its
// solver is gone, do not keep a later crash from being noted.
func TestForeignHandlersAreReplaced(t *testing.T) {
	t.Parallel()
	runner := openRunner(t, resolve(t, library(t, "handlers"), ""), replay.Persistent, tight)
	run(t, runner, calm(t))
	got := run(t, runner, provoked(t))
	if got.Death.Signal != int(syscall.SIGABRT) || firstOf(got.Death.Frames, "handlers.so") != "ipamir_solve" {
		t.Errorf("%+v", got)
	}
}

// TestInheritedSignals: what ipafuzz was told to ignore, as by nohup, a target does not.
func TestInheritedSignals(t *testing.T) {
	ignored := []os.Signal{syscall.SIGHUP, syscall.SIGPIPE}
	signal.Ignore(ignored...)
	defer signal.Reset(ignored...)
	for _, way := range isolated {
		for i, flag := range []string{"-DSIGNAL=SIGHUP", "-DSIGNAL=SIGPIPE"} {
			got := run(t, openRunner(t, resolve(t, library(t, "hangsup", flag), ""), way, tight), provoked(t))
			if got.End != trace.Killed || got.Death.Signal != int(ignored[i].(syscall.Signal)) {
				t.Errorf("%s %s: %v, %+v", way, flag, got.End, got.Death)
			}
		}
	}
}

// TestJumpOutOfCallback: a signal handler of a library may leave the callback for learned
// clauses by longjmp. The next clause of this or another thread then waited for the lock of the
// one left for ever.
func TestJumpOutOfCallback(t *testing.T) {
	t.Parallel()
	tr := testtrace.Parse(t, "ipafuzz 2 ipasir\nadd 1 0\nlearn 1\nsolve\nval 1\n")
	patient := tight
	patient.CPU = 5 * time.Second
	for _, way := range isolated {
		for _, flags := range [][]string{nil, {"-DASIDE"}} {
			got := run(t, openRunner(t, resolve(t, library(t, "jumps", flags...), "ipasir"), way, patient), tr)
			if got.End != trace.Finished || got.Answers.At(2).Num != 10 {
				t.Errorf("%s %v: %+v", way, flags, got)
			}
		}
	}
}

// firstOf returns the function of the innermost frame of a module.
func firstOf(frames []trace.Frame, module string) string {
	for _, f := range frames {
		if strings.HasSuffix(f.Module, module) {
			return f.Function
		}
	}
	return ""
}

func TestFaultAddressIsNoted(t *testing.T) {
	t.Parallel()
	for _, way := range isolated {
		got := run(t, openRunner(t, resolve(t, library(t, "segfaults"), ""), way, tight), provoked(t))
		if got.Death.Address != 0 || got.Death.Code != 1 { // SEGV_MAPERR
			t.Errorf("%s: address %#x, code %d", way, got.Death.Address, got.Death.Code)
		}
		var functions []string
		for _, f := range got.Death.Frames {
			functions = append(functions, f.Function)
		}
		if stack := strings.Join(functions, " "); !strings.HasPrefix(stack, "propagate_watches search_model ipamir_solve") {
			t.Errorf("%s: the stack is %s", way, stack)
		}
	}
}

// TestStacksOfABatch: each crash of a batch has its own stack, and one between two batches has, too.
func TestStacksOfABatch(t *testing.T) {
	t.Parallel()
	target := resolve(t, library(t, "segfaults"), "")
	for _, way := range isolated {
		traces := []*trace.Trace{calm(t), provoked(t), provoked(t), calm(t), provoked(t)}
		runs, _ := collectAll(t, openStream(t, target, way, tight, 2, 3), traces, 3)
		for _, i := range []int{1, 2, 4} {
			if f := firstOf(runs[i].Death.Frames, "segfaults.so"); f != "propagate_watches" {
				t.Errorf("%s: trace %d crashed in %q: %+v", way, i, f, runs[i].Death)
			}
		}
	}
	target = resolve(t, library(t, "timebomb", "-DDELAY=1000", "-DEND=abort ()"), "")
	s := openStream(t, target, replay.Persistent, tight, 1, 1)
	runs, _ := collectAll(t, s, []*trace.Trace{provoked(t)}, 1)
	for runs[0].End == trace.Finished {
		time.Sleep(100 * time.Millisecond) // the worker waits for the next batch when the thread aborts
		runs, _ = collectAll(t, s, []*trace.Trace{calm(t)}, 1)
	}
	d := runs[0].Death
	lost := slices.IndexFunc(d.Frames, func(f trace.Frame) bool { return f.Module == "" })
	if d.Signal != int(syscall.SIGABRT) || firstOf(d.Frames, "timebomb.so") != "wait_and_kill" || lost >= 0 {
		t.Errorf("between two batches: %v, %+v", runs[0].End, d)
	}
}

// TestLongPathsAreSymbolized: the record of a frame holds a hundred bytes of a path.
func TestLongPathsAreSymbolized(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for len(dir) < 200 {
		dir += "/a-directory-with-a-long-name"
	}
	copied := copyFile(t, library(t, "segfaults"), dir, "libdeep.so")
	got := run(t, openRunner(t, resolve(t, copied, ""), replay.Fork, tight), provoked(t))
	if f := firstOf(got.Death.Frames, "libdeep.so"); f != "propagate_watches" {
		t.Errorf("function %q: %+v", f, got.Death.Frames)
	}
}

// TestCancel: a context that ends stops a hang at once, whatever the limits
// are, and the runner can be used afterwards.
func TestCancel(t *testing.T) {
	for _, way := range isolated {
		runner := openRunner(t, resolve(t, library(t, "sleeps"), ""), way, replay.DefaultLimits)
		for range 2 {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			begin := time.Now()
			var got trace.Run
			err := runner.Run(ctx, provoked(t), &got)
			cancel()
			if err != context.DeadlineExceeded {
				t.Errorf("%s: error %v", way, err)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("%s: it took %v", way, took)
			}
		}
		if len(workers(t)) != 0 {
			t.Errorf("%s: processes are left: %v", way, workers(t))
		}
		if got := run(t, runner, calm(t)); got.End != trace.Finished {
			t.Errorf("%s: the next trace: %+v", way, got)
		}
		runner.Close()
	}
}

func TestClosedRunner(t *testing.T) {
	runner, err := replay.Open(resolve(t, "ref", ""), replay.Fork, tight)
	if err != nil {
		t.Fatal(err)
	}
	runner.Close()
	runner.Close()
	var got trace.Run
	if err := runner.Run(context.Background(), calm(t), &got); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("error %v", err)
	}
	if _, err := runner.Description(); err == nil {
		t.Error("a closed runner describes its target")
	}
}
