package replay_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestPipeAnswersAsLibrary: the same library behind a pipe and in a worker gives
// the same answers to the same traces.
func TestPipeAnswersAsLibrary(t *testing.T) {
	t.Parallel()
	traces := 1500
	if testing.Short() {
		traces = 300
	}
	for _, m := range append(apimodel.Models(), apimodel.QBF) {
		t.Run(m.Name, func(t *testing.T) {
			direct := openRunner(t, resolve(t, "ref", m.Name), replay.Persistent, replay.DefaultLimits)
			description, err := direct.Description()
			if err != nil {
				t.Fatal(err)
			}
			target := resolve(t, runnerSpec("serve-"+m.Name), "")
			piped := openRunner(t, target, replay.Persistent, replay.DefaultLimits)
			if got, err := piped.Description(); err != nil ||
				got.Policy("terminate-stop") != description.Policy("terminate-stop") ||
				len(got.Options) != len(description.Options) {
				t.Fatalf("the runner describes the library as %v (%v), not as %v", got, err, description)
			}
			single := openRunner(t, target, replay.Fork, replay.DefaultLimits)
			generator, err := gen.New(gen.Config{Model: m, Description: description, Profile: "tiny"})
			if err != nil {
				t.Fatal(err)
			}
			for number := range uint64(traces) {
				tr := new(trace.Trace)
				generator.Generate(gen.Seed(42, 0, number), tr)
				want := run(t, direct, tr)
				runners := []replay.Runner{piped}
				if number%100 == 0 {
					runners = append(runners, single)
				}
				for _, runner := range runners {
					sameRun(t, tr, want, run(t, runner, tr))
				}
			}
			every := parse(t, everyCall[m.Name])
			sameRun(t, every, run(t, direct, every), run(t, piped, every))
		})
	}
}

func sameRun(t *testing.T, tr *trace.Trace, want, got *trace.Run) {
	t.Helper()
	x, y := *tr, *tr
	x.Want, y.Want = want.Answers, got.Answers
	same := trace.Equal(&x, &y) && want.End == got.End
	for i := range tr.Calls {
		a, b := want.Answers.At(i), got.Answers.At(i)
		e, f := want.Answers.EffortOf(a), got.Answers.EffortOf(b)
		same = same && a.Kind == b.Kind && e.Polls == f.Polls && e.PollsAfter == f.PollsAfter && e.Learned == f.Learned
	}
	if !same {
		t.Fatalf("the library answers:\n%s\nthrough a pipe:\n%s", tr.AppendLog(nil, want), tr.AppendLog(nil, got))
	}
}

