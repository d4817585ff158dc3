package gen

import (
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestPlantedAssignments: the hidden assignment satisfies the hard clauses of
// the formula, and where the optimum is said to be known, it is the optimum.
func TestPlantedAssignments(t *testing.T) {
	for _, name := range []string{"planted", "cores"} {
		source, err := NewSource(name)
		if err != nil {
			t.Fatal(err)
		}
		var f Formula
		searched := 0
		for number := range uint64(2000) {
			source.Formula(Seed(firstSeed(t), 0, number), &f)
			cost, feasible := f.cost(f.planted)
			if !feasible {
				t.Fatalf("IPAFUZZ_SEED=%d: %s, formula %d: the planted assignment falsifies a hard clause", firstSeed(t), name, number)
			}
			if f.exact && f.optimum != cost {
				t.Fatalf("%s, formula %d: optimum %d, the planted assignment pays %d", name, number, f.optimum, cost)
			}
			if f.Vars > 12 || searched > 200 {
				continue
			}
			searched++
			least, found := leastCost(&f)
			if !found || least > cost || f.exact && least != cost {
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
		if cost, feasible := f.cost(assignment); feasible && (!found || cost < least) {
			least, found = cost, true
		}
	}
	return least, found
}

// TestPlantedHeaders: with one solve and nothing but the
// formula the assignment satisfies every hard clause, and pays what is said.
func TestPlantedHeaders(t *testing.T) {
	without := []string{"empty-clause"}
	g := newGenerator(t, Config{Model: apimodel.IPAMIR, Family: "planted", Schedule: "one-shot", Without: without, Bounds: Bounds{MaxVars: 300, MaxCalls: 3000}})
	var tr trace.Trace
	checked := 0
	for number := range uint64(300) {
		seed := Seed(firstSeed(t), 0, number)
		g.Generate(seed, &tr)
		for i := range tr.Planted {
			p := &tr.Planted[i]
			if g.plan.instances > 1 || g.used.has(releaseReinit) {
				continue
			}
			if err := checkPlanted(&tr, p); err != nil {
				t.Fatalf("IPAFUZZ_SEED=%d: trace %d: %v\n%s", firstSeed(t), number, err, tr.String())
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d were checked", checked)
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

// TestPlantedFromSeed: a formula of any trace serves as a seed.
func TestPlantedFromSeed(t *testing.T) {
	seeds := newGenerator(t, Config{Model: apimodel.IPAMIR, Profile: mixedName})
	var parent, tr trace.Trace
	for number := range uint64(200) {
		seed := Seed(firstSeed(t), 2, number)
		seeds.Generate(seed, &parent)
		g := newGenerator(t, Config{Model: apimodel.IPAMIR, Family: "planted", Schedule: "one-shot", Plant: FormulaOf(&parent), Without: []string{"empty-clause"}})
		g.Generate(seed, &tr)
		if err := trace.Check(&tr); err != nil {
			t.Fatal(err)
		}
		for i := range g.plan.instances {
			if f := &g.spreads[i].f; len(f.planted) != f.Vars+1 {
				t.Fatalf("%d values for %d variables", len(f.planted)-1, f.Vars)
			} else if _, feasible := f.cost(f.planted); !feasible {
				t.Fatalf("IPAFUZZ_SEED=%d: trace %d: the planted assignment falsifies a hard clause", firstSeed(t), number)
			}
		}
	}
}
