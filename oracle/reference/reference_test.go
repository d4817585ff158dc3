package reference_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/proof/lrat"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

func source(t *testing.T) *rand.Rand { return rand.New(rand.NewPCG(testseed.Of(t, 1), 0)) }

func prover(t testing.TB) *ref.Prover {
	p := ref.NewProver()
	t.Cleanup(p.Close)
	return p
}

// A shape describes random problems.
type shape struct {
	variables, clauses, assumptions, softs int
	weights                                func(*rand.Rand) uint64
	sparse                                 bool
}

func small(r *rand.Rand) uint64 { return uint64(r.IntN(5)) }

func great(r *rand.Rand) uint64 {
	return []uint64{1, 1 << 32, 1 << 61, 1 << 62, math.MaxUint64 / 5}[r.IntN(5)] + uint64(r.IntN(4)) - 2
}

func (s shape) draw(r *rand.Rand, p *reference.Problem) {
	p.Reset()
	literal := func() int32 {
		v := int32(1 + r.IntN(s.variables))
		if s.sparse {
			v = []int32{math.MaxInt32, 1 << 12, 1<<12 - 1, 1000000, 77}[v%5]
		}
		return v * int32(1-2*r.IntN(2))
	}
	for range r.IntN(s.clauses + 1) {
		length := 1 + r.IntN(3)
		if r.IntN(100) == 0 {
			length = 0
		}
		for range length {
			p.Clauses = append(p.Clauses, literal())
		}
		p.Clauses = append(p.Clauses, 0)
	}
	for range r.IntN(s.assumptions + 1) {
		p.Assumptions = append(p.Assumptions, literal())
	}
	for range r.IntN(s.softs + 1) {
		p.Softs = append(p.Softs, reference.Soft{Lit: literal(), Weight: s.weights(r)})
	}
}

func variables(p *reference.Problem) []int32 {
	var all []int32
	see := func(literal int32) {
		if v := max(literal, -literal); v != 0 && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	for _, literal := range p.Clauses {
		see(literal)
	}
	for _, literal := range p.Assumptions {
		see(literal)
	}
	for _, soft := range p.Softs {
		see(soft.Lit)
	}
	slices.Sort(all)
	return all
}

// evaluate reports whether the model is a solution, and its cost.
func evaluate(p *reference.Problem, model []int32) (bool, *big.Int) {
	some := false
	for _, literal := range p.Clauses {
		if literal == 0 && !some {
			return false, nil
		}
		some = literal != 0 && (some || slices.Contains(model, literal))
	}
	for _, literal := range p.Assumptions {
		if !slices.Contains(model, literal) {
			return false, nil
		}
	}
	cost := new(big.Int)
	for _, soft := range p.Softs {
		if slices.Contains(model, soft.Lit) {
			cost.Add(cost, new(big.Int).SetUint64(soft.Weight))
		}
	}
	return true, cost
}

// optimum tries all assignments. It returns nil if there is no solution.
func optimum(p *reference.Problem) *big.Int {
	names := variables(p)
	model := slices.Clone(names)
	var least *big.Int
	for assignment := range 1 << len(names) {
		for i, v := range names {
			model[i] = v * int32(1-2*(assignment>>i&1))
		}
		if ok, cost := evaluate(p, model); ok && (least == nil || cost.Cmp(least) < 0) {
			least = cost
		}
	}
	return least
}

func sum(p *reference.Problem) *big.Int {
	total := new(big.Int)
	for _, soft := range p.Softs {
		total.Add(total, new(big.Int).SetUint64(soft.Weight))
	}
	return total
}

// verify compares an answer with a search of all assignments. It returns "" if all of it is right.
func verify(p *reference.Problem, a *reference.Answer) string {
	least := optimum(p)
	switch {
	case a.Status == reference.Unsatisfiable && least != nil:
		return "there is a solution"
	case a.Status == reference.Satisfiable && least == nil:
		return "there is no solution"
	}
	if c := a.Certificate; c != nil {
		if err := new(lrat.Checker).Check(c.Formula, c.Proof); err != nil {
			return "the certificate is refused: " + err.Error()
		}
	}
	if a.Status != reference.Satisfiable {
		if a.Status == reference.Unsatisfiable && (a.Certificate == nil || a.Certificate.Bounded) {
			return "the certificate is not for unsatisfiability"
		}
		return ""
	}
	ok, cost := evaluate(p, a.Model)
	switch {
	case !ok || len(a.Model) != len(variables(p)):
		return "the model is no solution"
	case a.CostKnown && cost.Cmp(new(big.Int).SetUint64(a.Cost)) != 0:
		return fmt.Sprintf("the model costs %v", cost)
	case !a.CostKnown && cost.IsUint64():
		return fmt.Sprintf("the cost %v is not known", cost)
	case least.Cmp(new(big.Int).SetUint64(a.AtLeast)) < 0:
		return fmt.Sprintf("there is a solution of cost %v", least)
	case a.Optimal && (!a.CostKnown || least.Cmp(cost) != 0):
		return fmt.Sprintf("the optimum is %v", least)
	case a.Optimal && a.Certificate != nil && (!a.Certificate.Bounded || a.Certificate.AtMost != a.Cost-1):
		return "the certificate is for another cost"
	}
	return ""
}

// allDecided reports whether an answer is as complete as it must be with the usual budget: only costs beyond 64
// bits may be unknown.
func allDecided(p *reference.Problem, a *reference.Answer) bool {
	return a.Status == reference.Unsatisfiable ||
		a.Status == reference.Satisfiable && (a.Optimal || !sum(p).IsUint64())
}

func TestAgainstBruteForce(t *testing.T) {
	solver := reference.New(prover(t), 1<<20)
	for name, shape := range map[string]shape{
		"small weights":  {6, 12, 2, 6, small, false},
		"great weights":  {5, 8, 1, 5, great, false},
		"beyond 64 bits": {4, 4, 1, 20, great, false},
		"many softs":     {7, 8, 0, 20, small, false},
		"no softs":       {6, 25, 3, 0, small, false},
		"no clauses":     {5, 0, 4, 8, small, false},
		"only softs":     {6, 0, 0, 8, great, false},
		"sparse":         {5, 10, 2, 6, small, true},
		"assumptions":    {5, 10, 8, 3, small, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := source(t)
			var p reference.Problem
			count := map[string]int{}
			solves := 0
			for range 2000 {
				shape.draw(r, &p)
				a, err := solver.Solve(&p)
				if err != nil {
					t.Fatalf("%+v: %v", p, err)
				}
				if why := verify(&p, &a); why != "" {
					t.Fatalf("%s: %+v\n%+v", why, p, a)
				}
				if !allDecided(&p, &a) {
					t.Fatalf("not decided: %+v\n%+v", p, a)
				}
				count[fmt.Sprintf("%v, certified=%v", a.Status, a.Certified())]++
				solves = max(solves, a.Solves)
			}
			t.Logf("%v, at most %d solves", count, solves)
		})
	}
}

