package measure

import (
	"context"
	"fmt"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// QuantifiedStatistics describe the formulas of a family of quantified formulas, by the parameters that
// BLB10 gives for its two generators.
type QuantifiedStatistics struct {
	Family      string `json:"family"`
	Instances   uint64 `json:"instances"`
	Blocks      Spread `json:"blocks"`
	Variables   Spread `json:"variables"` // of the prefix
	Universal   Spread `json:"universal_variables"`
	Clauses     Spread `json:"clauses"`
	Literals    uint64 `json:"literals"`             // of all clauses of all instances
	Existential uint64 `json:"existential_literals"` // of these

	Decided uint64 `json:"decided"` // instances whose truth is known
	True    uint64 `json:"true"`
}

// A TruthFunc tells whether a formula is true. known is false if it cannot tell.
type TruthFunc func(f *qbf.Formula) (isTrue, known bool)

// QuantifiedStatisticsOf describes the formulas of the first n numbers in shard 0 of a
// campaign. Without solve, the last column stays empty.
func QuantifiedStatisticsOf(ctx context.Context, source *family.Source, campaign, n uint64,
	solve TruthFunc) QuantifiedStatistics {
	total := QuantifiedStatistics{Family: source.Name()}
	for number := range n {
		if ctx.Err() != nil {
			break
		}
		f := source.Quantified(draw.Seed(campaign, 0, number))
		total.add(f)
		if solve == nil {
			continue
		}
		if isTrue, known := solve(f); known {
			total.Decided++
			total.True += count(isTrue)
		}
	}
	return total
}

func (t *QuantifiedStatistics) add(f *qbf.Formula) {
	universal := make(map[int32]bool)
	var vars uint64
	for _, block := range f.Prefix {
		vars += uint64(len(block.Vars))
		for _, v := range block.Vars {
			if block.Universal {
				universal[v] = true
			}
		}
	}
	t.Blocks.add(uint64(len(f.Prefix)), t.Instances)
	t.Variables.add(vars, t.Instances)
	t.Universal.add(uint64(len(universal)), t.Instances)
	t.Clauses.add(uint64(len(f.Clauses)), t.Instances)
	t.Instances++
	for _, clause := range f.Clauses {
		t.Literals += uint64(len(clause))
		for _, l := range clause {
			t.Existential += count(!universal[max(l, -l)])
		}
	}
}

// Columns are the headings of Row.
func (t *QuantifiedStatistics) Columns() []string {
	return []string{"family", "instances", "blocks (min-max, avg)", "variables (min-max, avg)",
		"universal variables (min-max, avg)", "clauses (min-max, avg)", "literals of a clause",
		"existential literals of a clause", "true"}
}

// Row returns the statistics as a row of a table.
func (t *QuantifiedStatistics) Row() []string {
	length := func(literals uint64) string {
		if t.Clauses.Sum == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", float64(literals)/float64(t.Clauses.Sum))
	}
	return []string{t.Family, fmt.Sprint(t.Instances), t.Blocks.text(t.Instances), t.Variables.text(t.Instances),
		t.Universal.text(t.Instances), t.Clauses.text(t.Instances), length(t.Literals), length(t.Existential),
		share(t.True, t.Decided)}
}