// TestPipeEnds: however a runner ends, that is a result. The call in progress gets the
// blame, and the next trace runs as usual.
func TestPipeEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for limits: 5 s")
	}
	exited := func(code int) trace.Death { return trace.Death{ExitCode: code} }
	quick := tight
	quick.Wall = 2 * time.Second // enough for a calm trace on any machine
	small := tight
	small.Memory, small.CPU, small.Wall = 128<<20, 10*time.Second, 10*time.Second
	const clause = provokedSolve - 2
	var ends []func(*testing.T)
	var names []string
	for n, c := range []struct {
		name   string
		limits replay.Limits
		end    trace.End
		call   int
		death  trace.Death
		stderr string
	}{
		{"exits", tight, trace.Exited, provokedSolve, exited(7), "assertion failed\n"},
		{"ends", tight, trace.Exited, provokedSolve, exited(0), ""},
		{"killed", tight, trace.Killed, provokedSolve, trace.Death{Signal: int(syscall.SIGKILL)}, "about to fall\n"},
		{"dies-unflushed", tight, trace.Exited, clause, exited(7), "cannot take it\n"},
		{"partial-line", tight, trace.Exited, provokedSolve, exited(7), ""},
		{"partial-line-and-hang", quick, trace.OutOfTime, provokedSolve, trace.Death{}, ""},
		{"answers-not", quick, trace.OutOfTime, provokedSolve, trace.Death{}, ""},
		{"hangs", quick, trace.OutOfTime, provokedSolve, trace.Death{}, ""},
		{"spins", tight, trace.OutOfCPU, provokedSolve, trace.Death{}, ""},
		{"child-spins", tight, trace.OutOfCPU, provokedSolve, trace.Death{}, ""},
		{"child-eats", small, trace.OutOfMemory, provokedSolve, trace.Death{}, ""},
		{"ends-slowly", small, trace.Exited, provokedSolve, exited(7), ""},
		{"leaves-child", tight, trace.Exited, provokedSolve, exited(7), ""},
		{"floods-stderr", tight, trace.OutOfOutput, provokedSolve, trace.Death{}, "no end\n"},
		{"floods-line", tight, trace.OutOfOutput, provokedSolve, trace.Death{}, ""},
	} {
		for i, way := range isolated {
			if testing.Short() && i != n%2 {
				continue // each of them in one way, in turns
			}
			ends = append(ends, func(t *testing.T) {
				t.Parallel()
				runner := openRunner(t, resolve(t, runnerSpec(c.name), "ipamir"), way, c.limits)
				healthy := func() {
					if got := run(t, runner, calm(t)); got.End != trace.Finished || got.Answers.At(2).Num != 30 {
						t.Fatalf("the calm trace: %+v", got)
					}
				}
				if c.name != "dies-unflushed" { // it need not have answered anything
					healthy()
				}
				got := run(t, runner, provoked(t))
				if got.End != c.end || got.Call != c.call || got.Death.ExitCode != c.death.ExitCode ||
					got.Death.Signal != c.death.Signal || !strings.Contains(got.Death.Stderr, c.stderr) {
					t.Errorf("it ended as %v in call %d: %+v; want %v in call %d: %+v", got.End, got.Call, got.Death, c.end, c.call,
						c.death)
				}
				for i := c.call; i < len(got.Answers.Of); i++ {
					if got.Answers.At(i).Kind != trace.NotAnswered {
						t.Errorf("call %d has an answer: %+v", i, got.Answers.At(i))
					}
				}
				healthy()
				if c.name == "dies-unflushed" {
					if got := run(t, runner, provoked(t)); got.Call != c.call {
						t.Errorf("after another trace it ended in call %d, want %d", got.Call, c.call)
					}
				}
			})
			names = append(names, c.name+"/"+string(way))
		}
	}
	t.Run("all", func(t *testing.T) {
		for i, end := range ends {
			t.Run(names[i], end)
		}
	})
	if left := workers(t); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// TestPipeViolations: a line that is not an answer is an error of the runner that
// quotes it, and not a run that could be blamed on the solver.
func TestPipeViolations(t *testing.T) {
	violations := []struct{ name, want string }{
		{"garbage", `to call 4 (solve) it answered "c restarts: 3": want = as the first field, got "c"`},
		{"blank-lines", `to call 4 (solve) it answered "": want = as the first field, got the end of the line`},
		{"throws-badly", `to call 4 (solve) it answered "threw up": want`},
		{"no-number", `to call 4 (solve) it answered "= SATISFIABLE": want an answer from`},
		{"too-large", `want an answer from -2147483648 to 2147483647, got "99999999999"`},
		{"trailing", `polls=`},
		{"bad-effort", `got "polls=many"`},
		{"nul", `it answered "= 3\x000": want an answer from`},
		{"withholds", `to call 4 (solve) it answered "= -"`},
		{"lacks-solve", `to call 4 (solve) it answered "= ?": want another answer: every runner has this call`},
		{"lacks-clauses", `to call 2 (hard 666 0) it answered "= ?": want another answer`},
		{"answers-more-than-nothing", `to call 2 (hard 666 0) it answered "= 10": want the end of the line`},
		{"answers-twice", ""},
		{"ends-early", `to call 4 (solve) it answered "end": want an answer (it has answered fewer lines than it was sent)`},
		{"contradicts-itself", `to call 6 (model) it answered "= 1 -2 -1": want each variable once`},
		{"floods-lines", ""},
		{"closes-stdout", "it closed its stdout and did not end"},
		{"closes-both", " and did not end"},
	}
	t.Run("all", func(t *testing.T) {
		for n, c := range violations {
			for i, way := range isolated {
				if testing.Short() && i != n%2 {
					continue // each of them in one way, in turns
				}
				t.Run(c.name+"/"+string(way), func(t *testing.T) {
					t.Parallel()
					violates(t, c.name, way, c.want)
				})
			}
		}
	})
	if left := workers(t); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// violates fails the test unless the runner violates the protocol in the provoked trace, and
// a new process of the runner then runs the next trace.
func violates(t *testing.T, name string, way replay.Way, want string) {
	t.Helper()
	runner, err := replay.Open(resolve(t, runnerSpec(name), "ipamir"), way, tight)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	run(t, runner, calm(t))
	var got trace.Run
	err = runner.Run(t.Context(), provoked(t), &got)
	var protocol *replay.ProtocolError
	var target *replay.TargetError
	if errors.As(err, &protocol) && protocol.Trace == nil {
		t.Error("the error does not name the trace")
	}
	if !errors.As(err, &protocol) || !errors.As(err, &target) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q; the run is %+v", err, want, got)
	}
	run(t, runner, calm(t))
}

