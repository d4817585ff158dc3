package shrink

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// benchLeast and benchMost bound the calls of the benchmark's traces.
	benchLeast = 500
	benchMost  = 5000
	benchIdle  = 20 * time.Second // enough even for defects that waste time or memory
)

// BenchmarkReduction reduces failing traces of planted defects with every strategy and
// prints the sizes of the results and the tests and time taken.
// IPAFUZZ_DEFECTS=n takes every n-th defect, IPAFUZZ_TRACES traces of each.
func BenchmarkReduction(b *testing.B) {
	for b.Loop() {
		stride, perDefect := setting(b, "IPAFUZZ_DEFECTS", 6), setting(b, "IPAFUZZ_TRACES", 1)
		rows, large := make(map[dd.Strategy][]reductionRow), 0
		for _, d := range ref.PropositionalDefects() {
			if d.Number%stride != 0 || d.Class == "3.1" || d.Class == "3.2" || d.Class == "5.7" {
				continue
			}
			for _, long := range longFailures(b, d, perDefect) {
				if long.large {
					large++
				}
				for _, strategy := range dd.Strategies {
					rows[strategy] = append(rows[strategy], reduceLong(b, long, strategy))
				}
			}
		}
		fmt.Printf("\nTests by pass, on average:\n\n%s", passTable(rows))
		fmt.Printf("\nReductions of %d long traces of planted defects, %d of them of large profiles and the others joined "+
			"of tiny ones:\n\n%s\n", len(rows[dd.Own]), large, reductionTable(rows))
	}
	b.ReportMetric(0, "ns/op")
}

func setting(b testing.TB, name string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil || n < 1 {
		return usual
	}
	return n
}

type longFailure struct {
	m     Reducer
	trace *trace.Trace
	large bool // as it was generated
}

type reductionRow struct {
	before, after dd.Size
	tests         int
	repeated      int // tests that were skipped because the verdict was known
	seconds       float64
	cut           float64 // 1: the time limit cut it off
	passes        []dd.PassStats
}

// longFailures returns long traces that fail alone and not only by meeting a limit. One in five comes from
// a large profile, if such a profile shows the defect; the others are joined from tiny traces.
func longFailures(b testing.TB, d ref.Defect, n int) []longFailure {
	h := newHunter(b, d)
	defer h.close()
	return h.joined(h.large(nil, (n+4)/5), n)
}

// TestLongFailureTwice: a long trace can be reduced with one strategy after the other.
func TestLongFailureTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("reduces a long trace: a second")
	}
	list := ref.PropositionalDefects()
	d := list[slices.IndexFunc(list, func(d ref.Defect) bool { return d.Number == 6 })]
	for _, long := range longFailures(t, d, 1) {
		for range 2 {
			m := long.m
			if _, err := m.Reduce(t.Context(), long.trace); err != nil {
				t.Fatalf("%s: %v", m.Key, err)
			}
		}
	}
}

// A hunter looks for long traces that show a defect.
type hunter struct {
	testing.TB
	m Reducer
	e *trial.Session
}

func newHunter(b testing.TB, d ref.Defect) *hunter {
	model := d.Model
	if model == "both" {
		model = "ipamir"
	}
	r := reducerFor(b, fmt.Sprintf("ref:defect=%d", d.Number), model)
	r.Close() // its process would end with the first reduction, and each trace has several, by copies
	h := &hunter{TB: b, m: *r}
	h.m.Workers, h.m.Seed, h.m.Budget = 1, 1, dd.Budget{Time: benchIdle}
	h.e = trial.NewExamination(h.m.Target, h.m.Description, h.m.Limits, false)
	return h
}

func (h *hunter) close() { h.e.Close() }

func (h *hunter) generator(profile string) *gen.Generator {
	g, err := gen.New(gen.Config{Model: h.m.Target.Model, Description: h.m.Description, Profile: profile})
	if err != nil {
		h.Fatal(err)
	}
	return g
}

// add appends the trace if its failure counts.
func (h *hunter) add(list []longFailure, t *trace.Trace, large bool) []longFailure {
	var run trace.Run
	findings, err := h.e.Run(context.Background(), t, &run)
	if err != nil {
		h.Fatal(err)
	}
	if len(findings) == 0 || limited(findings[0].Class) {
		return list
	}
	f := longFailure{h.m, t, large}
	f.m.Key = findings[0].Key(h.m.Target.Name)
	return append(list, f)
}

// large adds generated traces of large profiles until the list has n.
func (h *hunter) large(list []longFailure, n int) []longFailure {
	const tried = 8 // of each profile, since no large trace shows some defects
	for _, profile := range []string{"wide", "published"} {
		g := h.generator(profile)
		tries := 0
		for number := uint64(0); len(list) < n && tries < tried; number++ {
			t := new(trace.Trace)
			g.Generate(gen.Seed(testseed.Of(h, 1), 0, number), t)
			if len(t.Calls) >= benchLeast && len(t.Calls) <= benchMost {
				tries++
				list = h.add(list, t, true)
			}
		}
	}
	return list
}

