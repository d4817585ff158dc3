package campaign

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// burdens are the values of the built-in library's option 'burden' (cexternal/ref/burdens.h).
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
	if took := trial.SolveTime(openBurdened(t, "slow").run(far)); took < 20*time.Millisecond {
		t.Errorf("slow: a solve takes %v", took)
	}
}