// TestPipeThrew: if a runner catches an exception of its solver, only that trace fails.
func TestPipeThrew(t *testing.T) {
	t.Parallel()
	for _, way := range isolated {
		queue, err := replay.OpenQueue(resolve(t, runnerSpec("throws"), "ipamir"), way, tight, replay.QueueOptions{Ahead: 1,
			Traces: 8})
		if err != nil {
			t.Fatal(err)
		}
		defer queue.Close()
		batch := &replay.Batch{}
		for i := range 8 {
			tr := calm(t)
			if i%3 == 1 {
				tr = provoked(t)
			}
			batch.Traces = append(batch.Traces, tr)
		}
		if _, err := queue.Post(batch); err != nil {
			t.Fatal(err)
		}
		if b, err := queue.Collect(); err != nil || !b.Complete() {
			t.Fatalf("%s: %v, %+v", way, err, b)
		}
		for i := range batch.Runs {
			run := &batch.Runs[i]
			switch threw := i%3 == 1; {
			case way == replay.Persistent && batch.Before[i] != i:
				t.Errorf("%s: trace %d ran after %d others in its process", way, i, batch.Before[i])
			case !threw && run.End != trace.Finished:
				t.Errorf("%s: trace %d: %+v", way, i, run)
			case threw && (run.End != trace.Exited || run.Call != provokedSolve ||
				run.Answers.At(provokedSolve).Kind != trace.NotAnswered ||
				run.Death.Stderr != "java.lang.NullPointerException\n\tat org.x.Y.f(Y.java:12)"):
				t.Errorf("%s: trace %d: %+v", way, i, run)
			}
		}
	}
}

// TestPipeRepeatable: a runner which says that it answers every trace as a new process
// would is started only once.
func TestPipeRepeatable(t *testing.T) {
	t.Parallel()
	runner := openRunner(t, resolve(t, runnerSpec("repeatable"), "ipamir"), replay.Fork, tight)
	for n := range uint64(5) {
		if got := run(t, runner, provoked(t)); got.Answers.At(provokedSolve+1).Num != n+1 {
			t.Errorf("trace %d: its process has had %d", n+1, got.Answers.At(provokedSolve+1).Num)
		}
	}
}

// TestPipeOddButLegal: what a runner may do.
func TestPipeOddButLegal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"healthy", "late", "ends-after-a-trace", "with-effort"} {
		for _, way := range isolated {
			runner := openRunner(t, resolve(t, runnerSpec(name), ""), way, tight)
			for range 4 {
				got := run(t, runner, provoked(t))
				if got.End != trace.Finished || got.Answers.At(provokedSolve).Num != 30 ||
					got.Answers.At(provokedSolve+1).Num != 7 {
					t.Errorf("%s/%s: %+v", name, way, got)
				}
				if model := got.Answers.ListOf(got.Answers.At(provokedSolve + 2)); len(model) != 2 || model[0] != -1 ||
					model[1] != 2 {
					t.Errorf("%s/%s: the model is %v", name, way, model)
				}
				if effort := got.Answers.EffortOf(got.Answers.At(provokedSolve)); name == "with-effort" && (effort.Nanos != 5 ||
					effort.Polls != 3 || effort.PollsAfter != 2 || effort.Learned != 1 ||
					!effort.OthersPolled || effort.OthersLearned) {
					t.Errorf("%s: the effort is %+v", way, effort)
				}
			}
		}
	}
	got := run(t, openRunner(t, resolve(t, runnerSpec("odd-status"), ""), replay.Persistent, tight), provoked(t))
	if got.Answers.At(provokedSolve).Num != 77 || got.Answers.At(provokedSolve+1).Kind != trace.Withheld {
		t.Errorf("an unknown status: %+v", got)
	}
}

