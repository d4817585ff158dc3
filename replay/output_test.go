package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestOutputOfSurvivors: output of a library that survives is found with the trace that
// printed it, on both streams and in every way of running.
func TestOutputOfSurvivors(t *testing.T) {
	t.Parallel()
	flood := strings.Repeat("x", process.MaxExcerpt)
	for _, row := range []struct{ name, say, want string }{
		{"stderr", `fprintf (stderr, "ERROR: wrong\n")`, "ERROR: wrong\n"},
		{"stdout, which is buffered", `printf ("ERROR: wrong\n")`, "ERROR: wrong\n"},
		{"stdout without a newline", `printf ("ERROR: wrong")`, "ERROR: wrong"},
		{"the descriptor", `if (write (1, "ERROR: wrong\n", 13) < 0) abort ()`, "ERROR: wrong\n"},
		{"much", `for (int i = 0; i < 3000000; i++) putc ('x', stdout)`, flood + "\n" + flood},
		{"a closed descriptor", `close (2), fprintf (stderr, "ERROR: wrong\n")`, ""},
		{"closed streams", `fclose (stdout), fclose (stderr)`, ""},
		{"nothing", `(void) stderr`, ""},
	} {
		flags := []string{"-DSAY=" + row.say}
		for _, way := range []replay.Way{replay.Fork, replay.Persistent} {
			t.Run(row.name+" "+string(way), func(t *testing.T) {
				s := openStream(t, resolve(t, library(t, "says", flags...), ""), way, replay.DefaultLimits, 3, 4)
				var traces []*trace.Trace
				for i := range 12 {
					if i == 5 {
						traces = append(traces, provoked(t))
					}
					traces = append(traces, calm(t))
				}
				runs, _ := collectAll(t, s, traces, 4)
				for i := range runs {
					want := trace.Output{}
					if i == 5 && row.want != "" {
						want = trace.Output{Text: row.want, Of: 1}
					}
					if got := runs[i].Output; runs[i].End != trace.Finished || got != want {
						t.Errorf("trace %d: %v, %d suspects, %d bytes %.40q, want %d bytes", i, runs[i].End, got.Of, len(got.Text),
							got.Text, len(want.Text))
					}
				}
			})
		}
	}
}

// TestOutputOfAProgram: the output of a trace is the stderr of all runs of the program.
func TestOutputOfAProgram(t *testing.T) {
	t.Parallel()
	target := shell(t, "echo 'ERROR: wrong' >&2; "+optimum, "format = 'wcnf'")
	got := run(t, openRunner(t, target, replay.Fork, replay.DefaultLimits), parse(t, oneSolve+"solve\n"))
	if want := (trace.Output{Text: "ERROR: wrong\nERROR: wrong\n", Of: 1}); got.End != trace.Finished ||
		got.Output != want {
		t.Errorf("%v, %+v, want %+v", got.End, got.Output, want)
	}
}

// TestSuspects: output after a long silence is attributed to a few traces, one of which
// printed it; later output goes to its own trace again.
func TestSuspects(t *testing.T) {
	t.Parallel()
	s := openStream(t, resolve(t, library(t, "says"), ""), replay.Persistent, replay.DefaultLimits, 3, 64)
	var traces []*trace.Trace
	for range 512 {
		traces = append(traces, calm(t))
	}
	traces[299], traces[323] = provoked(t), provoked(t)
	runs, _ := collectAll(t, s, traces, 64)
	for i := range runs {
		got := runs[i].Output
		want := trace.Output{}
		switch {
		case i >= 288 && i < 304:
			want = trace.Output{Text: "ERROR: wrong\n", Of: 16, At: i - 288}
		case i == 323:
			want = trace.Output{Text: "ERROR: wrong\n", Of: 1}
		}
		if got != want {
			t.Errorf("trace %d: %+v, want %+v", i, got, want)
		}
	}
}

// TestOutputThatWasCut: output that was overwritten belongs to no trace, and never to
// another one.
func TestOutputThatWasCut(t *testing.T) {
	t.Parallel()
	limits := replay.DefaultLimits
	limits.Output = 1 << 10
	flags := []string{`-DSAY=for (int i = 0; i < 40; i++) fprintf (stderr, "ERROR: %d\n", s->last)`} // 440 bytes
	for _, way := range []replay.Way{replay.Fork, replay.Persistent} {
		s := openStream(t, resolve(t, library(t, "says", flags...), ""), way, limits, 3, 8)
		var traces []*trace.Trace
		for i := range 64 {
			if traces = append(traces, calm(t)); i%2 == 1 {
				traces[i] = parse(t, fmt.Sprintf("ipafuzz 1 ipamir\nhard 666 %d 0\nsolve\nobj\n", 700+i))
			}
		}
		runs, _ := collectAll(t, s, traces, 8)
		kept := 0
		for i := range runs {
			whole := trace.Output{Text: strings.Repeat(fmt.Sprintf("ERROR: %d\n", 700+i), 40), Of: 1}
			if got := runs[i].Output; got.Text != "" {
				if kept++; got != whole || i%2 == 0 {
					t.Errorf("%s, trace %d: %+v", way, i, got)
				}
			}
		}
		t.Logf("%s: the output of %d traces is whole", way, kept)
		if kept == 0 || kept == len(runs)/2 {
			t.Errorf("%s: the output of %d traces is whole, so none or nothing was cut", way, kept)
		}
	}
}

// TestOutputOfARunner: a runner gets traces ahead, so its output may come from any trace of a
// batch. If a trace is alone, the output is its own.
func TestOutputOfARunner(t *testing.T) {
	t.Parallel()
	target := resolve(t, runnerSpec("says"), "ipamir")
	for _, way := range []replay.Way{replay.Fork, replay.Persistent} {
		q, err := replay.OpenQueue(target, way, replay.DefaultLimits, replay.DefaultQueue)
		if err != nil {
			t.Fatal(err)
		}
		b := &replay.Batch{Traces: []*trace.Trace{calm(t), calm(t), provoked(t)}}
		if _, err := q.Post(b); err != nil {
			t.Fatal(err)
		}
		for !b.Complete() {
			if _, err := q.Collect(); err != nil {
				t.Fatal(err)
			}
		}
		for i := range b.Runs {
			got, want := b.Runs[i].Output, trace.Output{}
			switch {
			case way == replay.Persistent:
				want = trace.Output{Text: "ERROR: wrong\n", Of: 3, At: i}
			case i == 2:
				want = trace.Output{Text: "ERROR: wrong\n", Of: 1}
			}
			if got != want {
				t.Errorf("%s, trace %d: %+v, want %+v", way, i, got, want)
			}
		}
		q.Close()
	}
}
