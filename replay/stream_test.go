package replay_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A stream is a queue that takes that many batches ahead.
type stream struct {
	replay.Queue
	ahead int
}

// openStream opens a stream with room for a number of traces in a batch.
func openStream(t testing.TB, target *replay.Target, way replay.Way, limits replay.Limits, ahead, traces int) *stream {
	t.Helper()
	options := replay.DefaultQueue
	options.Ahead, options.Traces = ahead, traces
	queue, err := replay.OpenQueue(target, way, limits, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(queue.Close)
	return &stream{queue, ahead}
}

// collectAll posts batches of the traces, as many ahead as there is room for,
// and returns all runs and counts in order.
func collectAll(t testing.TB, s *stream, traces []*trace.Trace, size int) (runs []trace.Run, before []int) {
	t.Helper()
	var open []*replay.Batch
	for len(runs) < len(traces) {
		for len(open) < s.ahead {
			taken := len(runs)
			if len(open) > 0 {
				taken -= open[0].Done
			}
			for _, b := range open {
				taken += len(b.Traces)
			}
			if taken >= len(traces) {
				break
			}
			b := &replay.Batch{Traces: append([]*trace.Trace(nil), traces[taken:min(taken+size, len(traces))]...)}
			if n, err := s.Post(b); err != nil || n != len(b.Traces) {
				t.Fatalf("%d traces posted: %v", n, err)
			}
			open = append(open, b)
		}
		b, err := s.Collect()
		if err != nil {
			t.Fatal(err)
		}
		if b != open[0] {
			t.Fatal("batches are collected out of order")
		}
		if b.Fresh >= b.Done {
			t.Fatalf("nothing was collected: %d up to %d", b.Fresh, b.Done)
		}
		runs = append(runs, b.Runs[b.Fresh:b.Done]...)
		before = append(before, b.Before[b.Fresh:b.Done]...)
		if b.Complete() {
			open = open[1:]
		}
	}
	return runs, before
}

// numberedTrace is a calm trace that can be told from the others by its
// answers: its model names as many variables.
func numberedTrace(t testing.TB, n int) *trace.Trace {
	var lits strings.Builder
	for i := range n + 1 {
		fmt.Fprintf(&lits, " %d", i+1)
	}
	return parse(t, "ipafuzz 1 ipamir\nhard"+lits.String()+" 0\nsolve\nmodel\n")
}

func checkNumbered(t testing.TB, i int, run *trace.Run) {
	t.Helper()
	if run.End != trace.Finished || len(run.Answers.ListOf(run.Answers.At(2))) != i+1 {
		t.Errorf("trace %d: %v, %.300s", i, run.End, fmt.Sprintf("%+v", run))
	}
}

// TestBlameInBatches: of a batch with several deaths each goes to the right
// trace and the right call, and every other trace has its own answers.
func TestBlameInBatches(t *testing.T) {
	for _, c := range []struct {
		library string
		deaths  []int
		end     trace.End
		call    int
	}{
		{"segfaults", []int{0}, trace.Killed, provokedSolve},
		{"segfaults", []int{5}, trace.Killed, provokedSolve},
		{"segfaults", []int{11}, trace.Killed, provokedSolve},
		{"segfaults", []int{0, 1, 4, 7, 8, 11}, trace.Killed, provokedSolve},
		{"exits", []int{3, 7}, trace.Exited, provokedSolve},
		{"dieslast", []int{2, 3, 11}, trace.Killed, 6},
		{"spins", []int{7}, trace.OutOfCPU, provokedSolve},
	} {
		for _, way := range isolated {
			for _, size := range []int{12, 5, 1} {
				if testing.Short() && size != 5 {
					continue
				}
				t.Run(fmt.Sprint(c.library, c.deaths, way, size), func(t *testing.T) {
					t.Parallel()
					traces := make([]*trace.Trace, 12)
					dies := make(map[int]bool)
					for _, i := range c.deaths {
						dies[i], traces[i] = true, provoked(t)
					}
					for i := range traces {
						if traces[i] == nil {
							traces[i] = numberedTrace(t, i)
						}
					}
					s := openStream(t, resolve(t, library(t, c.library), ""), way, tight, 3, size)
					runs, before := collectAll(t, s, traces, size)
					ran := 0
					for i := range runs {
						if before[i] != ran {
							t.Errorf("trace %d: %d traces are said to have run before, %d have", i, before[i], ran)
						}
						ran++
						if !dies[i] {
							checkNumbered(t, i, &runs[i])
							continue
						}
						if runs[i].End != c.end || runs[i].Call != c.call {
							t.Errorf("trace %d: %v in call %d, want %v in call %d", i, runs[i].End, runs[i].Call, c.end, c.call)
						}
						if way == replay.Persistent || c.end == trace.OutOfCPU {
							ran = 0 // a new process
						}
					}
				})
			}
		}
	}
}

// TestWritesOverSharedMemory: a target that writes over all memory that it
// shares with ipafuzz is blamed for it, and no other trace is.
func TestWritesOverSharedMemory(t *testing.T) {
	patterns, ends := []string{"0", "0x5a", "0x01", "0xff"}, []string{"", "abort()", "_exit(3)", "for(;;)pause()"}
	if testing.Short() {
		patterns, ends = patterns[:2], ends[:2]
	}
	// With a part of the memory left alone: the worker's word on where it is.
	for _, pattern := range append(patterns, "0 -DSKIPPED=73728", "0x5a -DSKIPPED=73728") {
		for _, afterwards := range ends {
			for _, way := range isolated {
				t.Run(fmt.Sprint(pattern, afterwards, way), func(t *testing.T) {
					t.Parallel()
					limits := tight
					limits.Wall = time.Second
					flags := append(strings.Fields("-DPATTERN="+pattern), "-DAFTERWARDS="+afterwards)
					target := resolve(t, library(t, "scribbles", flags...), "")
					s := openStream(t, target, way, limits, 3, 4)
					const culprit = 6
					var traces []*trace.Trace
					for i := range 12 {
						traces = append(traces, numberedTrace(t, i))
					}
					traces[culprit] = provoked(t)
					runs, _ := collectAll(t, s, traces, 4)
					for i := range runs {
						switch {
						case i == culprit && runs[i].End == trace.Finished:
							t.Errorf("the culprit is let off: %+v", runs[i])
						case i != culprit:
							checkNumbered(t, i, &runs[i])
						}
					}
				})
			}
		}
	}
}

// TestOrdersCannotBeWritten: not even by a target that makes its memory writable.
func TestOrdersCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, way := range isolated {
		target := resolve(t, library(t, "scribbles", "-DORDERS_ONLY=1"), "")
		traces := []*trace.Trace{numberedTrace(t, 0), provoked(t), numberedTrace(t, 2)}
		runs, _ := collectAll(t, openStream(t, target, way, tight, 1, 3), traces, 3)
		for i := range runs {
			if runs[i].End != trace.Finished {
				t.Errorf("%s: trace %d: %+v", way, i, runs[i])
			}
		}
	}
}

