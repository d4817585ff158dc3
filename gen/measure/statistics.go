package measure

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
)

// Statistics describe the formulas of a family. They are the columns of table 1 of PB26, and the two
// columns of its tables 2 to 5 that are about instances and not solvers.
type Statistics struct {
	Family     string `json:"family"`
	Instances  uint64 `json:"instances"`
	WithHard   uint64 `json:"with_hard_clauses"`
	WithSoft   uint64 `json:"with_soft_clauses"`
	Unweighted uint64 `json:"unweighted"`      // the highest weight is 1
	Weights32  uint64 `json:"weights_32_bits"` // the weights sum to less than 2^32
	Hard       Spread `json:"hard_clauses"`
	Soft       Spread `json:"soft_clauses"`
	Variables  Spread `json:"variables"` // that occur
	MaxWeight  uint64 `json:"max_weight"`

	Decided         uint64 `json:"decided"` // instances whose following two properties are known
	ObjectiveZero   uint64 `json:"objective_zero"`
	SatisfiableHard uint64 `json:"satisfiable_hard_clauses"`
}

// A Spread has the minimum, the maximum and the sum of a number over the instances.
type Spread struct {
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
	Sum uint64 `json:"sum"`
}

func (s *Spread) add(n, before uint64) {
	if before == 0 || n < s.Min {
		s.Min = n
	}
	s.Max = max(s.Max, n)
	s.Sum += n
}

func (s *Spread) text(n uint64) string {
	return fmt.Sprintf("%d-%d, %.0f", s.Min, s.Max, float64(s.Sum)/float64(max(n, 1)))
}

func share(part, whole uint64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(whole))
}

// A SolveFunc tells whether the hard clauses of a formula are satisfiable, and whether
// all its clauses are, so that the optimum is 0. known is false if it cannot tell.
type SolveFunc func(f *family.Formula) (hard, all, known bool)

// StatisticsOf describes the formulas of the first n numbers in shard 0 of a campaign. Without solve,
// the last two columns stay empty.
func StatisticsOf(ctx context.Context, source *family.Source, campaign, n uint64, solve SolveFunc) Statistics {
	total := Statistics{Family: source.Name()}
	var f family.Formula
	var seen []bool
	for number := range n {
		if ctx.Err() != nil {
			break
		}
		source.Formula(draw.Seed(campaign, 0, number), &f)
		seen = total.add(&f, seen)
		if solve == nil {
			continue
		}
		if hard, all, known := solve(&f); known {
			total.Decided++
			total.SatisfiableHard += count(hard)
			total.ObjectiveZero += count(all)
		}
	}
	return total
}

func (t *Statistics) add(f *family.Formula, seen []bool) []bool {
	for len(seen) <= f.Vars {
		seen = append(seen, false)
	}
	clear(seen)
	var hard, soft, vars, sum, largest, overflow uint64
	for i := range f.Clauses() {
		lits, weight := f.Clause(i)
		if weight == 0 {
			hard++
		} else {
			soft++
			var carry uint64
			sum, carry = bits.Add64(sum, weight, 0)
			overflow += carry
			largest = max(largest, weight)
		}
		for _, l := range lits {
			if v := max(l, -l); !seen[v] {
				seen[v] = true
				vars++
			}
		}
	}
	t.WithHard += count(hard > 0)
	t.WithSoft += count(soft > 0)
	t.Unweighted += count(largest <= 1)
	t.Weights32 += count(overflow == 0 && sum < 1<<32)
	t.Hard.add(hard, t.Instances)
	t.Soft.add(soft, t.Instances)
	t.Variables.add(vars, t.Instances)
	t.MaxWeight = max(t.MaxWeight, largest)
	t.Instances++
	return seen
}

func count(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// Columns are the headings of Row.
func (t *Statistics) Columns() []string {
	return []string{
		"family", "instances", "hard clauses", "soft clauses", "unweighted", "32-bit weights",
		"hard clauses (min-max, avg)", "soft clauses (min-max, avg)", "variables (min-max, avg)",
		"objective 0", "satisfiable hards",
	}
}

// Row returns the statistics as the tables of the papers print them.
func (t *Statistics) Row() []string {
	return []string{
		t.Family, fmt.Sprint(t.Instances),
		share(t.WithHard, t.Instances), share(t.WithSoft, t.Instances),
		share(t.Unweighted, t.Instances), share(t.Weights32, t.Instances),
		t.Hard.text(t.Instances), t.Soft.text(t.Instances), t.Variables.text(t.Instances),
		share(t.ObjectiveZero, t.Decided), share(t.SatisfiableHard, t.Decided),
	}
}
