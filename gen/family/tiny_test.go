package family

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestTinyFile: the family tiny of formula files keeps its sizes and tighter limits, makes hard and soft clauses of
// each length, and formulas without hard ones, soft ones or any.
func TestTinyFile(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, limits := range []Limits{{}, {Vars: 2, Calls: 6, MaxWeight: 3, MaxSum: 4}} {
		source, err := NewFileSource(Tiny)
		if err != nil {
			t.Fatal(err)
		}
		source.Within(limits)
		most := source.limits
		if limits == (Limits{}) {
			most = Limits{tinyFileVars, tinyFileClauses, draw.SmallWeight, tinyFileClauses * draw.SmallWeight}
		}
		var lengths [2][5]int
		var without [2]int
		empty := 0
		for number := range uint64(5000) {
			var f Formula
			var count [2]int
			source.Formula(draw.Seed(start, 0, number), &f)
			sum := uint64(0)
			for i := range f.Clauses() {
				lits, weight := f.Clause(i)
				side := 0
				if weight > 0 {
					side = 1
				}
				lengths[side][len(lits)]++
				count[side]++
				sum += weight
				if weight > most.MaxWeight {
					t.Fatalf("a weight of %d, at most %d", weight, most.MaxWeight)
				}
			}
			if f.Vars > most.Vars || f.Clauses() > most.Calls || sum > most.MaxSum {
				t.Fatalf("%d variables, %d clauses, sum %d, limits %+v", f.Vars, f.Clauses(), sum, most)
			}
			for side := range count {
				if count[side] == 0 {
					without[side]++
				}
			}
			if f.Clauses() == 0 {
				empty++
			}
		}
		if limits != (Limits{}) {
			continue
		}
		for side, counts := range lengths {
			for length, n := range counts {
				if isHardEmpty := side == 0 && length == 0; (n == 0) != isHardEmpty {
					t.Errorf("side %d (1: soft): %d clauses of length %d", side, n, length)
				}
			}
		}
		if without[0] < 20 || without[1] < 20 || empty == 0 {
			t.Errorf("%d formulas have no hard clause, %d no soft one, %d none", without[0], without[1], empty)
		}
	}
}
