package generate

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
)

const familiesHead = `# Families and the figures of their papers

Several [families](../generators.md#families) come from papers. The table compares figures that the papers state or
imply with those of %d of our formulas. These differences are intended, or come from the papers:

- **wcnfuzz** and its sizes follow the programs that made the paper's instances. The text of the paper (section 4.2)
  differs: by the text a clause grows with chance 1/3 (the C program: 2/3), one instance in four has unit soft clauses
  alone (the Python program: four in five), and one in ten only soft ones (one in six, but for gates). Table 1 of the
  paper agrees with the programs. The greatest numbers depend on the number of instances, and the paper has up to
  190,000. An instance without soft clauses counts as unweighted here, and, by its numbers, not in the paper. The
  Python program repeats a variable in one of a thousand soft clauses; we leave the repeated one out.
- **structured**, **ranges** and **xor** are in the spirit of three other generators, of which the paper gives only
  these figures. They are smaller, so that a trace takes a solver milliseconds; shares and kinds are alike.
- **sat4j**: half of the clauses have three literals always (algorithm 3), so the shares that its text gives for the
  others are halved here.
- **3sat**, **cnfuzz** and **fuzzsat** are measured without soft clauses. For MaxSAT, some clauses become soft.
- **qbfuzz**: the paper gives greatest numbers, which its authors' program always reaches, except that equal clauses
  become one. 129 of 150 of its formulas are true, and 172 of 200 of ours; lengths of clauses are spread alike.

"make families" makes this page.

| family | figure | published | here | difference |
|---|---|---|---|---|
`

// A figure is a number in a paper, and the same number for our formulas. They may differ by the tolerance,
// because of chance; it is 0 if the page explains the difference.
type figure struct {
	family, what, unit        string
	published, measured, near float64
}

