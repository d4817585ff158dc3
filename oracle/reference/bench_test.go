package reference_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// randomMaxSAT returns a problem with clauses of three literals, few enough for ten variables that it has
// solutions, and a weight for a literal of some variables.
func randomMaxSAT(r *rand.Rand, variables, clausesForTen, softs, weightBits int) *reference.Problem {
	p := new(reference.Problem)
	literal := func() int32 { return (1 + r.Int32N(int32(variables))) * int32(1-2*r.IntN(2)) }
	for range variables * clausesForTen / 10 {
		p.Clauses = append(p.Clauses, literal(), literal(), literal(), 0)
	}
	for _, v := range r.Perm(variables)[:softs] {
		p.Softs = append(p.Softs, reference.Soft{Lit: int32(v+1) * int32(1-2*r.IntN(2)),
			Weight: 1 + r.Uint64()>>(64-weightBits)})
	}
	return p
}

// BenchmarkSolve measures what an answer costs. Of ten problems of each size, "certified" counts those that
// were answered within 20000 conflicts.
func BenchmarkSolve(b *testing.B) {
	for _, size := range []struct{ variables, clausesForTen, softs, weightBits int }{
		{20, 30, 20, 20}, {20, 30, 20, 60}, {30, 30, 30, 4}, {30, 30, 30, 20}, {30, 30, 30, 57}, {40, 30, 40, 20}, {60, 30,
			40, 20}, {60, 30, 60, 4}, {100, 35, 50, 10},
	} {
		name := fmt.Sprintf("variables=%d,clauses=%d,softs=%d,bits=%d", size.variables, size.variables*size.clausesForTen/10,
			size.softs, size.weightBits)
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(size.variables)))
			var problems []*reference.Problem
			for range 10 {
				problems = append(problems, randomMaxSAT(r, size.variables, size.clausesForTen, size.softs, size.weightBits))
			}
			solver := reference.New(prover(b), 20000)
			i, certified, solves, conflicts := 0, 0, 0, uint64(0)
			for b.Loop() {
				a, err := solver.Solve(problems[i%len(problems)])
				if err != nil {
					b.Fatal(err)
				}
				i++
				solves += a.Solves
				conflicts += a.Conflicts
				if a.Certified() || len(problems[0].Softs) == 0 && a.Status != reference.Unknown {
					certified++
				}
			}
			b.ReportMetric(float64(certified)/float64(i), "certified/op")
			b.ReportMetric(float64(solves)/float64(i), "solves/op")
			b.ReportMetric(float64(conflicts)/float64(i), "conflicts/op")
		})
	}
}
