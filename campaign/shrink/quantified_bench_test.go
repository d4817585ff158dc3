package shrink

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A quantifiedSample says which traces a benchmark reduces and how it measures them.
type quantifiedSample struct {
	profiles    []string
	least, most int    // calls of a trace
	tried       uint64 // traces of each profile
	size        func(b *testing.B, t *trace.Trace) int
}

var (
	longTraces = quantifiedSample{[]string{"app", "frames", "groups", "prefix"}, 50, 2000, 200,
		func(_ *testing.B, t *trace.Trace) int { return len(t.AppendText(nil)) }}
	publishedFormulas = quantifiedSample{[]string{"published"}, 1, 100_000, 400,
		func(b *testing.B, t *trace.Trace) int {
			var file bytes.Buffer
			if _, err := format.WriteFormula(&file, format.QDIMACS, format.Solves(t)[0],
				&trace.Trace{Model: t.Model}); err != nil {
				b.Fatalf("%v\n%s", err, t)
			}
			return file.Len()
		}}
)

// BenchmarkReductionQuantified reduces generated traces of model qbf that show a planted defect. It prints
// the columns that published delta debuggers report: files, classes of failures, size before and after.
// IPAFUZZ_TRACES is the number of traces for each defect (default 3).
func BenchmarkReductionQuantified(b *testing.B) { benchQuantified(b, &longTraces) }

// BenchmarkReductionQDIMACS measures reductions of formulas of the published families, as
// QDIMACS files.
func BenchmarkReductionQDIMACS(b *testing.B) { benchQuantified(b, &publishedFormulas) }

func benchQuantified(b *testing.B, sample *quantifiedSample) {
	for b.Loop() {
		var table strings.Builder
		fmt.Fprintf(&table, "| defect | traces | keys | calls | left | bytes | left | reduced by | tests |\n"+
			"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		var all quantifiedRow
		for _, d := range ref.Defects() {
			if d.Model != "qbf" || limited(oracle.Class(d.Class)) || d.Class == "5.7" {
				continue
			}
			row := reduceQuantified(b, d, sample, setting(b, "IPAFUZZ_TRACES", 3))
			if row.traces > 0 {
				fmt.Fprintf(&table, "| %s %s\n", d.Name, row.cells())
			}
			all.add(&row)
		}
		fmt.Fprintf(&table, "| all %s", all.cells())
		fmt.Printf("Averages:\n%s\n", &table) // print it, since the log of a benchmark is cut
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
func reduceQuantified(b *testing.B, d ref.Defect, sample *quantifiedSample, n int) (row quantifiedRow) {
	h := newHunter(b, d)
	defer h.close()
	keys := make(map[string]bool)
	var failing []longFailure
	for _, profile := range sample.profiles {
		g := h.generator(profile)
		for number := uint64(0); len(failing) < n && number < sample.tried; number++ {
			t := new(trace.Trace)
			if g.Generate(gen.Seed(testseed.Of(h, 1), 0, number), t); len(t.Calls) >= sample.least &&
				len(t.Calls) <= sample.most {
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
		row.bytes += sample.size(b, f.trace)
		row.leftBytes += sample.size(b, result.Trace)
		row.tests += result.Stats.Tests
	}
	row.keys = len(keys)
	return row
}