// TestPublishedFamilies compares the published families with the figures of their papers
// and writes docs/measured/families.md.
func TestPublishedFamilies(t *testing.T) {
	if testing.Short() {
		t.Skip("decides thousands of formulas")
	}
	var page strings.Builder
	fmt.Fprintf(&page, familiesHead, statisticsInstances)
	for _, f := range slices.Concat(tableFigures(t), satFigures(t), qbfFigures(t)) {
		if math.Abs(f.measured-f.published) > f.near && f.near > 0 {
			t.Errorf("%s: %s is %.2f%s, published %.2f, tolerance %.2f",
				f.family, f.what, f.measured, f.unit, f.published, f.near)
		}
		fmt.Fprintf(&page, "| `%s` | %s | %.2f%s | %.2f%s | %+.2f |\n", f.family, f.what,
			f.published, f.unit, f.measured, f.unit, f.measured-f.published)
	}
	const name = "../../../docs/measured/families.md"
	if os.Getenv("IPAFUZZ_UPDATE") != "" {
		if err := os.WriteFile(name, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != page.String() {
		t.Errorf("docs/measured/families.md is not what is made now (%v); 'make families' writes it", err)
	}
}

// tableFigures returns the figures of table 1 of PB26 and of two columns of table 3.
func tableFigures(t *testing.T) (all []figure) {
	solver, err := trial.OpenFormulaSolver(t.Context(), apimodel.IPASIR)
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	rows := published
	for _, other := range rivals {
		rows = append(rows[:len(rows):len(rows)], other)
	}
	for i, p := range rows {
		source, err := family.NewSource(p.family)
		if err != nil {
			t.Fatal(err)
		}
		decide, tight := solver.Decide, 1.0
		if i >= len(published) {
			decide, tight = nil, 0
		}
		s := measure.StatisticsOf(t.Context(), source, 1, statisticsInstances, decide)
		n := float64(s.Instances)
		share := func(what string, want float64, part uint64, near float64) {
			all = append(all, figure{p.family, what, "%", want, 100 * float64(part) / n, near * tight})
		}
		number := func(what string, want, got, near float64) {
			all = append(all, figure{p.family, what, "", want, got, near * tight})
		}
		share("instances with hard clauses", p.hard, s.WithHard, shareTolerance)
		share("instances with soft clauses", p.soft, s.WithSoft, shareTolerance)
		share("unweighted instances", p.unweighted, s.Unweighted, shareTolerance)
		share("sums of weights below 2^32", p.weights32, s.Weights32, shareTolerance)
		number("hard clauses, average", p.hardAverage, float64(s.Hard.Sum)/n, averageTolerance*p.hardAverage)
		number("soft clauses, average", p.softAverage, float64(s.Soft.Sum)/n, averageTolerance*p.softAverage)
		number("variables, average", p.varsAverage, float64(s.Variables.Sum)/n, averageTolerance*p.varsAverage)
		number("hard clauses, most", p.hardMax, float64(s.Hard.Max), 0)
		number("soft clauses, most", p.softMax, float64(s.Soft.Max), 0)
		number("variables, most", p.varsMax, float64(s.Variables.Max), 0)
		if decide != nil {
			share("objective 0", p.objectiveZero, s.ObjectiveZero, zeroTolerance)
			share("satisfiable hard clauses", p.satisfiableHard, s.SatisfiableHard, satisfiableTolerance)
		}
	}
	return all
}

// satCounts are sums over the formulas of a SAT family.
type satCounts struct {
	n, vars, clauses, ratios float64
	lengths                  [8]float64 // the last counts 7 and more
	tenths, enumerated       float64
	parts, enumeratedRatios  float64
}

func satCountsOf(t *testing.T, name string) (c satCounts) {
	source, err := family.NewSource(name)
	if err != nil {
		t.Fatal(err)
	}
	source.WithoutCosts()
	var f family.Formula
	for number := range uint64(statisticsInstances) {
		source.Formula(draw.Seed(1, 0, number), &f)
		ratio := float64(f.Clauses()) / float64(f.Vars)
		c.n++
		c.clauses += float64(f.Clauses())
		for i := range f.Clauses() {
			lits, _ := f.Clause(i)
			c.lengths[min(len(lits), 7)]++
		}
		if f.Wish == family.Enumeration {
			c.enumerated++
			c.enumeratedRatios += ratio
			continue
		}
		c.vars += float64(f.Vars)
		c.ratios += ratio
		c.parts += float64(len(f.Cuts))
		if f.Tenths {
			c.tenths++
		}
	}
	return c
}

// satFigures returns the figures of BLB10 section 2.1, and of P24 sections 4.1.2 to 4.1.5.
func satFigures(t *testing.T) (all []figure) {
	name, c := "", satCounts{}
	begin := func(family string) { name, c = family, satCountsOf(t, family) }
	number := func(what string, want, got, near float64) {
		all = append(all, figure{name, what, "", want, got, near})
	}
	length := func(what string, want float64, from, to int, near float64) {
		sum := 0.0
		for _, n := range c.lengths[from : to+1] {
			sum += n
		}
		all = append(all, figure{name, "clauses of " + what, "%", want, 100 * sum / c.clauses, near})
	}
	begin("3sat")
	number("variables, average", 205, c.vars/c.n, 8)
	number("clauses for a variable, average", 4, c.ratios/c.n, 0.05)
	length("3 literals", 100, 3, 3, 0.01)
	begin("cnfuzz")
	number("variables, average", 262.5, c.vars/c.n, 15)
	number("clauses for a variable, average", 3.75, c.ratios/c.n, 0.05)
	length("3 literals", 66.67, 3, 3, 0.5)
	length("4 literals", 22.22, 4, 4, 0.5)
	length("5 literals", 7.41, 5, 5, 0.5)
	begin("fuzzsat")
	length("4 to 6 literals, all of them random", 3.11, 4, 6, 0.3)
	begin("sat4j")
	number("share that enumerates", 0.2, c.enumerated/c.n, 0.03)
	number("share of the others with assumptions", 0.5, c.tenths/(c.n-c.enumerated), 0.04)
	number("increments, average", 3, c.parts/(c.n-c.enumerated), 0.15)
	number("variables of an increment, average", 110, c.vars/c.parts, 4)
	number("clauses for a variable", 2.6, c.ratios/(c.n-c.enumerated), 0.05)
	number("clauses for a variable, enumerating", 5, c.enumeratedRatios/c.enumerated, 0.05)
	length("1 literal", 1, 1, 1, 0)
	length("2 literals", 10, 2, 2, 0)
	length("4 and more literals", 17, 4, 7, 0)
	return all
}
