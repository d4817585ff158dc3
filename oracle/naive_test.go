package oracle

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
)

// seeded returns a source of random numbers. A failing test prints the seed; IPAFUZZ_SEED sets it.
func seeded(t testing.TB) *rand.Rand {
	seed := testseed.Of(t, uint64(time.Now().UnixNano()))
	return rand.New(rand.NewPCG(seed, 1))
}

// rounds returns how many random problems a test tries.
func rounds(t testing.TB, n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

// A naiveFormula is a problem with methods that are plain loops: a second implementation to compare the cube
// with.
type naiveFormula struct {
	vars    []int32
	clauses [][]int32
	weights map[int32]uint64 // by literal
}

// trueIn reports whether an assignment (bit i: vars[i]) makes the literal true.
func (f *naiveFormula) trueIn(assignment uint32, l int32) bool {
	for i, v := range f.vars {
		if v == l {
			return assignment>>i&1 == 1
		}
		if v == -l {
			return assignment>>i&1 == 0
		}
	}
	panic("unknown variable")
}

func (f *naiveFormula) fulfils(assignment uint32, assumptions []int32) bool {
	for _, clause := range f.clauses {
		ok := false
		for _, l := range clause {
			ok = ok || f.trueIn(assignment, l)
		}
		if !ok {
			return false
		}
	}
	for _, l := range assumptions {
		if !f.trueIn(assignment, l) {
			return false
		}
	}
	return true
}

func (f *naiveFormula) cost(assignment uint32) uint64 {
	sum := uint64(0)
	for l, w := range f.weights {
		if f.trueIn(assignment, l) {
			sum += w
		}
	}
	return sum
}

func (f *naiveFormula) solutions(assumptions []int32) []uint32 {
	var all []uint32
	for a := range uint32(1) << len(f.vars) {
		if f.fulfils(a, assumptions) {
			all = append(all, a)
		}
	}
	return all
}

func (f *naiveFormula) optimal(solutions []uint32) (least uint64, best []uint32) {
	for _, a := range solutions {
		c := f.cost(a)
		if best == nil || c < least {
			least, best = c, nil
		}
		if c == least {
			best = append(best, a)
		}
	}
	return least, best
}

func TestCubeAgainstPlainLoops(t *testing.T) {
	r := seeded(t)
	var in instance
	for round := range rounds(t, 20000) {
		n := 1 + r.IntN(7)
		if round%50 == 0 {
			n = 7 + r.IntN(4)
		}
		f := naiveFormula{weights: map[int32]uint64{}}
		for i := range n {
			f.vars = append(f.vars, int32(i*i*1000003%2147483647+i+1))
		}
		lit := func() int32 {
			l := f.vars[r.IntN(n)]
			if r.IntN(2) == 0 {
				return -l
			}
			return l
		}
		in.reset(0)
		addClause := func() {
			var clause []int32
			for range 1 + r.IntN(4) {
				clause = append(clause, lit())
			}
			f.clauses = append(f.clauses, clause)
			in.AddClause(clause, true, &plenty)
		}
		for range r.IntN(2 * n) {
			addClause()
		}
		big := r.IntN(4) == 0
		for range r.IntN(n + 2) {
			l, w := lit(), uint64(r.IntN(6))
			if big {
				w = r.Uint64() >> (5 + r.IntN(58))
			}
			f.weights[l] = w
			in.AddSoft(l, w, &plenty)
		}
		for range r.IntN(3) {
			addClause()
		}
		var assumptions []int32
		for range r.IntN(4) {
			l := lit()
			assumptions = append(assumptions, l)
			in.Assume(l)
		}
		in.begin(0, 30, true, true)
		k := in.Assumptions(nil)
		solutions := f.solutions(assumptions)
		if got, want := in.Feasible.Has(&k), len(solutions) > 0; got != want {
			t.Fatalf("round %d: %+v under %v: feasible %v, want %v", round, f, assumptions, got, want)
		}
		for i := range in.Vars.All { // only to compare assignments by number
			if in.Vars.All[i].Dim < 0 && !in.MakeDim(&in.Vars.All[i], &plenty) {
				t.Fatal("too many")
			}
		}
		k = in.Assumptions(nil)
		if got, want := in.Feasible.Has(&k), len(solutions) > 0; got != want {
			t.Fatalf("round %d: %+v under %v: feasible %v, want %v", round, f, assumptions, got, want)
		}
		costs := in.ObjectiveOf()
		least, found := costs.Least(&in.Feasible, &k, cube.NoCost), len(solutions) > 0
		want, _ := f.optimal(solutions)
		if !found {
			want = cube.NoCost
		}
		if least != want {
			t.Fatalf("round %d: %+v under %v: least %d, want %d", round, f, assumptions, least, want)
		}
		if known := r.Uint64() >> r.IntN(64); costs.Least(&in.Feasible, &k, known) != min(want, known) {
			t.Fatalf("round %d: %+v under %v: not %d when %d is known", round, f, assumptions, min(want, known), known)
		}
		possible := map[uint64]bool{}
		for _, a := range solutions {
			possible[f.cost(a)] = true
		}
		tries := []uint64{0, least, least + 1, least - 1, r.Uint64(), uint64(r.IntN(20))}
		for c := range possible {
			tries = append(tries, c, c+1)
		}
		for _, c := range tries {
			if got := costs.Exactly(&in.Feasible, &k, c); got != possible[c] {
				t.Fatalf("round %d: %+v under %v: a solution costs %d: %v, want %v", round, f, assumptions, c, got, possible[c])
			}
		}
		if found {
			a := in.Feasible.First(&k)
			naive := uint32(0)
			for i, v := range f.vars {
				if index := in.Vars.Find(v); index >= 0 && a>>in.Vars.All[index].Dim&1 == 1 {
					naive |= 1 << i
				}
			}
			if !f.fulfils(naive, assumptions) {
				t.Fatalf("round %d: %+v under %v: first solution %b is wrong", round, f, assumptions, naive)
			}
		}
	}
}

func TestVariablesTable(t *testing.T) {
	r := seeded(t)
	var vs problem.Variables
	for range 200 {
		vs.Reset()
		want := map[int32]int{}
		for range r.IntN(3000) {
			n := int32(1 + r.IntN(1<<uint(1+r.IntN(30))))
			i := vs.Literal(n).Index()
			if old, ok := want[n]; ok && old != i {
				t.Fatalf("variable %d: index %d, was %d", n, i, old)
			}
			want[n] = i
		}
		if len(want) != len(vs.All) {
			t.Fatalf("%d variables, want %d", len(vs.All), len(want))
		}
		for n, i := range want {
			if vs.Find(n) != i || vs.All[i].Number != n {
				t.Fatalf("variable %d not found", n)
			}
		}
		if vs.Find(2147483647) != -1 && want[2147483647] == 0 || vs.Find(0) != -1 || vs.Find(-2147483648) != -1 {
			t.Fatal("found a variable that is not there")
		}
	}
}

var plenty = cube.Budget{MaxVars: 16, Left: 1 << 60}
