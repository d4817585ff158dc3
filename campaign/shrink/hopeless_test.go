package shrink

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestCanFail checks that candidates are excluded only if no answer can be wrong in the wanted way.
func TestCanFail(t *testing.T) {
	const (
		objective = "objective is not the optimum"
		cost      = "objective is not the cost of the model"
		model     = "model is not optimal"
		worse     = "not optimal"
	)
	for _, c := range []struct {
		class  oracle.Class
		detail string
		calls  string
		want   bool
	}{
		{oracle.NotOptimal, worse, "hard 1 2 0\nsoft 1 3\nsoft 2 4\nsolve\nobj\nmodel\n", true},
		{oracle.NotOptimal, worse, "hard 1 2 0\nsoft 1 3\nsoft 2 4\nsolve\nobj\nval 1\n", true},
		{oracle.NotOptimal, worse, "hard 1 2 0\nsoft 1 3\nsoft 2 4\nsolve\nobj\n", false},               // no values
		{oracle.NotOptimal, worse, "hard 1 2 0\nsoft 1 3\nsoft 2 4\nsolve\nmodel\n", false},             // no objective
		{oracle.NotOptimal, worse, "hard 1 2 0\nsoft 1 3\nsolve\nobj\nsolve\nmodel\n", false},           // of another answer
		{oracle.NotOptimal, worse, "hard 1 0\nsoft 1 3\nsolve\nobj\nmodel\n", false},                    // only one cost
		{oracle.NotOptimal, worse, "soft 1 3\nsoft -1 3\nsolve\nobj\nmodel\n", false},                   // the same cost
		{oracle.NotOptimal, worse, "hard 1 0\nhard -1 0\nsoft 2 3\nsolve\nobj\nmodel\n", false},         // no solution
		{oracle.NotOptimal, worse, "soft 1 3\nassume 1\nsolve\nobj\nmodel\n", false},                    // assumed
		{oracle.NotOptimal, worse, "soft 1 3\nassume 1\nsolve\nsolve\nobj\nmodel\n", true},              // only once
		{oracle.NotOptimal, worse, "soft 1 3\nsoft 1 0\nsolve\nobj\nmodel\n", false},                    // the last counts
		{oracle.NotOptimal, worse, "soft 1 3\n@1 hard 1 0\n@1 solve\n@1 obj\n@1 model\n", false},        // another solver
		{oracle.NotOptimal, worse, "hard 1\nhard 2 0\nhard -2 0\nsoft 1 3\nsolve\nobj\nmodel\n", false}, // in pieces
		{oracle.NotOptimal, worse, "hard 1 0\nsoft 1 3\n", false},                                       // nothing is solved
		{oracle.NotOptimal, worse, "soft 1 18446744073709551615\nsoft 2 1\nsolve\nobj\nmodel\n", true},  // too much
		{oracle.NotOptimal, worse,
			"hard 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0\nsolve\nobj\nmodel\n", true}, // too many variables
		{oracle.NotOptimal, "more true variables than needed", "solve\nmodel\n", true},
		{oracle.ClaimsSolution, "claims a solution", "hard 1 0\nsolve\n", false},
		{oracle.ClaimsSolution, "claims a solution", "hard 1 0\nhard -1 0\nsolve\n", true},
		{oracle.ClaimsSolution, "claims a solution", "hard 0\nsolve\n", true},
		{oracle.ClaimsNoSolution, "claims no solution", "hard 1 0\nhard -1 0\nsolve\n", false},
		{oracle.ClaimsNoSolution, "claims no solution", "solve\n", true},
		{oracle.ModelFalsifies, "hard clause", "soft 1 3\nsolve\nmodel\n", false},
		{oracle.ModelFalsifies, "hard clause", "hard 1 0\nsolve\nobj\n", false},
		{oracle.ModelFalsifies, "hard clause", "hard 1 0\nhard -1 0\nsolve\nmodel\n", false},
		{oracle.ModelFalsifies, "hard clause", "hard 1 0\nsolve\nmodel\n", true},
		{oracle.ModelFalsifies, "assumption", "assume 1\nsolve\nmodel\n", true},
		{oracle.OneValueDiffers, cost, "solve\nobj\n", false},
		{oracle.OneValueDiffers, cost, "solve\nobj\nmodel\n", true},
		{oracle.OneValueDiffers, objective, "soft 1 3\nsolve\nobj\n", true},
		{oracle.OneValueDiffers, objective, "soft 1 3\nsolve\nmodel\n", false},
		{oracle.OneValueDiffers, objective, "hard 0\nsoft 1 3\nsolve\nobj\n", false},
		{oracle.OneValueDiffers, model, "soft 1 3\nsolve\nmodel\n", true},
		{oracle.OneValueDiffers, model, "soft 1 3\nhard 1 0\nsolve\nmodel\n", false},
		{oracle.AllValuesDiffer, cost, "solve\nobj\nmodel\n", true},
		{oracle.Segfault, "", "soft 1 3\n", true},
	} {
		d, known := demandOf(c.class, c.detail)
		p := &prediction{class: c.class, demand: d}
		if got := !known || p.canFail(testtrace.Parse(t, "ipafuzz 1 ipamir\n"+c.calls)); got != c.want {
			t.Errorf("%s %s: %v, want %v:\n%s", c.class, c.detail, got, c.want, c.calls)
		}
	}
}

