package generate

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
)

// qbfFigures returns the figures of BLB10 section 2.2. Those for the literals of qbfuzz are from 400
// formulas of its authors' program with the settings of the paper: reduction shortens clauses by an amount
// that depends on the sizes of blocks, and the paper does not say how they are drawn.
func qbfFigures(t *testing.T) (all []figure) {
	for _, row := range []struct {
		family string
		want   [6]float64
		near   [6]float64
		from   string
	}{
		{"blocksqbf", [6]float64{3, 50, 10, 160, 5, 3}, [6]float64{0.001, 0.001, 0.001, 0.001, 0.001, 0.001}, ""},
		{"qbfuzz", [6]float64{15, 40, 24, 80, 9.17, 3.64}, [6]float64{0.05, 0.05, 0.05, 0.2, 0.05, 0.03},
			", average (program)"},
	} {
		source, err := family.NewQuantifiedSource(row.family)
		if err != nil {
			t.Fatal(err)
		}
		s := measure.QuantifiedStatisticsOf(t.Context(), source, 1, statisticsInstances, nil)
		n, clauses := float64(s.Instances), float64(s.Clauses.Sum)
		got := [6]float64{float64(s.Blocks.Sum) / n, float64(s.Variables.Sum) / n, float64(s.Universal.Sum) / n,
			clauses / n, float64(s.Literals) / clauses, float64(s.Existential) / clauses}
		for i, what := range []string{"blocks", "variables", "universal variables", "clauses",
			"literals of a clause" + row.from, "existential literals of a clause" + row.from} {
			all = append(all, figure{row.family, what, "", row.want[i], got[i], row.near[i]})
		}
	}
	return all
}
