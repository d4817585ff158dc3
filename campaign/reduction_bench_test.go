package campaign

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

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// benchLeast is how many calls the traces of the benchmark have at least:
	// tiny traces are joined until they do.
	benchLeast = 500
	benchIdle  = 30 * time.Second // a defect that eats time or memory is not worth more
)

// BenchmarkReduction reduces failing traces of planted defects with every
// strategy and prints what is left of them and what it took.
// IPAFUZZ_DEFECTS=n takes every n-th defect, IPAFUZZ_TRACES traces of each.
func BenchmarkReduction(b *testing.B) {
	for b.Loop() {
		stride, perDefect := setting(b, "IPAFUZZ_DEFECTS", 6), setting(b, "IPAFUZZ_TRACES", 1)
		rows := make(map[dd.Strategy][]reductionRow)
		for _, d := range ref.Defects() {
			if d.Number%stride != 0 || d.Class == "3.1" || d.Class == "3.2" || d.Class == "5.7" {
				continue
			}
			for _, long := range longFailures(b, d, perDefect) {
				for _, strategy := range dd.Strategies {
					rows[strategy] = append(rows[strategy], reduceLong(b, long, strategy))
				}
			}
		}
		fmt.Printf("\nTests by pass, on average:\n\n%s", passTable(rows))
		fmt.Printf("\nReductions of %d long traces of planted defects:\n\n%s\n", len(rows[dd.Own]), reductionTable(rows))
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
	m     Minimizer
	trace *trace.Trace
}

type reductionRow struct {
	before, after dd.Size
	tests         int
	repeated      int // tests that were not made, because the verdict was known
	seconds       float64
	passes        []dd.PassStats
}

// longFailures returns long traces that fail alone and by more than a limit.
func longFailures(b testing.TB, d ref.Defect, n int) []longFailure {
	model := d.Model
	if model == "both" {
		model = "ipamir"
	}
	config := testConfig(b, fmt.Sprintf("ref:defect=%d", d.Number), model)
	m := Minimizer{Target: config.Cells[0].Target, Limits: config.Limits, Workers: 1, Seed: 1, Budget: dd.Budget{Time: benchIdle}}
	var err error
	if m.Description, err = Describe(m.Target, m.Limits); err != nil {
		b.Fatal(err)
	}
	g, err := gen.New(gen.Config{Model: m.Target.Model, Description: m.Description, Profile: "tiny"})
	if err != nil {
		b.Fatal(err)
	}
	e := newExaminer(m.Target, m.Description, m.Limits, false)
	defer e.close()
	var list []longFailure
	for number := uint64(0); len(list) < n && number < 3000; {
		all := &trace.Trace{Model: m.Target.Model}
		for len(all.Calls) < benchLeast {
			one := new(trace.Trace)
			g.Generate(gen.Seed(seed(b), 0, number), one)
			number++
			if len(all.Calls) == 0 {
				all = one
			} else {
				all = trace.Concat(all, one)
			}
		}
		var run trace.Run
		findings, err := e.replay(context.Background(), all, &run)
		if err != nil {
			b.Fatal(err)
		}
		if len(findings) == 0 || limited(findings[0].Class) {
			continue
		}
		f := longFailure{m, all}
		f.m.Key = findings[0].Key(m.Target.Name)
		list = append(list, f)
	}
	return list
}

func reduceLong(b *testing.B, long longFailure, strategy dd.Strategy) reductionRow {
	long.m.Strategy = strategy
	result, err := long.m.Minimize(context.Background(), long.trace)
	if err != nil {
		b.Fatalf("%s: %v", long.m.Key, err)
	}
	if result.After.Failed == 0 || result.Finding.Class == oracle.TooSlow {
		b.Errorf("%s, %s: lost", long.m.Key, strategy)
	}
	return reductionRow{dd.SizeOf(long.trace), dd.SizeOf(result.Trace), result.Stats.Tests, result.Stats.Cached, result.Time.Seconds(), result.Passes}
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
			{"total size left", func(r reductionRow) float64 { return float64(r.after.Calls + r.after.Literals + r.after.Variables) }},
			{"tests", func(r reductionRow) float64 { return float64(r.tests) }},
			{"tests and repeats", func(r reductionRow) float64 { return float64(r.tests + r.repeated) }},
			{"seconds", func(r reductionRow) float64 { return r.seconds }},
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

// passTable says where the tests go, and what each pass takes away for them.
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
				sum.Tests, sum.Improved, sum.Calls, sum.Literals = sum.Tests+p.Tests, sum.Improved+p.Improved, sum.Calls+p.Calls, sum.Literals+p.Literals
			}
			share := func(n int) float64 { return float64(n) / float64(len(all)) }
			fmt.Fprintf(table, "%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t\n", strategy, all[0].passes[i].Name, share(sum.Tests), share(sum.Improved), share(sum.Calls), share(sum.Literals))
		}
	}
	table.Flush()
	return text.String()
}

func removed(before, after int) float64 { return 100 * (1 - float64(after)/float64(max(before, 1))) }
