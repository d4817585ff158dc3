package dd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestResolventsKeepTheOptimum: the pass resolve makes one clause of a chain of hard and soft ones, and the optimum
// stays. The variables 5 and 6 link the chain, and the others occur too often to go.
func TestResolventsKeepTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 11))
	for range 400 {
		given := &trace.Trace{Model: apimodel.WCNF}
		for v := int32(1); v <= 4; v++ {
			for range 3 {
				given.SoftClause(1+uint64(rng.IntN(9)), v*int32(1-2*rng.IntN(2)))
			}
		}
		for _, links := range [][]int32{{5}, {-5, 6}, {-6}} {
			addRandom(given, rng, append(links, randomLits(rng, 1+rng.IntN(2), 4)...))
		}
		given.Plain(0, apimodel.OpSolve)
		want := optimumOf(given)
		got := reducedBy(t, "resolve", given, func(*trace.Trace) bool { return true })
		if optimum := optimumOf(got); optimum != want || len(got.Calls) != len(given.Calls)-2 {
			t.Fatalf("the optimum is %s, but %s for\n%s\nof\n%s", want, optimum, got, given)
		}
	}
}

func randomLits(rng *rand.Rand, n, vars int) (lits []int32) {
	for range n {
		lits = append(lits, int32(1+rng.IntN(vars))*int32(1-2*rng.IntN(2)))
	}
	return lits
}

// addRandom adds a clause, hard or soft.
func addRandom(t *trace.Trace, rng *rand.Rand, lits []int32) {
	if rng.IntN(2) == 0 && len(lits) > 0 {
		t.Clause(0, true, lits...)
	} else {
		t.SoftClause(1+uint64(rng.IntN(4))*uint64(rng.IntN(1000)), lits...)
	}
}

// randomFile returns a formula file over at most that many variables.
func randomFile(rng *rand.Rand, vars int) *trace.Trace {
	t := &trace.Trace{Model: apimodel.WCNF}
	for range rng.IntN(10) {
		addRandom(t, rng, randomLits(rng, rng.IntN(4), vars))
	}
	t.Plain(0, apimodel.OpSolve)
	if rng.IntN(2) == 0 {
		t.Plain(0, apimodel.OpObj)
	}
	return t
}

// optimumOf returns the least cost of a formula file over the variables 1 to 6, or "none".
func optimumOf(t *trace.Trace) string {
	least := "none"
	var best uint64
	for values := range 1 << 6 {
		isTrue := func(lit int32) bool { return (values>>(trace.Var(lit)-1)&1 == 1) == (lit > 0) }
		if slices.ContainsFunc(clausesOf(t), func(c []int32) bool { return !slices.ContainsFunc(c, isTrue) }) {
			continue
		}
		cost := uint64(0)
		for _, s := range softsOf(t) {
			if !slices.ContainsFunc(s.lits, isTrue) {
				cost += s.weight
			}
		}
		if least == "none" || cost < best {
			least, best = fmt.Sprint(cost), cost
		}
	}
	return least
}

// FuzzFiles reduces random formula files: every candidate is legal, any number of workers finds the same, and nothing
// of the result can go.
func FuzzFiles(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, number uint8) {
		rng := rand.New(rand.NewPCG(seed, 12))
		given := randomFile(rng, 6)
		want := optimumOf(given)
		failing := append(slices.Clone(fileFailures),
			failure{"the same optimum", apimodel.WCNF, func(c *trace.Trace) bool { return optimumOf(c) == want }, ""},
			failure{"some cost", apimodel.WCNF, func(c *trace.Trace) bool { return len(optimumOf(c)) != 1 }, ""})
		fails := failing[int(number)%len(failing)]
		if !fails.fails(given) {
			return
		}
		least := reduceFile(t, given, fails, Own)
		// Signs, and the order that follows from them, depend on the given file.
		lines := func(text string) []string {
			return slices.Sorted(strings.Lines(strings.ReplaceAll(text, "-", "")))
		}
		if fails.want != "" && !slices.Equal(lines(text(least)), lines(fails.want)) {
			t.Errorf("%s: want\n%sgot\n%s", fails.name, fails.want, least)
		}
		reduceFile(t, given, fails, WCNFDDMin)
	})
}

// TestLongFile: a long file is reduced in hardly more tests than the same trace of IPAMIR.
func TestLongFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 13))
	file, calls := &trace.Trace{Model: apimodel.WCNF}, &trace.Trace{Model: apimodel.IPAMIR}
	for range 150 {
		lits := randomLits(rng, 3, 60)
		file.Clause(0, true, lits...)
		calls.Clause(0, true, lits...)
		lit, weight := randomLits(rng, 1, 60)[0], 1+uint64(rng.IntN(1000))
		file.SoftClause(weight, -lit)
		calls.Soft(0, lit, weight)
	}
	file.Plain(0, apimodel.OpSolve)
	calls.Plain(0, apimodel.OpSolve)
	fails := func(t *trace.Trace) bool {
		heavy, long := 0, 0
		for i := range t.Calls {
			switch c := &t.Calls[i]; {
			case c.Op.IsSoft() && c.Num > 900 && c.Len > 0:
				heavy++
			case c.Op == apimodel.OpClause && c.Len > 1:
				long++
			}
		}
		return heavy > 2 && long > 1 && t.Solves() > 0
	}
	var tests []int
	for _, given := range []*trace.Trace{calls, file} {
		result, err := Minimize(context.Background(), given,
			tester(t, failure{"", given.Model, fails, ""}), Config{})
		if err != nil || len(result.Trace.Calls) != 6 {
			t.Errorf("%v, reduced to\n%s", err, result.Trace)
		}
		tests = append(tests, result.Stats.Tests)
	}
	if 10*tests[1] > 11*tests[0] {
		t.Errorf("%d tests for the calls, but %d for the file", tests[0], tests[1])
	}
}
