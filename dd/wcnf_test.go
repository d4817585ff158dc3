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

// A soft is a soft clause of a formula file.
type soft struct {
	weight uint64
	lits   []int32
}

func softsOf(t *trace.Trace) (softs []soft) {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSoftClause {
			softs = append(softs, soft{c.Num, t.Args(c)})
		}
	}
	return softs
}

func hasSoft(fits func(s soft) bool) func(*trace.Trace) bool {
	return func(t *trace.Trace) bool { return slices.ContainsFunc(softsOf(t), fits) }
}

func hasHard(fits func(lits []int32) bool) func(*trace.Trace) bool {
	return func(t *trace.Trace) bool { return slices.ContainsFunc(clausesOf(t), fits) }
}

// weigh returns a predicate: the weights add up to at least that.
func weigh(least uint64) func(*trace.Trace) bool {
	return func(t *trace.Trace) bool {
		sum := uint64(0)
		for _, s := range softsOf(t) {
			sum += s.weight
		}
		return sum >= least
	}
}

func isTautology(lits []int32) bool {
	return slices.ContainsFunc(lits, func(lit int32) bool { return slices.Contains(lits, -lit) })
}

func hasTwice(lits []int32) bool {
	sorted := slices.Sorted(slices.Values(lits))
	return len(slices.Compact(sorted)) < len(lits)
}

const largeFile = `hard 1 2 3 0
soft 7 -4 5 0
hard 3 0
soft 5 6 -1 2 0
soft 2 0
hard -2 4 -6 0
soft 9000000000 -5 0
soft 3 2 -2 6 0
soft 5 6 -1 2 0
soft 4 4 4 0
hard 5 -3 0
solve
obj
model
`

// fileFailures are failures of formula files, all of largeFile.
var fileFailures = []failure{
	{"a soft clause of two literals with weight 5, and the unit 3", apimodel.WCNF, func(t *trace.Trace) bool {
		wide := hasSoft(func(s soft) bool { return s.weight == 5 && len(s.lits) > 1 })
		return wide(t) && hasHard(func(lits []int32) bool { return slices.Equal(lits, []int32{3}) })(t)
	}, "hard 3 0\nsoft 5 1 1 0\nsolve\n"},
	{"a soft clause of three variables", apimodel.WCNF, hasSoft(func(s soft) bool {
		return len(varsOf(s.lits)) > 2
	}), "soft 1 1 2 3 0\nsolve\n"},
	{"a soft clause", apimodel.WCNF, hasSoft(func(s soft) bool { return len(s.lits) > 0 }), "soft 1 1 0\nsolve\n"},
	{"an empty soft clause", apimodel.WCNF, hasSoft(func(s soft) bool { return len(s.lits) == 0 }), "soft 1 0\nsolve\n"},
	{"a tautology among the soft clauses", apimodel.WCNF, hasSoft(func(s soft) bool {
		return isTautology(s.lits)
	}), "soft 1 1 -1 0\nsolve\n"},
	{"a literal twice in a soft clause", apimodel.WCNF, hasSoft(func(s soft) bool { return hasTwice(s.lits) }),
		"soft 1 1 1 0\nsolve\n"},
	{"a soft clause twice", apimodel.WCNF, func(t *trace.Trace) bool {
		var met []string
		for _, s := range softsOf(t) {
			text := fmt.Sprint(s.lits)
			if len(s.lits) > 0 && slices.Contains(met, text) {
				return true
			}
			met = append(met, text)
		}
		return false
	}, "soft 1 1 0\nsoft 1 1 0\nsolve\n"},
	{"a sum of weights of 2^32", apimodel.WCNF, weigh(1 << 32), "soft 4294967296 0\nsolve\n"},
	{"three different weights", apimodel.WCNF, func(t *trace.Trace) bool {
		var weights []uint64
		for _, s := range softsOf(t) {
			if len(s.lits) > 0 {
				weights = append(weights, s.weight)
			}
		}
		slices.Sort(weights)
		return len(slices.Compact(weights)) > 2
	}, "soft 1 1 0\nsoft 2 1 0\nsoft 3 1 0\nsolve\n"},
	{"the objective of a file with a hard clause", apimodel.WCNF, func(t *trace.Trace) bool {
		return has(t, func(c *trace.Call) bool { return c.Op == apimodel.OpObj }) &&
			hasHard(func(lits []int32) bool { return len(lits) > 0 })(t)
	}, "hard 1 0\nsolve\nobj\n"},
	{"only the solve", apimodel.WCNF, func(*trace.Trace) bool { return true }, "solve\n"},
}

