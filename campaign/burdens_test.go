package campaign

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// burdens are the values of the built-in library's option 'burden' that make it expensive (cexternal/ref/burdens.h).
var burdens = []string{"tables", "slow", "memory", "hangs"}

// A burdened runner runs traces on the burdened library under low limits.
type burdened struct {
	t      *testing.T
	runner replay.Runner
}

func openBurdened(t *testing.T, burden string) burdened {
	target, err := targets.Resolve("ref:burden="+burden, "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := replay.Open(target, replay.Fork, replay.Limits{CPU: 200 * time.Millisecond, Wall: 20 * time.Second,
		Memory: 256 << 20, Output: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	return burdened{t, runner}
}

func (b burdened) run(made *trace.Trace) *trace.Run {
	var run trace.Run
	if err := b.runner.Run(b.t.Context(), made, &run); err != nil {
		b.t.Fatal(err)
	}
	return &run
}

// TestBurdens checks that each burden is as heavy and as frequent as burdens.h says.
func TestBurdens(t *testing.T) {
	if testing.Short() {
		t.Skip("runs into limits on purpose")
	}
	generator, err := gen.New(gen.Config{Model: apimodel.IPAMIR})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		burden      string
		end         trace.End // of the traces that are too heavy
		least, most int       // traces in a thousand that end so
	}{
		{"none", trace.OutOfMemory, 0, 0},
		{"memory", trace.OutOfMemory, 2, 30},
		{"hangs", trace.OutOfCPU, 2, 30},
	} {
		of, seed, ends := openBurdened(t, row.burden), testseed.Of(t, 1), 0
		for number := range uint64(1000) {
			var made trace.Trace
			generator.Generate(gen.Seed(seed, 0, number), &made)
			if of.run(&made).End == row.end {
				ends++
			}
		}
		if ends < row.least || ends > row.most {
			t.Errorf("%s: %d of 1000 traces end by %v, want %d to %d", row.burden, ends, row.end, row.least, row.most)
		}
	}
	far := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 2000000000 0\nsolve\n")
	for _, burden := range []string{"none", "tables"} {
		// A busy machine may take the CPU time before the memory.
		end := openBurdened(t, burden).run(far).End
		if limited := end == trace.OutOfMemory || end.IsTimeLimit(); limited != (burden == "tables") {
			t.Errorf("%s: a far variable ends by %v", burden, end)
		}
	}
	if took := openBurdened(t, "slow").run(far).SolveTime(); took < 20*time.Millisecond {
		t.Errorf("slow: a solve takes %v", took)
	}
}

// heavyTrace makes the library with the burden 'memory' take 1,920 MiB and abort, in its second solve.
const heavyTrace = "ipafuzz 1 ipamir\nhard 1 2 0\nsolve\n" +
	"assume 1\nassume 2\nassume 3\nassume 4\nassume 5\nassume 6\nassume 7\nassume 8\nsolve\n"

// TestGrowthLimit checks that a trace ends when its memory grows by more than the limit, long before the
// process has the memory that it may have.
func TestGrowthLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("fills memory")
	}
	target, err := targets.Resolve("ref:burden=memory", "ipamir", nil)
	if err != nil {
		t.Fatal(err)
	}
	heavy, light := testtrace.Parse(t, heavyTrace), testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\n")
	for _, way := range []replay.Way{replay.Persistent, replay.Fork} {
		runner, err := replay.Open(target, way, replay.Limits{CPU: 20 * time.Second, Wall: time.Minute, Memory: 4 << 30,
			Output: 1 << 20, Growth: 128 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range []*trace.Trace{light, heavy, light} {
			var run trace.Run
			if err := runner.Run(t.Context(), made, &run); err != nil {
				t.Fatal(err)
			}
			if want := made == heavy; (run.End == trace.OutOfMemory) != want || !want && run.End != trace.Finished {
				t.Errorf("%s: a trace of %d calls ended by %v", way, len(made.Calls), run.End)
			}
		}
		runner.Close()
	}
}

// TestHeavyFailure checks that a campaign sets aside a trace that takes much memory, and finds beside the
// search that it crashes.
func TestHeavyFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 2 GiB of memory, again and again")
	}
	config := testConfig(t, "ref:burden=memory", "ipamir")
	config.Traces, config.Findings, config.Time = 0, 1, 5*time.Minute
	config.Limits.CPU, config.Limits.Memory = 20*time.Second, 4<<30
	config.OnFinding = func(f *store.Finding) {
		const least = 9 // init, seven assumptions, solve
		if calls := len(f.Minimal.Calls); f.Class != oracle.Abort || f.IsMinimal && calls > least {
			t.Errorf("%v, with a minimal trace of %d calls:\n%s", f.Key, calls, f.Minimal)
		}
	}
	summary := runCampaign(t, t.Context(), config)
	if summary.Findings != 1 {
		t.Fatalf("%d findings, unconfirmed: %v", summary.Findings, summary.Unconfirmed)
	}
	if use := summary.Measures.Targets[0]; use.Died > 0 || use.OutOfMemory == 0 {
		t.Errorf("%d traces ended the worker, and %d met the limit of memory", use.Died, use.OutOfMemory)
	}
}
