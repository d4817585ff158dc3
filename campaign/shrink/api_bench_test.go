package shrink

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// BenchmarkReductionAPI reduces traces in the style of API fuzzers: one call for each literal, hundreds of
// options, few solves. IPAFUZZ_TRACES is the number of traces (default 50).
func BenchmarkReductionAPI(b *testing.B) {
	for b.Loop() {
		wanted := setting(b, "IPAFUZZ_TRACES", 50)
		var calls, left, tests []int
		for round := uint64(0); len(tests) < wanted && round < 4; round++ {
			for _, d := range ref.PropositionalDefects() {
				if len(tests) == wanted || d.Class == "3.1" || d.Class == "3.2" || d.Class == "5.7" {
					continue
				}
				for _, f := range apiFailures(b, d, round) {
					result, err := f.m.Reduce(context.Background(), f.trace)
					if err != nil {
						b.Fatalf("%s: %v", f.m.Key, err)
					}
					calls, left = append(calls, len(f.trace.Calls)), append(left, len(result.Trace.Calls))
					tests = append(tests, result.Stats.Tests)
				}
			}
		}
		for _, list := range [][]int{calls, left, tests} {
			slices.Sort(list)
		}
		n := len(tests)
		for _, m := range []struct {
			name  string
			value int
		}{{"traces", n}, {"fewest-calls", calls[0]}, {"most-calls", calls[n-1]}, {"tests-median", tests[n/2]},
			{"tests-worst", tests[n-1]}, {"left-median", left[n/2]}, {"left-worst", left[n-1]}} {
			b.ReportMetric(float64(m.value), m.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// apiFailures returns a failing trace of a defect, if one is found soon.
func apiFailures(b *testing.B, d ref.Defect, round uint64) []longFailure {
	h := newHunter(b, d)
	defer h.close()
	var found []longFailure
	for _, profile := range []string{"wide", "published"} {
		g := h.generator(profile)
		for number := round * 8; len(found) == 0 && number < round*8+8; number++ {
			t := new(trace.Trace)
			seed := gen.Seed(testseed.Of(h, 1), 0, number)
			g.Generate(seed, t)
			if styled := apiStyled(t, h.m.Description, seed); len(styled.Calls) >= 500 && len(styled.Calls) <= 7500 {
				found = h.add(found, styled, true)
			}
		}
	}
	return found
}

// apiStyled returns a trace with one call for each literal of a clause, after hundreds of
// options.
func apiStyled(t *trace.Trace, d *apimodel.Description, seed uint64) *trace.Trace {
	const fewest, most = 100, 400
	rng := rand.New(rand.NewPCG(seed, 0))
	to := &trace.Trace{Model: t.Model, Notes: t.Notes, Planted: t.Planted}
	var free []*apimodel.Option
	for i := range d.Options {
		if o := &d.Options[i]; !o.Fixed && o.When == apimodel.Anytime {
			free = append(free, o)
		}
	}
	for range fewest + rng.IntN(most-fewest) {
		if len(free) > 0 {
			o := free[rng.IntN(len(free))]
			to.SetOption(0, o.Name, o.Default)
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op != apimodel.OpClause || c.Len < 2 {
			to.Append(t, c)
			continue
		}
		lits := t.Args(c)
		for at, lit := range lits {
			to.Clause(c.Instance, at == len(lits)-1 && c.Flags&trace.Open == 0, lit)
		}
	}
	return to
}
