package family

import (
	"fmt"
	"math"
	"testing"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// each calls visit for the first formulas of a family.
func each(t *testing.T, name string, formulas uint64, visit func(f *Formula)) {
	t.Helper()
	start := testseed.Of(t, 1)
	source, err := NewSource(name)
	if err != nil {
		t.Fatal(err)
	}
	var f Formula
	for number := range formulas {
		source.Formula(draw.Seed(start, 0, number), &f)
		visit(&f)
	}
}

// about fails the test if part/of differs from want by more than 0.025.
func about(t *testing.T, what string, part, whole int, want float64) {
	t.Helper()
	const tolerance = 0.025
	if got := float64(part) / float64(whole); math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.3f, want about %.3f", what, got, want)
	}
}

// TestFormulasAreWellFormed: in the formulas of all families, no clause is empty, all variables are in range, the sum
// of the weights fits 64 bits, and no clause has a variable twice, unless the family says so.
func TestFormulasAreWellFormed(t *testing.T) {
	t.Parallel()
	for i := range families {
		each(t, families[i].name, 60, func(f *Formula) {
			sum := uint64(0)
			for c := range f.Clauses() {
				lits, weight := f.Clause(c)
				if len(lits) == 0 {
					t.Fatalf("%s: clause %d is empty", families[i].name, c)
				}
				for k, l := range lits {
					if l == 0 || int(max(l, -l)) > f.Vars {
						t.Fatalf("%s: the literal %d of %d variables", families[i].name, l, f.Vars)
					}
					for _, other := range lits[:k] {
						repeats := weight == 0 && f.Repeats
						if len(lits) < 40 && !repeats && (l == other || l == -other) {
							t.Fatalf("%s: %v has a variable twice", families[i].name, lits)
						}
					}
				}
				if weight > math.MaxInt64 || sum+weight < sum || sum+weight == math.MaxUint64 {
					t.Fatalf("%s: the weight %d beside a sum of %d", families[i].name, weight, sum)
				}
				sum += weight
			}
		})
	}
}

// TestWCNFuzzShares compares the formulas with 3,000 instances of each program that made the papers' instances.
func TestWCNFuzzShares(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes thousands of formulas")
	}
	const formulas = 3000
	for _, program := range []struct {
		name      string
		lengths   [7]float64 // shares of hard clauses of length 3, 4, 5, and 6 or more
		unitSofts float64    // share of instances whose soft clauses are all units
		allSoft   float64
	}{
		{"wcnfuzz", [7]float64{3: 0.372, 4: 0.223, 5: 0.153, 6: 0.210}, 0.227, 0.095},
		{"wcnfuzz-py", [7]float64{3: 0.587, 4: 0.214, 5: 0.098, 6: 0.039}, 0.793, 0.117},
		{"wcnfuzz-small", [7]float64{3: 0.560, 4: 0.219, 5: 0.129, 6: 0.036}, 0.796, 0.224},
		{"wcnfuzz-tiny", [7]float64{3: 0.536, 4: 0.225, 5: 0.154, 6: 0.032}, 0.788, 0.340},
	} {
		var lengths [7]int
		clauses, units, allSoft := 0, 0, 0
		each(t, program.name, formulas, func(f *Formula) {
			hard, soft, long := 0, 0, 0
			for c := range f.Clauses() {
				switch lits, weight := f.Clause(c); {
				case weight == 0:
					hard++
					lengths[min(len(lits), 6)]++
				case len(lits) > 1:
					long++
					soft++
				default:
					soft++
				}
			}
			clauses += hard
			if soft > 0 && long == 0 {
				units++
			}
			if hard == 0 {
				allSoft++
			}
		})
		for length := 3; length < len(lengths); length++ {
			about(t, fmt.Sprintf("%s: hard clauses of length %d", program.name, length), lengths[length], clauses,
				program.lengths[length])
		}
		about(t, program.name+": instances whose soft clauses are units", units, formulas, program.unitSofts)
		about(t, program.name+": instances without hard clauses", allSoft, formulas, program.allSoft)
	}
}

func TestLargestWeights(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	const draws = 50_000
	var count [len(weightRanges)]int
	b := Builder{Rand: draw.New(start)}
	for range draws {
		w := b.largestWeight()
		for i, r := range weightRanges {
			if r.low <= w && w <= r.high {
				count[i]++
			}
		}
	}
	for i, r := range weightRanges {
		about(t, "largest weights in a range", count[i], draws, float64(r.share)/25)
	}
}