// TestFilesCanFail checks that a file is excluded only if all its solutions have one cost, and always then.
func TestFilesCanFail(t *testing.T) {
	p := &prediction{class: oracle.NotOptimal, demand: demand{objective: true, values: true, solvable: true, costs: true}}
	for calls, want := range map[string]bool{
		"soft 1 1 2147483647 0\nhard 1 0\n":                                      true, // no variable is left to stand for it
		"hard 2 0\nsoft 3 1 0\nsoft 3 -1 0\n":                                    false,
		"soft 18446744073709551615 1 0\nsoft 1 1 0\n":                            true,
		"soft 18446744073709551615 1 0\nsoft 1 1 0\nsoft 1 -1 0\n":               true,
		"soft 1 1 2 3 0\nsoft 1 4 5 6 0\nsoft 1 7 8 9 0\nsoft 1 10 11 0\n":       true,
		"soft 1 1 2 0\nsoft 1 1 -2 0\nsoft 1 -1 2 0\nsoft 1 -1 -2 0\nhard 3 0\n": false,
	} {
		if got := p.canFail(testtrace.Parse(t, "ipafuzz 1 wcnf\n"+calls+"solve\nobj\nmodel\n")); got != want {
			t.Errorf("%v, want %v:\n%s", got, want, calls)
		}
	}
	hard := testtrace.Parse(t, "ipafuzz 1 wcnf\nsoft 1 1 2 0\nsoft 1 1 0\nsolve\nmodel\n")
	if (&prediction{class: oracle.ModelFalsifies, demand: demand{values: true, solvable: true}}).canFail(hard) {
		t.Error("a model of soft clauses falsifies a hard one")
	}
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 3))
	can, cannot := 0, 0
	for range 2000 {
		file := &trace.Trace{Model: apimodel.WCNF}
		for range rng.IntN(6) {
			var lits []int32
			for range rng.IntN(4) {
				lits = append(lits, int32(1+rng.IntN(4))*int32(1-2*rng.IntN(2)))
			}
			if rng.IntN(2) == 0 {
				file.Clause(0, true, lits...)
			} else {
				file.SoftClause(1+uint64(rng.IntN(3)), lits...)
			}
		}
		want := len(costsOf(file)) > 1
		file.Plain(0, apimodel.OpSolve)
		file.Plain(0, apimodel.OpObj)
		file.Plain(0, apimodel.OpModel)
		if got := p.canFail(file); got != want {
			t.Fatalf("%v, want %v:\n%s", got, want, file)
		}
		if want {
			can++
		} else {
			cannot++
		}
	}
	if min(can, cannot) < 200 {
		t.Errorf("%d files can fail, and %d cannot", can, cannot)
	}
}

// costsOf returns the costs of the solutions of a file over four variables.
func costsOf(file *trace.Trace) map[uint64]bool {
	costs := make(map[uint64]bool)
	for values := range 1 << 4 {
		cost, solves := uint64(0), true
		for i := range file.Calls {
			c := &file.Calls[i]
			fulfilled := slices.ContainsFunc(file.Args(c), func(lit int32) bool {
				return (values>>(trace.Var(lit)-1)&1 == 1) == (lit > 0)
			})
			if !fulfilled && c.Op.IsSoft() {
				cost += c.Num
			}
			solves = solves && (fulfilled || c.Op.IsSoft())
		}
		if solves {
			costs[cost] = true
		}
	}
	return costs
}

// TestFindingsArePossible runs traces on planted defects and checks that the prediction allows whatever the
// judge reports.
func TestFindingsArePossible(t *testing.T) {
	seen := make(map[string]int)
	for _, d := range ref.Defects() {
		if d.Class[0] != '2' || testing.Short() && d.Number%4 != 0 {
			continue
		}
		h := newHunter(t, d)
		g := h.generator("tiny")
		for number := range uint64(60) {
			one := new(trace.Trace)
			g.Generate(gen.Seed(testseed.Of(t, 1), uint64(d.Number), number), one)
			var run trace.Run
			findings, err := h.e.Run(context.Background(), one, &run)
			if err != nil {
				t.Fatal(err)
			}
			for i := range findings {
				f := &findings[i]
				demand, known := demandOf(f.Class, f.Detail)
				if !known {
					continue
				}
				seen[string(f.Class)+" "+f.Detail]++
				if p := (&prediction{class: f.Class, demand: demand}); !p.canFail(one) {
					t.Errorf("%s: %s %s is reported, but predicted to be impossible:\n%s", d.Name, f.Class, f.Detail, one)
				}
			}
		}
		h.close()
	}
	if len(seen) < 5 {
		t.Errorf("too few kinds of findings: %v", seen)
	}
	t.Log(seen)
}