// joined adds long traces, each joined from tiny ones, until the list has n.
func (h *hunter) joined(list []longFailure, n int) []longFailure {
	g := h.generator("tiny")
	for number := uint64(0); len(list) < n && number < 3000; {
		all := &trace.Trace{Model: h.m.Target.Model}
		for len(all.Calls) < benchLeast {
			one := new(trace.Trace)
			g.Generate(gen.Seed(testseed.Of(h, 1), 0, number), one)
			number++
			if len(all.Calls) == 0 {
				all = one
			} else {
				all = trace.Concat(all, one)
			}
		}
		list = h.add(list, all, false)
	}
	return list
}

func reduceLong(b *testing.B, long longFailure, strategy dd.Strategy) reductionRow {
	long.m.Strategy = strategy
	result, err := long.m.Reduce(context.Background(), long.trace)
	if err != nil {
		b.Fatalf("%s: %v", long.m.Key, err)
	}
	if result.After.Failed == 0 || result.Finding.Class == oracle.TooSlow {
		b.Errorf("%s, %s: lost", long.m.Key, strategy)
	}
	row := reductionRow{before: dd.SizeOf(long.trace), after: dd.SizeOf(result.Trace), tests: result.Stats.Tests,
		repeated: result.Stats.Cached,
		seconds:  result.Time.Seconds(), passes: result.Passes}
	if result.Ended != nil {
		row.cut = 1
	}
	return row
}

func reductionTable(rows map[dd.Strategy][]reductionRow) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "strategy\twhat\tmin\taverage\tmedian\tmax\t")
	for _, strategy := range dd.Strategies {
		for _, column := range []struct {
			name string
			of   func(r reductionRow) float64
		}{
			{"calls before", func(r reductionRow) float64 { return float64(r.before.Calls) }},
			{"calls left", func(r reductionRow) float64 { return float64(r.after.Calls) }},
			{"calls removed, %", func(r reductionRow) float64 { return removed(r.before.Calls, r.after.Calls) }},
			{"literals left", func(r reductionRow) float64 { return float64(r.after.Literals) }},
			{"literals removed, %", func(r reductionRow) float64 { return removed(r.before.Literals, r.after.Literals) }},
			{"variables left", func(r reductionRow) float64 { return float64(r.after.Variables) }},
			{"weights left", func(r reductionRow) float64 { return r.after.Weights }},
			{"total size left", func(r reductionRow) float64 {
				return float64(r.after.Calls + r.after.Literals + r.after.Variables)
			}},
			{"tests", func(r reductionRow) float64 { return float64(r.tests) }},
			{"tests and repeats", func(r reductionRow) float64 { return float64(r.tests + r.repeated) }},
			{"seconds", func(r reductionRow) float64 { return r.seconds }},
			{"cut short by time", func(r reductionRow) float64 { return r.cut }},
		} {
			var values []float64
			sum := 0.0
			for _, r := range rows[strategy] {
				values = append(values, column.of(r))
				sum += column.of(r)
			}
			if len(values) == 0 {
				continue
			}
			slices.Sort(values)
			fmt.Fprintf(table, "%s\t%s\t%.4g\t%.4g\t%.4g\t%.4g\t\n", strategy, column.name, values[0], sum/float64(len(values)),
				values[len(values)/2], values[len(values)-1])
		}
	}
	table.Flush()
	return text.String()
}

// passTable prints the tests of each pass and what the pass removes.
func passTable(rows map[dd.Strategy][]reductionRow) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "strategy\tpass\ttests\ttaken\tcalls\tliterals\t")
	for _, strategy := range dd.Strategies {
		all := rows[strategy]
		if len(all) == 0 {
			continue
		}
		for i := range all[0].passes {
			var sum dd.PassStats
			for _, r := range all {
				p := &r.passes[i]
				sum.Tests, sum.Improved, sum.Calls, sum.Literals = sum.Tests+p.Tests, sum.Improved+p.Improved, sum.Calls+p.Calls,
					sum.Literals+p.Literals
			}
			share := func(n int) float64 { return float64(n) / float64(len(all)) }
			fmt.Fprintf(table, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t\n", strategy, all[0].passes[i].Name, share(sum.Tests),
				share(sum.Improved), share(sum.Calls), share(sum.Literals))
		}
	}
	table.Flush()
	return text.String()
}

func removed(before, after int) float64 { return 100 * (1 - float64(after)/float64(max(before, 1))) }
