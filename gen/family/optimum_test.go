package family

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestPlantedAssignments: the hidden assignment satisfies the hard clauses and, where the family knows the optimum,
// pays exactly that.
func TestPlantedAssignments(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, name := range []string{"planted", "cores"} {
		source, err := NewSource(name)
		if err != nil {
			t.Fatal(err)
		}
		var f Formula
		searched := 0
		for number := range uint64(2000) {
			source.Formula(draw.Seed(start, 0, number), &f)
			cost, feasible := f.Cost(f.Planted)
			if !feasible {
				t.Fatalf("%s, formula %d: the planted assignment falsifies a hard clause", name, number)
			}
			if f.Exact && f.Optimum != cost {
				t.Fatalf("%s, formula %d: optimum %d, the planted assignment pays %d", name, number, f.Optimum, cost)
			}
			if f.Vars > 12 || searched > 200 {
				continue
			}
			searched++
			least, found := leastCost(&f)
			if !found || least > cost || f.Exact && least != cost {
				t.Fatalf("%s, formula %d: the planted assignment pays %d, the optimum is %d", name, number, cost, least)
			}
		}
		if searched < 20 {
			t.Errorf("%s: only %d formulas were small enough to be searched", name, searched)
		}
	}
}

func leastCost(f *Formula) (least uint64, found bool) {
	assignment := make([]bool, f.Vars+1)
	for bits := range 1 << f.Vars {
		for v := 1; v <= f.Vars; v++ {
			assignment[v] = bits>>(v-1)&1 != 0
		}
		if cost, feasible := f.Cost(assignment); feasible && (!found || cost < least) {
			least, found = cost, true
		}
	}
	return least, found
}