func TestSomeProblems(t *testing.T) {
	type soft = reference.Soft
	solver := reference.New(prover(t), 1000)
	for name, test := range map[string]struct {
		problem   reference.Problem
		status    reference.Status
		cost      uint64
		atLeast   uint64
		isOptimal bool
		isProved  bool
	}{
		"nothing":      {reference.Problem{}, reference.Satisfiable, 0, 0, true, false},
		"empty clause": {reference.Problem{Clauses: []int32{0}}, reference.Unsatisfiable, 0, 0, false, true},
		"contradicting assumptions": {reference.Problem{Assumptions: []int32{3, -3}}, reference.Unsatisfiable, 0, 0, false,
			true},
		"both polarities": {reference.Problem{Softs: []soft{{7, 5}, {-7, 3}}},
			reference.Satisfiable, 3, 3, true, false},
		"forced": {reference.Problem{Clauses: []int32{7, 0}, Softs: []soft{{7, 5}, {-7, 3}}},
			reference.Satisfiable, 5, 5, true, true},
		"one weight of 2^64-1": {reference.Problem{Clauses: []int32{7, 0}, Softs: []soft{{7, math.MaxUint64}}},
			reference.Satisfiable, math.MaxUint64, math.MaxUint64, true, true},
		"2^64, not reached": {reference.Problem{Clauses: []int32{7, 0}, Softs: []soft{{7, math.MaxUint64}, {8, 1}}},
			reference.Satisfiable, math.MaxUint64, 0, false, false},
		"soft of weight 0": {reference.Problem{Clauses: []int32{7, 0}, Softs: []soft{{7, 0}}},
			reference.Satisfiable, 0, 0, true, false},
		"twice": {reference.Problem{Clauses: []int32{7, 0}, Softs: []soft{{7, 2}, {7, 3}}},
			reference.Satisfiable, 5, 5, true, true},
	} {
		a, err := solver.Solve(&test.problem)
		if err != nil || a.Status != test.status || a.Cost != test.cost || a.AtLeast != test.atLeast ||
			a.Optimal != test.isOptimal || (a.Certificate != nil) != test.isProved {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// A miser is a prover that always finds the most expensive solution. Variable v costs 2^(v-1).
type miser struct {
	honest    reference.Prover
	variables int32
}

func (m miser) Solve(formula []int32, conflicts uint64) (reference.Result, error) {
	for cost := int32(1)<<m.variables - 1; cost >= 0; cost-- {
		forced := slices.Clone(formula)
		for v := range m.variables {
			forced = append(forced, (v+1)*(2*(cost>>v&1)-1), 0)
		}
		if result, err := m.honest.Solve(forced, conflicts); err != nil || result.Status == 10 {
			return result, err
		}
	}
	return m.honest.Solve(formula, conflicts)
}

// TestManySteps: the search bisects after some steps by one. Without that, this problem would take up to 255. The
// certificate is not always from the last question.
func TestManySteps(t *testing.T) {
	r := source(t)
	solver := reference.New(miser{prover(t), 8}, 1<<20)
	var p reference.Problem
	most := 0
	for range 30 {
		shape{8, 20, 0, 0, nil, false}.draw(r, &p)
		for v := range int32(8) {
			p.Softs = append(p.Softs, reference.Soft{Lit: 1 + v, Weight: 1 << v})
		}
		a, err := solver.Solve(&p)
		if why := verify(&p, &a); err != nil || why != "" || !a.Certified() {
			t.Fatalf("%s: %+v\n%+v, %v", why, p, a, err)
		}
		most = max(most, a.Solves)
	}
	if most > 40 || most < 10 {
		t.Errorf("%d solves", most)
	}
}

func TestMalformed(t *testing.T) {
	solver := reference.New(prover(t), 1000)
	for _, p := range []reference.Problem{
		{Clauses: []int32{1}}, {Clauses: []int32{math.MinInt32, 0}}, {Assumptions: []int32{0}},
		{Assumptions: []int32{math.MinInt32}}, {Softs: []reference.Soft{{Lit: 0, Weight: 1}}},
	} {
		if a, err := solver.Solve(&p); err == nil {
			t.Errorf("%+v: %+v", p, a)
		}
	}
}

// pigeons returns the formula with one pigeon more than holes.
func pigeons(holes int) (clauses []int32) {
	in := func(pigeon, hole int) int32 { return int32(pigeon*holes + hole + 1) }
	for p := range holes + 1 {
		for h := range holes {
			clauses = append(clauses, in(p, h))
		}
		clauses = append(clauses, 0)
		for other := range p {
			for h := range holes {
				clauses = append(clauses, -in(p, h), -in(other, h), 0)
			}
		}
	}
	return clauses
}

// TestLimit: problems share a budget until Renew is called.
func TestLimit(t *testing.T) {
	t.Parallel()
	r := reference.New(prover(t), 1<<20)
	p := reference.Problem{Clauses: pigeons(6)}
	alone, err := r.Solve(&p)
	if err != nil || alone.Status != reference.Unsatisfiable {
		t.Fatalf("%+v, %v", alone, err)
	}
	r.Limit(2 * alone.Conflicts)
	for range 2 {
		r.Renew()
		solved := 0
		for range 10 {
			a, err := r.Solve(&p)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status == reference.Unsatisfiable {
				solved++
			}
		}
		if solved < 1 || solved > 3 {
			t.Errorf("%d problems solved within twice the conflicts of one", solved)
		}
	}
}

func TestBudget(t *testing.T) {
	p := reference.Problem{Clauses: pigeons(7)}
	if a, err := reference.New(prover(t), 100).Solve(&p); err != nil || a.Status != reference.Unknown ||
		a.Conflicts > 101 {
		t.Errorf("%+v, %v", a, err)
	}
	// If the budget ends, the answer has what is known by then.
	r := rand.New(rand.NewPCG(3, 3))
	p.Reset()
	for v := int32(1); v <= 60; v++ {
		p.Clauses = append(p.Clauses, v, 1+r.Int32N(60), 1+r.Int32N(60), 0)
		p.Softs = append(p.Softs, reference.Soft{Lit: v, Weight: 1 + r.Uint64N(1000)})
	}
	a, err := reference.New(prover(t), 300).Solve(&p)
	if ok, cost := evaluate(&p, a.Model); err != nil || a.Status != reference.Satisfiable || a.Optimal || !ok ||
		cost.Uint64() != a.Cost || a.AtLeast > a.Cost || a.Certified() {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestTooManyWeights: the optimum stays unknown if there are too many weights to encode their sum in clauses.
func TestTooManyWeights(t *testing.T) {
	var p reference.Problem
	for v := int32(1); v <= 5000; v++ {
		p.Clauses = append(p.Clauses, v, v+1, 0)
		p.Softs = append(p.Softs, reference.Soft{Lit: v, Weight: 1<<50 - uint64(v)})
	}
	a, err := reference.New(prover(t), 1000).Solve(&p)
	if err != nil || a.Status != reference.Satisfiable || a.Optimal || a.Solves != 1 || !a.CostKnown {
		t.Errorf("%v, cost %d, %v", a.Status, a.Cost, err)
	}
}

func TestWriteFormula(t *testing.T) {
	p := reference.Problem{Clauses: []int32{-70, 0, 70, 99, 0}, Softs: []reference.Soft{{Lit: 99, Weight: 6}, {Lit: 70,
		Weight: 1}}}
	a, err := reference.New(prover(t), 1000).Solve(&p)
	if err != nil || !a.Optimal || a.Cost != 6 {
		t.Fatalf("%+v, %v", a, err)
	}
	var b bytes.Buffer
	if err := a.Certificate.WriteFormula(&b); err != nil {
		t.Fatal(err)
	}
	const want = `c the cost is at most 5
c variable 1 is 70 in the problem
c variable 2 is 99 in the problem
p cnf 2 3
-1 0
1 2 0
-2 0
`
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	var again []int32
	for line := range strings.Lines(b.String()) {
		if line[0] != 'c' && line[0] != 'p' {
			for _, word := range strings.Fields(line) {
				n, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				again = append(again, int32(n))
			}
		}
	}
	if !slices.Equal(again, a.Certificate.Formula) {
		t.Errorf("%v is not %v", again, a.Certificate.Formula)
	}
}