// TestPoisonedProcess: after a trace that damages the process, the next one dies. Alone, the
// next one does not fail, and Before tells where to look.
func TestPoisonedProcess(t *testing.T) {
	t.Parallel()
	traces := []*trace.Trace{numberedTrace(t, 0), provoked(t), numberedTrace(t, 2), numberedTrace(t, 3)}
	target := resolve(t, library(t, "poisons"), "")
	runs, before := collectAll(t, openStream(t, target, replay.Persistent, tight, 1, 4), traces, 4)
	if runs[1].End != trace.Finished || runs[2].End != trace.Killed || runs[2].Death.Signal != int(syscall.SIGSEGV) ||
		before[2] != 2 {
		t.Errorf("%+v, before %v", runs, before)
	}
	checkNumbered(t, 3, &runs[3])
	runs, _ = collectAll(t, openStream(t, target, replay.Fork, tight, 1, 4), traces, 4)
	for i := range runs {
		if runs[i].End != trace.Finished {
			t.Errorf("alone, trace %d: %+v", i, runs[i])
		}
	}
}

// TestGlobalState: each trace of fork mode sees a fresh process.
func TestGlobalState(t *testing.T) {
	t.Parallel()
	ask := parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\nval 1\n")
	traces := []*trace.Trace{ask, ask, ask}
	for way, want := range map[replay.Way][]int64{replay.Fork: {1, 1, 1}, replay.Persistent: {1, 2, 3}} {
		runs, _ := collectAll(t, openStream(t, resolve(t, library(t, "counts"), ""), way, tight, 1, 3), traces, 3)
		for i := range runs {
			if got := runs[i].Answers.At(2).Int(); got != want[i] {
				t.Errorf("%s: trace %d: %d, want %d", way, i, got, want[i])
			}
		}
	}
}