func varsOf(lits []int32) (vars []int32) {
	for _, lit := range lits {
		vars = append(vars, trace.Var(lit))
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

func parseFile(t testing.TB, calls string) *trace.Trace {
	t.Helper()
	file, err := trace.ParseString("ipafuzz 1 wcnf\n" + calls)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// fileTester returns a Tester that also fails the test if a candidate is no formula file with a solve.
func fileTester(t testing.TB, f failure) Tester {
	legal := tester(t, f)
	return TestFunc(func(ctx context.Context, worker int, c *trace.Trace) (Verdict, error) {
		if c.Solves() != 1 {
			t.Errorf("a candidate has %d solves:\n%s", c.Solves(), c)
		}
		return legal.Test(ctx, worker, c)
	})
}

// reduceFile reduces a formula file with one worker and with two, which must take the same steps.
func reduceFile(t testing.TB, given *trace.Trace, f failure, strategy Strategy) *trace.Trace {
	t.Helper()
	var first Result
	for _, workers := range []int{1, 2} {
		result, err := Minimize(context.Background(), given, fileTester(t, f),
			Config{Workers: workers, Strategy: strategy, Seed: 3})
		if err != nil || !f.fails(result.Trace) {
			t.Fatalf("%s: %v, reduced to\n%s", f.name, err, result.Trace)
		}
		if !result.Minimal {
			t.Errorf("%s: not minimal: %v", f.name, result.Ended)
		}
		if workers == 1 {
			first = result
		} else if result.Trace.String() != first.Trace.String() || result.Stats.Tests != first.Stats.Tests {
			t.Errorf("%s: one worker needs %d tests and finds\n%stwo need %d and find\n%s", f.name, first.Stats.Tests,
				first.Trace, result.Stats.Tests, result.Trace)
		}
	}
	return first.Trace
}

// TestFiles: Minimize reduces formula files to the few clauses that the failure needs.
func TestFiles(t *testing.T) {
	for _, f := range fileFailures {
		least := reduceFile(t, parseFile(t, largeFile), f, Own)
		if got := text(least); got != f.want {
			t.Errorf("%s is reduced to\n%swant\n%s", f.name, got, f.want)
		}
		mustBeMinimal(t, f, least)
	}
}

// TestFilesByOthers: the published strategies reduce formula files, too, and leave no less than strategy Own.
func TestFilesByOthers(t *testing.T) {
	left := make(map[Strategy]int)
	for _, f := range fileFailures {
		for _, s := range Strategies {
			least := reduceFile(t, parseFile(t, largeFile), f, s)
			left[s] += len(text(least))
			if s == WCNFDDMin && len(least.Calls) > strings.Count(f.want, "\n")+2 {
				t.Errorf("%s: %s leaves\n%s", f.name, s, least)
			}
		}
	}
	if left[Own] > left[Lines] || left[Own] > left[WCNFDDMin] {
		t.Errorf("bytes left: %v", left)
	}
}

// TestPassesOfFiles: each pass does to clauses of files what it does to clauses and soft literals of IPAMIR.
func TestPassesOfFiles(t *testing.T) {
	always := func(*trace.Trace) bool { return true }
	atLeast := func(n int) func(*trace.Trace) bool {
		return func(t *trace.Trace) bool { return len(t.Calls) >= n }
	}
	for _, c := range []struct {
		pass, given, want string
		fails             func(*trace.Trace) bool
	}{
		{"literals", "soft 4 1 2 3 0\n", "soft 4 3 0\n", atLeast(2)},
		{"literals", "soft 4 0\nhard 1 2 0\n", "soft 4 0\nhard 2 0\n", atLeast(3)},
		{"variables", "soft 4 1 2 0\nhard 1 0\n", "soft 4 1 0\nhard 1 0\n", atLeast(3)},
		{"kinds", "soft 4 1 2 0\nsoft 2 1 0\nhard 1 0\n", "hard 1 0\n", atLeast(2)},
		{"assign", "soft 4 1 2 0\nsoft 3 -1 3 0\nsoft 2 1 0\nsoft 1 0\n", "soft 3 3 0\nsoft 1 0\n", atLeast(3)},
		{"assign", "soft 4 1 2 0\nsoft 3 1 -2 0\nsoft 2 1 3 0\nhard 2 3 0\n", "hard 2 3 0\n",
			hasHard(func(lits []int32) bool { return len(lits) == 2 })},
		{"components", "soft 4 1 2 0\nhard 2 3 0\nsoft 5 4 0\nsoft 6 5 6 0\n", "soft 4 1 2 0\nhard 2 3 0\n", always},
		{"harden", "soft 4 -1 2 0\nhard 2 0\n", "hard -1 2 0\nhard 2 0\n", always},
		{"harden", "soft 4 -1 2 0\n", "soft 4 -1 2 0\n", always},
		{"harden", "soft 4 0\nsoft 4 1 0\n", "soft 4 0\nhard 1 0\n", always},
		{"join soft literals", "soft 4 1 -2 0\nhard 3 0\nsoft 5 -2 1 0\n", "soft 9 1 -2 0\nhard 3 0\n", always},
		{"join soft literals", "soft 4 1 0\nsoft 5 -1 0\n", "soft 1 -1 0\n", always},
		{"join soft literals", "soft 4 1 0\nsoft 4 -1 0\n", "", always},
		{"join soft literals", "soft 4 0\nsoft 3 0\n", "soft 7 0\n", always},
		{"resolve", "hard 1 2 3 0\nsoft 6 -3 0\n", "soft 6 1 2 0\n", always},
		{"resolve", "soft 6 -3 4 0\nsoft 5 1 3 0\n", "soft 5 4 1 0\n", always},
		{"resolve", "soft 6 -3 0\nsoft 5 3 0\n", "", always},
		{"unit weights", "soft 6 -3 0\nsoft 5 3 4 0\n", "soft 1 -3 0\nsoft 1 3 4 0\n", always},
		{"merge variables", "soft 6 -3 4 0\nsoft 5 3 4 0\n", "soft 5 3 3 0\n", always},
		{"merge variables", "soft 6 1 -9 0\nhard 1 2 3 4 5 6 7 8 9 10 0\n", "hard 1 2 3 4 5 6 7 8 1 10 0\n",
			hasHard(func(lits []int32) bool { return len(varsOf(lits)) > 8 && lits[0] == 1 && lits[9] == 10 })},
		{"positive", "soft 6 -1 2 0\n", "soft 6 -1 2 0\n", always}, // as in clauses, only the normal form tries that
		{"order", "hard 3 4 0\nsoft 6 4 -3 0\n", "hard 3 4 0\nsoft 6 -3 4 0\n", always},
		{"order", "soft 6 4 -3 0\nhard 2 -1 0\n", "hard -1 2 0\nsoft 6 -3 4 0\n", always},
		{"normal form", "soft 6 -4 -3 0\nhard 9 3 0\n", "hard 1 2 0\nsoft 6 -1 3 0\n", always},
		{"empty clauses", "soft 6 -4 0\nhard 4 0\n", "soft 6 0\nhard 0\n", always},
		{"common weights", "soft 600 1 0\nsoft 5000 1 2 0\nsoft 600 3 0\n", "soft 2 1 0\nsoft 3 1 2 0\nsoft 2 3 0\n",
			func(t *trace.Trace) bool {
				return slices.ContainsFunc(softsOf(t), func(s soft) bool { return s.weight > 2 })
			}},
		{"common weights", "soft 3000000000 1 0\nsoft 5 2 0\nsoft 1 3 0\n",
			"soft 2147483646 1 0\nsoft 1 2 0\nsoft 1 3 0\n", weigh(1 << 31)},
		{"least weights", "soft 9000000000 1 0\nsoft 5 2 0\nsoft 1 3 0\n",
			"soft 4294967290 1 0\nsoft 5 2 0\nsoft 1 3 0\n", weigh(1 << 32)},
		{"least weights", "soft 600 1 0\nsoft 5000 1 2 0\n", "soft 10 1 0\nsoft 1 1 2 0\n",
			hasSoft(func(s soft) bool { return s.weight >= 10 && len(s.lits) == 1 })},
	} {
		if got := text(reducedBy(t, c.pass, parseFile(t, c.given+"solve\n"), c.fails)); got != c.want+"solve\n" {
			t.Errorf("%s makes of\n%s\n%swant\n%s", c.pass, c.given, got, c.want)
		}
	}
}

// TestLessenedFiles: the pass that shuffles takes calls and literals out of soft clauses, too.
func TestLessenedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 14))
	given := parseFile(t, "soft 2 1 2 3 0\nsoft 2 4 5 6 0\nsolve\n")
	kinds := make(map[[2]int]bool)
	for range 100 {
		if c := lessened(given, rng); c != nil {
			kinds[[2]int{len(c.Calls), len(varsOf(c.Lits))}] = true
		}
	}
	for _, want := range [][2]int{{2, 3}, {3, 5}} {
		if !kinds[want] {
			t.Errorf("no %d calls with %d variables: %v", want[0], want[1], kinds)
		}
	}
}