// TestSlowHello: somebody hears of a runner that takes long to describe itself, and which one it is. This runner waits
// until that has happened.
func TestSlowHello(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	heard := make(chan string, 1)
	process.AnnounceSlowStarts(time.Millisecond, func(text string) {
		if strings.Contains(text, t.Name()) { // other tests start runners, too
			heard <- text
			os.WriteFile(told, nil, 0o600)
		}
	})
	t.Cleanup(func() { process.AnnounceSlowStarts(time.Hour, nil) })
	const waits = `until test -e "$1"; do sleep 0.01; done; exec "$0" ` + runnerWord + " serve-ipamir"
	target := &replay.Target{Name: t.Name(), Command: []string{"sh", "-c", waits, os.Args[0], told}}
	if err := pipe.Resolve(t.Context(), target, apimodel.IPAMIR); err != nil {
		t.Fatal(err)
	}
	if text := <-heard; !strings.HasPrefix(text, "Waiting for TestSlowHello (sh -c until") ||
		!strings.HasSuffix(text, ` to say "ready": 1ms so far, at most 1m0s.`) {
		t.Error(text)
	}
}

// TestPipeHellos: a program that is not a runner of this version is refused with
// the reason.
func TestPipeHellos(t *testing.T) {
	for _, c := range []struct{ name, model, want string }{
		{"silent", "", `it ended (exit status 0) before it said "ready"; it wrote:` + "\nfrom the runner"},
		{"version-2", "", `it speaks version "2", this ipafuzz speaks version 1`},
		{"solver", "", `want "ipafuzz-runner 1" as its first line, got "c a solver, not a runner"`},
		{"solver-and-waits", "", `want "ipafuzz-runner 1" as its first line`},
		{"cut-off", "", `it ended (exit status 0) before it said "ready"`},
		{"no-model", "", "it names no model"},
		{"unknown-model", "", "its description cannot be read"},
		{"bad-option", "", "description: line 2: "},
		{"binary", "", `as its first line, got "\x7fELF\x02\x00\x00\x00"`},
		{"endless", "", "it says more than"},
		{"long-line", "", `before it said "ready"`},
		{"healthy-in-its-word", "ipamir", "it says that it serves ipasir, not ipamir"},
		{"healthy-in-its-word", "pb", "there is no API model"},
	} {
		_, err := targets.Resolve(runnerSpec(c.name), c.model, nil)
		var target *replay.TargetError
		if !errors.As(err, &target) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"pipe:", "want a command after pipe:"},
		{"pipe:no-such-program-anywhere", "executable file not found"},
		{"pipe:./pipe_test.go", "permission denied"},
	} {
		if _, err := targets.Resolve(c.spec, "", nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.spec, err, c.want)
		}
	}
	target, err := targets.Resolve(runnerSpec("healthy-in-its-word"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := replay.Open(target, replay.Persistent, tight)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	err = runner.Run(context.Background(), parse(t, "ipafuzz 1 ipasir\nsolve\n"), new(trace.Run))
	want := "3 times in a row it ended before it answered the first line of a trace (exit status 0"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a runner that takes no trace: %v", err)
	}
	deaf := filepath.Join(t.TempDir(), "deaf")
	if err := os.WriteFile(deaf, []byte("#!/bin/sh\nprintf 'ipafuzz-runner 1\\nmodel ipasir\\nready\\n'\n"+
		"while :; do :; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if target, err = targets.Resolve("pipe:"+deaf, "", nil); err != nil {
		t.Fatal(err)
	}
	busy, err := replay.Open(target, replay.Persistent, replay.Limits{CPU: 100 * time.Millisecond, Wall: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	err = busy.Run(context.Background(), parse(t, "ipafuzz 1 ipasir\nsolve\n"), new(trace.Run))
	if err == nil || !strings.Contains(err.Error(), "of a trace (ipafuzz ended it: ") {
		t.Errorf("a runner that never reads: %v", err)
	}
	if left := workers(t); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
}