// TestThreadThatKillsBetweenTraces: whenever the process dies, all traces get their runs, and
// the blame goes to a neighbour at worst.
func TestThreadThatKillsBetweenTraces(t *testing.T) {
	t.Parallel()
	for _, delay := range []string{"0", "300", "5000"} {
		target := resolve(t, library(t, "timebomb", "-DDELAY="+delay), "")
		s := openStream(t, target, replay.Persistent, tight, 3, 50)
		var traces []*trace.Trace
		for i := range 400 {
			if i == 20 {
				traces = append(traces, provoked(t))
				continue
			}
			traces = append(traces, numberedTrace(t, i))
		}
		runs, _ := collectAll(t, s, traces, 50)
		deaths := 0
		for i := range runs {
			if runs[i].End == trace.Finished {
				continue
			}
			deaths++
			if i < 20 || runs[i].End != trace.Exited || runs[i].Death.ExitCode != 9 {
				t.Errorf("delay %s: trace %d: %+v", delay, i, runs[i])
			}
		}
		if deaths > 1 {
			t.Errorf("delay %s: %d deaths", delay, deaths)
		}
	}
}

// TestOutputBelongsToItsTrace: what earlier traces wrote is neither counted nor
// quoted.
func TestOutputBelongsToItsTrace(t *testing.T) {
	t.Parallel()
	target := resolve(t, library(t, "chatters"), "") // 200 KiB a trace
	limits := replay.Limits{Wall: 20 * time.Second, CPU: 20 * time.Second, Memory: 512 << 20, Output: 300 << 10}
	for _, way := range isolated {
		var traces []*trace.Trace
		for range 12 {
			traces = append(traces, calm(t))
		}
		traces[11] = provoked(t)
		runs, _ := collectAll(t, openStream(t, target, way, limits, 3, 12), traces, 12)
		for i := range runs[:11] {
			if runs[i].End != trace.Finished {
				t.Errorf("%s: trace %d: %v", way, i, runs[i].End)
			}
		}
		if d := runs[11].Death; d.Signal != int(syscall.SIGABRT) || !strings.HasSuffix(d.Stderr, "c last words\n") {
			t.Errorf("%s: %+v", way, d)
		}
	}
	words := resolve(t, library(t, "complains"), "")
	for _, way := range isolated {
		traces := []*trace.Trace{provoked(t), calm(t), provoked(t)}
		runs, _ := collectAll(t, openStream(t, words, way, limits, 1, 3), traces, 3)
		for _, i := range []int{0, 2} {
			if got := runs[i].Death.Stderr; got != "c ERROR: out of patience\n" {
				t.Errorf("%s: trace %d wrote %q", way, i, got)
			}
		}
	}
	silent := resolve(t, library(t, "mutters"), "")
	traces := []*trace.Trace{provoked(t), calm(t)}
	runs, _ := collectAll(t, openStream(t, silent, replay.Fork, limits, 1, 2), traces, 2)
	if got := runs[0].Death.Stderr; got != "" {
		t.Errorf("the dead one wrote nothing, its run has %q", got)
	}
}