// weighed returns the weights that a layout gives to n soft clauses.
func weighed(seed uint64, n int, how weighing, largest uint64, limits Limits) []uint64 {
	var b Builder
	var f Formula
	b.begin(draw.New(seed), &f, limits)
	for v := range n {
		f.Add(1, int32(v+1))
	}
	b.weigh(how, largest)
	var weights []uint64
	for _, c := range f.clauses {
		weights = append(weights, c.weight)
	}
	return weights
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for seed := start; seed < start+500; seed++ {
		n := 2 + int(seed%60)
		levels, sum := 1, uint64(0)
		for i, w := range weighed(seed, n, levelWeights, 1, noLimits) {
			if i > 0 && w > sum {
				levels++
			}
			sum += w
		}
		if levels < 2 {
			t.Errorf("seed %d: %d soft clauses have no level that outweighs those before it", seed, n)
		}
		largest := uint64(1000 + seed)
		least, most := uint64(math.MaxUint64), uint64(0)
		for _, w := range weighed(seed, n, tightWeights, largest, noLimits) {
			least, most = min(least, w), max(most, w)
		}
		if most > largest || most-least > largest/tightSpread {
			t.Errorf("seed %d: tight weights from %d to %d", seed, least, most)
		}
		for _, how := range []weighing{evenWeights, levelWeights, tightWeights, unitWeighing} {
			limits := Limits{Vars: 100, Calls: 1000, MaxWeight: 1 + seed%50, MaxSum: 1 + seed%200}
			total := uint64(0)
			for _, w := range weighed(seed, n, how, math.MaxInt64, limits) {
				if total += w; w == 0 || w > limits.MaxWeight {
					t.Fatalf("seed %d: weight %d, bound %d", seed, w, limits.MaxWeight)
				}
			}
			if total > limits.MaxSum {
				t.Fatalf("seed %d: weights sum to %d, bound %d", seed, total, limits.MaxSum)
			}
		}
	}
}

// TestPublishedRanges: the sizes of the SAT families are within the ranges of their papers.
func TestPublishedRanges(t *testing.T) {
	t.Parallel()
	each(t, "3sat", 200, func(f *Formula) {
		n := f.Vars
		if n < 10 || n > 400 {
			t.Errorf("3sat: %d variables", n)
		}
		ternary := 0
		for c := range f.Clauses() {
			if lits, _ := f.Clause(c); len(lits) == 3 {
				ternary++
			}
		}
		if ternary < 3*n-1 || ternary > 5*n {
			t.Errorf("3sat: %d clauses of three literals over %d variables", ternary, n)
		}
	})
	each(t, "cnfuzz", 200, func(f *Formula) {
		if f.Vars < 10 || f.Vars > 20*70 {
			t.Errorf("cnfuzz: %d variables", f.Vars)
		}
	})
	enumerations, tenths := 0, 0
	const formulas = 3000
	each(t, "sat4j", formulas, func(f *Formula) {
		switch {
		case f.Wish == Enumeration:
			enumerations++
			if f.Vars > 20 || len(f.Cuts) != 1 {
				t.Errorf("sat4j: %d variables, %d increments to be enumerated", f.Vars, len(f.Cuts))
			}
		case f.Vars < 20*len(f.Cuts) || f.Vars > 200*len(f.Cuts) || len(f.Cuts) > 5:
			t.Errorf("sat4j: %d variables in %d increments", f.Vars, len(f.Cuts))
		case f.Tenths:
			tenths++
		}
	})
	about(t, "sat4j: enumerations", enumerations, formulas, 0.2)
	about(t, "sat4j: assumptions in tenths", tenths, formulas-enumerations, 0.5)
}

// TestSearch: formulas of the family search have a hard part and mostly gates, and fit solvers that need time for every
// variable.
func TestSearch(t *testing.T) {
	t.Parallel()
	hard, gates, planted, formulas := 0, 0, 0, 0
	each(t, "search", 300, func(f *Formula) {
		formulas++
		ternary, binary := 0, 0
		for c := range f.Clauses() {
			switch lits, _ := f.Clause(c); len(lits) {
			case 3:
				ternary++
			case 2:
				binary++
			}
		}
		if ternary >= 200 {
			hard++
		}
		if binary >= 10 {
			gates++
		}
		if len(f.Planted) > 0 {
			planted++
			if _, feasible := f.Cost(f.Planted); !feasible {
				t.Error("the planted assignment falsifies a clause")
			}
		}
		if f.Vars > searchMostVars+searchMostGates+searchMostRing {
			t.Errorf("%d variables", f.Vars)
		}
	})
	if hard < formulas/2 || gates < formulas/2 || planted < formulas/2 || planted == formulas {
		t.Errorf("of %d formulas, %d have a hard part, %d have gates, %d have a planted solution", formulas, hard, gates,
			planted)
	}
}

// TestFuzzSATUsesAllInputs: circuits grow until every input is an operand, so that they are three times as large as
// with a few operators for each, and a few are very large.
func TestFuzzSATUsesAllInputs(t *testing.T) {
	const formulas = 2000
	mean := func(name string) (mean float64, most int) {
		each(t, name, formulas, func(f *Formula) {
			mean += float64(f.Vars) / formulas
			most = max(most, f.Vars)
		})
		return mean, most
	}
	if all, most := mean("fuzzsat"); all < 800 || all > 1100 || most < 5000 {
		t.Errorf("%.0f variables on average, at most %d", all, most)
	}
	if few, most := mean("fuzzsat/1"); few < 280 || few > 360 || most > 1000 {
		t.Errorf("version 1: %.0f variables on average, at most %d", few, most)
	}
}
