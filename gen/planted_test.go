package gen

import (
	"fmt"
	"strconv"
	"strings"
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

// TestPlantedNotes reads the notes back: with one solve and nothing but the
// formula the assignment satisfies every hard clause, and pays what is said.
func TestPlantedNotes(t *testing.T) {
	without := []string{"empty-clause"}
	g := newGenerator(t, Config{Model: apimodel.IPAMIR, Family: "planted", Schedule: "one-shot", Without: without, Bounds: Bounds{MaxVars: 300, MaxCalls: 3000}})
	var tr trace.Trace
	checked := 0
	for number := range uint64(300) {
		seed := Seed(firstSeed(t), 0, number)
		g.Generate(seed, &tr)
		for _, note := range g.Notes(seed) {
			if !strings.HasPrefix(note, "planted @0 ") || g.plan.instances > 1 || g.used.has(releaseReinit) {
				continue
			}
			if err := checkPlanted(&tr, note); err != nil {
				t.Fatalf("IPAFUZZ_SEED=%d: trace %d: %v\n%s\n%s", firstSeed(t), number, err, note, tr.String())
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d notes were checked", checked)
	}
}

func checkPlanted(tr *trace.Trace, note string) error {
	fields := strings.Fields(note)
	bound, err := strconv.ParseUint(fields[2][strings.Index(fields[2], "=")+1:], 10, 64)
	if err != nil {
		return err
	}
	holds := make(map[int32]bool)
	for _, field := range fields[3:] {
		l, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		holds[int32(l)] = true
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
	if cost > bound {
		return fmt.Errorf("the assignment pays %d, the note says %d", cost, bound)
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
