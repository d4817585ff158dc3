package gen

import (
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestPlantedHeaders: in traces that solve a planted formula once, the assignment in the header satisfies every hard
// clause and costs at most what the header says.
func TestPlantedHeaders(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	without := []string{"empty-clause"}
	g := newGenerator(t, Config{Model: apimodel.IPAMIR, Family: "planted", Schedule: "one-shot", Without: without,
		Bounds: Bounds{MaxVars: 300, MaxCalls: 3000}})
	var tr trace.Trace
	checked := 0
	for number := range uint64(300) {
		seed := draw.Seed(start, 0, number)
		g.Generate(seed, &tr)
		for i := range tr.Planted {
			p := &tr.Planted[i]
			if g.plan.instances > 1 || g.used.Has(feature.ReleaseReinit) {
				continue
			}
			if err := checkPlanted(&tr, p); err != nil {
				t.Fatalf("trace %d: %v\n%s", number, err, tr.String())
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d assignments were checked", checked)
	}
}

func checkPlanted(tr *trace.Trace, p *trace.Planted) error {
	holds := make(map[int32]bool)
	for _, l := range p.Lits {
		holds[l] = true
	}
	var clause []int32
	cost := uint64(0)
	for i := range tr.Calls {
		c := &tr.Calls[i]
		switch c.Op {
		case apimodel.OpClause:
			clause = append(clause, tr.Args(c)...)
			if c.Flags&trace.Open != 0 {
				continue
			}
			satisfied := false
			for _, l := range clause {
				satisfied = satisfied || holds[l]
			}
			if !satisfied {
				return fmt.Errorf("call %d is falsified", i)
			}
			clause = clause[:0]
		case apimodel.OpSoft:
			if holds[tr.Lit(c)] {
				cost += c.Num
			}
		}
	}
	if cost > p.Cost {
		return fmt.Errorf("the assignment pays %d, the header says %d", cost, p.Cost)
	}
	return nil
}

// TestPlantedFromSeed: the family planted accepts the formula of any trace as its seed.
func TestPlantedFromSeed(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	seeds := newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: DefaultProfile})
	var parent, tr trace.Trace
	for number := range uint64(200) {
		seed := draw.Seed(start, 2, number)
		seeds.Generate(seed, &parent)
		g := newGenerator(t, Config{Model: apimodel.IPAMIR, Family: "planted", Schedule: "one-shot",
			Plant: family.FormulaOf(&parent), Without: []string{"empty-clause"}})
		g.Generate(seed, &tr)
		if err := trace.Check(&tr); err != nil {
			t.Fatal(err)
		}
		for i := range g.plan.instances {
			if f := &g.spreads[i].f; len(f.Planted) != f.Vars+1 {
				t.Fatalf("%d values for %d variables", len(f.Planted)-1, f.Vars)
			} else if _, feasible := f.Cost(f.Planted); !feasible {
				t.Fatalf("trace %d: the planted assignment falsifies a hard clause", number)
			}
		}
	}
}