// reducedBy returns what a single pass leaves of a trace.
func reducedBy(t testing.TB, name string, given *trace.Trace, fails func(*trace.Trace) bool) *trace.Trace {
	t.Helper()
	r := newReducer(context.Background(), given, fileTester(t, failure{name, given.Model, fails, ""}), Config{})
	defer r.lab.Close()
	r.passes = slices.DeleteFunc(ownPasses(), func(p *pass) bool { return p.Name != name })
	if len(r.passes) != 1 {
		t.Fatalf("there are %d passes %q", len(r.passes), name)
	}
	if err := r.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r.best
}

// TestCanonicalFiles: files that differ in names, order and weights have one normal form.
func TestCanonicalFiles(t *testing.T) {
	fails := func(t *trace.Trace) bool {
		return len(t.Calls) == 3 && hasSoft(func(s soft) bool { return len(varsOf(s.lits)) > 1 })(t) &&
			hasHard(func(lits []int32) bool { return len(lits) == 1 })(t)
	}
	for _, given := range []string{"hard 1 0\nsoft 5 1 2 0\nsolve\n", "soft 800 -7 4 0\nhard 4 0\nsolve\n",
		"soft 3 -7 -4 0\nhard -7 0\nsolve\n"} {
		result, err := Canonical(context.Background(), parseFile(t, given),
			fileTester(t, failure{"", apimodel.WCNF, fails, ""}), Config{})
		if err != nil || text(result.Trace) != "hard 1 0\nsoft 1 1 2 0\nsolve\n" {
			t.Errorf("%v: the normal form of\n%sis\n%s", err, given, result.Trace)
		}
	}
}

// TestBrokenFiles: weights of all soft clauses add up, soft clauses must not be tautologies where clauses must not, and
// a file without a solve is no candidate.
func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct {
		description, calls string
		want               rule
	}{
		{anyWeight, "soft 9223372036854775808 1 0\nsoft 9223372036854775808 1 0\nsolve\n", weightSum},
		{anyWeight, "soft 9223372036854775808 1 0\nsoft 9223372036854775807 1 0\nsolve\n", noRule},
		{"", "soft 9223372036854775808 0\nsolve\n", largeWeights},
		{"policy tautology=rejected", "soft 1 2 -2 0\nsolve\n", tautologies},
		{"policy tautology=rejected", "soft 1 2 0\nsoft 1 -2 0\nhard -2 0\nsolve\n", noRule},
		{"", "soft 1 2 -2 0\n", unsolved},
	} {
		if got := broken(parseFile(t, c.calls), describe(t, c.description)); got != c.want {
			t.Errorf("%q: broken is %b, want %b:\n%s", c.description, got, c.want, c.calls)
		}
	}
}
