package generate

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
)

// qbfCounts are sums over the formulas of a family of quantified formulas.
type qbfCounts struct {
	n, blocks, vars, universals, clauses, literals, existentialLiterals float64
}

func qbfCountsOf(t *testing.T, name string) (c qbfCounts) {
	source, err := quantified.NewSource(name)
	if err != nil {
		t.Fatal(err)
	}
	for number := range uint64(statisticsInstances) {
		f := source.Formula(draw.Seed(1, 0, number))
		c.n++
		c.blocks += float64(len(f.Prefix))
		c.clauses += float64(len(f.Clauses))
		universal := make(map[int32]bool)
		for _, block := range f.Prefix {
			c.vars += float64(len(block.Vars))
			for _, v := range block.Vars {
				if universal[v] = block.Universal; block.Universal {
					c.universals++
				}
			}
		}
		for _, clause := range f.Clauses {
			c.literals += float64(len(clause))
			for _, l := range clause {
				if !universal[max(l, -l)] {
					c.existentialLiterals++
				}
			}
		}
	}
	return c
}

// qbfFigures are those of BLB10 section 2.2 and, for the literals of qbfuzz, of 400
// formulas of its authors' program with the settings of the paper: reduction shortens
// clauses, by how much depends on the sizes of blocks, and the paper does not say how they
// are drawn.
func qbfFigures(t *testing.T) (all []figure) {
	name, c := "", qbfCounts{}
	number := func(what string, want, got, near float64) {
		all = append(all, figure{name, what, "", want, got, near})
	}
	name, c = "blocksqbf", qbfCountsOf(t, "blocksqbf")
	number("blocks", 3, c.blocks/c.n, 0.001)
	number("variables", 50, c.vars/c.n, 0.001)
	number("universal variables", 10, c.universals/c.n, 0.001)
	number("clauses", 160, c.clauses/c.n, 0.001)
	number("literals of a clause", 5, c.literals/c.clauses, 0.001)
	number("existential literals of a clause", 3, c.existentialLiterals/c.clauses, 0.001)
	name, c = "qbfuzz", qbfCountsOf(t, "qbfuzz")
	number("blocks", 15, c.blocks/c.n, 0.05)
	number("variables", 40, c.vars/c.n, 0.05)
	number("universal variables", 24, c.universals/c.n, 0.05)
	number("clauses", 80, c.clauses/c.n, 0.2)
	number("literals of a clause, average (program)", 9.17, c.literals/c.clauses, 0.05)
	number("existential literals of a clause, average (program)", 3.64, c.existentialLiterals/c.clauses, 0.03)
	return all
}
