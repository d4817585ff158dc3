package shrink

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// BenchmarkReductionQuantified reduces generated traces of model qbf that show a planted defect, and
// prints what the table of the published delta debuggers has: files, classes of failures, size before
// and after. IPAFUZZ_TRACES says how many of each defect (3).
func BenchmarkReductionQuantified(b *testing.B) {
	for b.Loop() {
		var table strings.Builder
		fmt.Fprintf(&table, "| defect | traces | keys | calls | left | bytes | left | reduced by | tests |\n"+
			"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		var all quantifiedRow
		for _, d := range ref.Defects() {
			if d.Model != "qbf" || limited(oracle.Class(d.Class)) || d.Class == "5.7" {
				continue
			}
			row := reduceQuantified(b, d, setting(b, "IPAFUZZ_TRACES", 3))
			if row.traces > 0 {
				fmt.Fprintf(&table, "| %s %s\n", d.Name, row.cells())
			}
			all.add(&row)
		}
		fmt.Fprintf(&table, "| all %s", all.cells())
		fmt.Printf("Averages:\n%s\n", &table) // a log of a benchmark is cut off
		b.ReportMetric(float64(all.traces), "traces")
		b.ReportMetric(all.of(all.tests), "tests/trace")
		b.ReportMetric(all.of(all.leftCalls), "left-calls/trace")
		b.ReportMetric(all.of(all.leftBytes), "left-bytes/trace")
	}
	b.ReportMetric(0, "ns/op")
}

// A quantifiedRow sums up the reductions for one defect.
type quantifiedRow struct {
	traces, keys                       int
	calls, leftCalls, bytes, leftBytes int
	tests                              int
}

func (r *quantifiedRow) add(o *quantifiedRow) {
	r.traces += o.traces
	r.keys += o.keys
	r.calls += o.calls
	r.leftCalls += o.leftCalls
	r.bytes += o.bytes
	r.leftBytes += o.leftBytes
	r.tests += o.tests
}

func (r *quantifiedRow) of(sum int) float64 { return float64(sum) / float64(max(1, r.traces)) }

func (r *quantifiedRow) cells() string {
	return fmt.Sprintf("| %d | %d | %.0f | %.1f | %.0f | %.0f | %.1f%% | %.0f |", r.traces, r.keys, r.of(r.calls),
		r.of(r.leftCalls), r.of(r.bytes), r.of(r.leftBytes), 100-100*float64(r.leftBytes)/float64(max(1, r.bytes)),
		r.of(r.tests))
}

// reduceQuantified reduces up to n traces that show a defect.
func reduceQuantified(b *testing.B, d ref.Defect, n int) (row quantifiedRow) {
	h := newHunter(b, d)
	defer h.close()
	const least, most, tried = 50, 2000, 200 // calls, and traces of each profile
	keys := make(map[string]bool)
	var failing []longFailure
	for _, profile := range []string{"app", "frames", "groups", "prefix"} {
		g := h.generator(profile)
		for number := uint64(0); len(failing) < n && number < tried; number++ {
			t := new(trace.Trace)
			if g.Generate(gen.Seed(testseed.Of(h, 1), 0, number), t); len(t.Calls) >= least && len(t.Calls) <= most {
				failing = h.add(failing, t, false)
			}
		}
	}
	for _, f := range failing {
		result, err := f.m.Reduce(context.Background(), f.trace)
		if err != nil {
			b.Fatalf("%s: %v", f.m.Key, err)
		}
		keys[f.m.Key.Failure()] = true
		row.traces++
		row.calls += len(f.trace.Calls)
		row.leftCalls += len(result.Trace.Calls)
		row.bytes += len(f.trace.AppendText(nil))
		row.leftBytes += len(result.Trace.AppendText(nil))
		row.tests += result.Stats.Tests
	}
	row.keys = len(keys)
	return row
}