// TestPostTakesWhatFits: a batch is cut to what there is room for, and there is
// always room for one trace.
func TestPostTakesWhatFits(t *testing.T) {
	t.Parallel()
	s, err := replay.OpenQueue(resolve(t, "ref", "ipamir"), replay.Persistent, tight,
		replay.QueueOptions{Ahead: 2, Traces: 8, TraceWords: 200, AnswerWords: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	large := numberedTrace(t, 300)
	many := &replay.Batch{Traces: []*trace.Trace{numberedTrace(t, 1), numberedTrace(t, 2), large, numberedTrace(t, 3)}}
	if n, err := s.Post(many); err != nil || n != 2 || len(many.Traces) != 2 {
		t.Errorf("%d traces are taken (%v), want 2", n, err)
	}
	if _, err := s.Post(&replay.Batch{}); err == nil {
		t.Error("an empty batch is taken")
	}
	if n, err := s.Post(&replay.Batch{Traces: []*trace.Trace{numberedTrace(t, 0)}}); err != nil || n != 1 {
		t.Error(n, err)
	}
	if _, err := s.Post(&replay.Batch{Traces: []*trace.Trace{calm(t)}}); err == nil {
		t.Error("a batch too many is taken")
	}
	for range 2 {
		if b, err := s.Collect(); err != nil || !b.Complete() {
			t.Error(b, err)
		}
	}
	if _, err := s.Collect(); err == nil {
		t.Error("there is something to collect after the last batch")
	}
	s.Close()
	if _, err := s.Post(&replay.Batch{Traces: []*trace.Trace{calm(t)}}); err == nil ||
		!strings.Contains(err.Error(), "it was closed") {
		t.Errorf("a closed stream: %v", err)
	}
}

// TestStreamGrows: a trace of any size runs, and those that were posted before it
// keep their runs.
func TestStreamGrows(t *testing.T) {
	t.Parallel()
	for _, way := range []replay.Way{replay.Persistent, replay.Fork} {
		s, err := replay.OpenQueue(resolve(t, "ref", "ipamir"), way, tight,
			replay.QueueOptions{Ahead: 3, Traces: 8, TraceWords: 200, AnswerWords: 100})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sizes := [][]int{{1, 2}, {3000}, {40, 5}}
		for _, batch := range sizes {
			var traces []*trace.Trace
			for _, n := range batch {
				traces = append(traces, numberedTrace(t, n))
			}
			if n, err := s.Post(&replay.Batch{Traces: traces}); err != nil || n != len(traces) {
				t.Fatalf("%s: %d traces are taken (%v), want %d", way, n, err, len(traces))
			}
		}
		for _, batch := range sizes {
			b, err := s.Collect()
			if err != nil {
				t.Fatal(err)
			}
			if !b.Complete() {
				t.Fatalf("%s: %d of %d traces have their runs", way, b.Done, len(b.Traces))
			}
			for i, n := range batch {
				checkNumbered(t, n, &b.Runs[i])
			}
		}
	}
}

// TestPostTakesAll: with Whole the memory grows until the batch fits.
func TestPostTakesAll(t *testing.T) {
	t.Parallel()
	s, err := replay.OpenQueue(resolve(t, "ref", "ipamir"), replay.Persistent, tight,
		replay.QueueOptions{Ahead: 2, Traces: 8, TraceWords: 200, AnswerWords: 100, Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sizes := []int{1, 300, 2, 900, 3}
	var traces []*trace.Trace
	for _, n := range sizes {
		traces = append(traces, numberedTrace(t, n))
	}
	if n, err := s.Post(&replay.Batch{Traces: traces}); err != nil || n != len(traces) {
		t.Fatalf("%d traces are taken (%v), want %d", n, err, len(traces))
	}
	b, err := s.Collect()
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range sizes {
		checkNumbered(t, n, &b.Runs[i])
	}
}

// TestLargeTraceGrowsTheRunner: a runner takes traces of every size.
func TestLargeTraceGrowsTheRunner(t *testing.T) {
	t.Parallel()
	n := 400_000
	if testing.Short() {
		n = 60_000
	}
	target := resolve(t, library(t, "healthy"), "")
	runner := openRunner(t, target, replay.Fork, replay.DefaultLimits)
	for _, size := range []int{1, n, 2} {
		checkNumbered(t, size, run(t, runner, numberedTrace(t, size)))
	}
}

// TestGrownProcessIsReplaced: long before the memory limit, and between traces.
func TestGrownProcessIsReplaced(t *testing.T) {
	target := resolve(t, library(t, "hoards"), "") // 8 MiB a trace, forever
	limits := replay.Limits{Wall: 20 * time.Second, CPU: 20 * time.Second, Memory: 160 << 20, Output: 1 << 20}
	s := openStream(t, target, replay.Persistent, limits, 1, 1)
	var traces []*trace.Trace
	for i := range 30 {
		traces = append(traces, numberedTrace(t, i))
	}
	runs, before := collectAll(t, s, traces, 1)
	most := 0
	for i := range runs {
		checkNumbered(t, i, &runs[i])
		most = max(most, before[i])
	}
	if most > 15 {
		t.Errorf("a process ran %d traces", most)
	}
}
