package quantified

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

func rounds(n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

func expanding(t testing.TB) Config {
	prover := ref.NewProver()
	return Config{MaxVars: -1, Reference: reference.New(prover, 10000)}
}

// TestSearch compares the truth table with the definition on random formulas.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	d := New(Config{})
	truths := [3]int{}
	for round := range rounds(100_000) {
		f := randomFormula(r, 3+7*r.IntN(2))
		d.Begin()
		d.Pose(f)
		if !d.searched {
			t.Fatalf("round %d: %v is not searched", round, f)
		}
		check(t, round, d, f, r, &truths)
	}
	t.Logf("%d true, %d false", truths[True], truths[False])
}

// check compares the decider's answers to a few questions about a formula with the definition.
func check(t *testing.T, round int, d *Decider, f *qbf.Formula, r *rand.Rand, truths *[3]int) {
	t.Helper()
	outer, universal := outermost(f)
	for _, vars := range [][]int32{nil, outer, variablesOf(f)} {
		assumptions := randomAssumptions(r, vars)
		want := truthOf(isTrue(f, assumptions))
		got := d.Under(assumptions)
		if truths[got.Truth]++; got.Truth != want && (d.MaxVars > 0 || got.Truth != Unknown) {
			t.Fatalf("round %d: %v under %v is %v (%v), want %v", round, f, assumptions, got.Truth, got, want)
		}
		if d.Err() != nil {
			t.Fatalf("round %d: %v under %v: %v", round, f, assumptions, d.Err())
		}
		win := d.Win(assumptions)
		if len(vars) > len(outer) || d.MaxVars < 0 {
			continue
		}
		if exists := (want == True) != universal; !exists && win != nil {
			t.Fatalf("round %d: %v wins in %v under %v, which is %v", round, win, f, assumptions, want)
		}
		for _, l := range win {
			if slices.Contains(assumptions, -l) || !slices.Contains(outer, max(l, -l)) {
				t.Fatalf("round %d: %v has %d, under %v in %v", round, win, l, assumptions, f)
			}
		}
		if win != nil && isTrue(f, slices.Concat(win, assumptions)) == universal {
			t.Fatalf("round %d: %v does not win in %v under %v", round, win, f, assumptions)
		}
	}
}

// TestIncremental changes one formula again and again: clauses come and go, quantifiers change, variables
// move. The truth table must follow.
func TestIncremental(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 2), 0))
	d := New(Config{})
	truths := [3]int{}
	for round := range rounds(5_000) {
		d.Begin()
		f := randomFormula(r, 9)
		for range 10 {
			switch r.IntN(6) {
			case 0:
				if len(f.Clauses) > 0 {
					f.Clauses = f.Clauses[:r.IntN(len(f.Clauses))]
				}
			case 1:
				if i := len(f.Clauses); i > 0 {
					i = r.IntN(i)
					f.Clauses = slices.Delete(f.Clauses, i, i+1)
				}
			case 2:
				if i := len(f.Prefix); i > 0 {
					b := &f.Prefix[r.IntN(i)]
					b.Universal = !b.Universal
				}
			case 3:
				if i := len(f.Prefix); i > 1 {
					r.Shuffle(i, func(i, j int) { f.Prefix[i], f.Prefix[j] = f.Prefix[j], f.Prefix[i] })
				}
			default:
				f.Clauses = append(f.Clauses, randomClause(r, append(variablesOf(f), int32(1+r.IntN(9)))))
			}
			d.Pose(f)
			check(t, round, d, f, r, &truths)
		}
	}
	t.Logf("%d true, %d false", truths[True], truths[False])
}

// TestExpansion compares simplification and expansion, without the truth table, with the definition.
func TestExpansion(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 3), 0))
	d := New(expanding(t))
	truths := [3]int{}
	for round := range rounds(30_000) {
		f := randomFormula(r, 3+6*r.IntN(2))
		d.Pose(f)
		check(t, round, d, f, r, &truths)
	}
	t.Logf("%d unknown, %d true, %d false", truths[Unknown], truths[True], truths[False])
	if truths[Unknown] > 0 {
		t.Errorf("%d questions have no answer", truths[Unknown])
	}
}

// TestParts checks what a few assignments of the universal variables, or the clauses without them, prove about
// formulas whose complete expansion is too large.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 5), 0))
	d := New(expanding(t))
	disproved, proved := 0, 0
	for round := range rounds(30_000) {
		f := randomFormula(r, 10)
		d.Pose(f)
		if d.simple.simplify(f, &d.blocks, nil) != Unknown {
			continue
		}
		want := isTrue(f, nil)
		d.expand.begin(&d.simple.rest)
		n := len(d.expand.universal)
		if d.ask(&d.simple.rest, d.someAssignments(n, 1+r.IntN(3))) == False {
			if disproved++; want {
				t.Fatalf("round %d: a part of the expansion of %v has no solution, but it is true", round, f)
			}
		}
		if d.askWithout() == True {
			if proved++; !want {
				t.Fatalf("round %d: %v without universal literals has a solution, but it is false", round, f)
			}
		}
	}
	if t.Logf("%d false, %d true", disproved, proved); min(disproved, proved) == 0 {
		t.Error("the test tests nothing")
	}
}

// TestLarge compares the truth table with the expansion on formulas too large for the definition. The two
// share only the simplifier.
func TestLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 6), 0))
	search, expand := New(Config{}), New(expanding(t))
	truths := [3]int{}
	for round := range rounds(400) {
		names := make([]int32, 12+r.IntN(10))
		for i := range names {
			names[i] = int32(i + 1)
		}
		f := new(qbf.Formula)
		for at := 0; at < len(names); {
			to := min(len(names), at+1+r.IntN(5))
			f.Prefix = append(f.Prefix, qbf.Block{Universal: len(f.Prefix)%2 == 1, Vars: names[at:to]})
			at = to
		}
		hardened(f, r, names)
		search.Begin()
		search.Pose(f)
		expand.Pose(f)
		if !search.searched {
			t.Fatalf("round %d: %d variables are not searched", round, len(names))
		}
		for range 3 {
			assumptions := randomAssumptions(r, f.Prefix[0].Vars)
			got, want := search.Under(assumptions), expand.Under(assumptions)
			if truths[want.Truth]++; want.Truth != Unknown && got.Truth != want.Truth {
				t.Fatalf("round %d: %v under %v: %v by %v, %v by %v", round, f, assumptions, got.Truth, got, want.Truth, want)
			}
		}
	}
	t.Logf("%d unknown, %d true, %d false", truths[Unknown], truths[True], truths[False])
}

// TestSimplify compares the simplified formula with the original.
func TestSimplify(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 4), 0))
	var s simplifier
	left := 0
	for round := range rounds(50_000) {
		f := randomFormula(r, 9)
		assumptions := randomAssumptions(r, variablesOf(f))
		var blocks qbf.Numbers
		for i := range f.Prefix {
			for _, v := range f.Prefix[i].Vars {
				blocks.Set(v, int32(i))
			}
		}
		want, got := truthOf(isTrue(f, assumptions)), s.simplify(f, &blocks, assumptions)
		if got == Unknown {
			left++
			got = truthOf(isTrue(&s.rest, nil))
		}
		if got != want {
			t.Fatalf("round %d: %v under %v is %v, want %v; left: %v", round, f, assumptions, got, want, s.rest)
		}
	}
	t.Logf("%d left", left)
}

// TestBudget: a decider without memory knows only what simplification proves, and more once it has memory
// again.
func TestBudget(t *testing.T) {
	f := &qbf.Formula{Prefix: []qbf.Block{{Vars: []int32{1}}, {Universal: true, Vars: []int32{2}}, {Vars: []int32{3}}},
		Clauses: [][]int32{{1, 2, 3}, {-1, -2, -3}, {1, -2, 3}, {-1, 2, -3}, {1, 2, -3}}}
	d := New(Config{})
	d.Left = 0
	d.Pose(f)
	if got := d.Under(nil).Truth; got != Unknown {
		t.Errorf("without budget: %v", got)
	}
	if got := d.Under([]int32{1}).Truth; got != True { // -3 is pure then
		t.Errorf("without budget, simplified: %v", got)
	}
	d.Begin()
	d.Pose(f)
	if got := d.Under(nil).Truth; got != True {
		t.Errorf("with budget: %v", got)
	}
	if got := d.Under([]int32{1, -1}).Truth; got != Unknown {
		t.Errorf("under assumptions that contradict each other: %v", got)
	}
}

// FuzzDecider builds formulas from the fuzzer's bytes and compares the deciders with the definition.
func FuzzDecider(f *testing.F) {
	f.Add([]byte{3, 0, 1, 2, 1, 2, 3, 0, 250, 3, 0}, uint8(1))
	f.Add([]byte{9, 7, 0, 1, 255, 2, 0, 5, 251, 0, 0, 3}, uint8(5))
	table, expansion := New(Config{}), New(expanding(f))
	f.Fuzz(func(t *testing.T, data []byte, blocks uint8) {
		const most = 8
		q := new(qbf.Formula)
		for v := int32(1); v <= most; v++ {
			if len(q.Prefix) == 0 || blocks>>(v-1)&1 == 1 {
				q.Prefix = append(q.Prefix, qbf.Block{Universal: len(q.Prefix)%2 == int(blocks)%2})
			}
			b := &q.Prefix[len(q.Prefix)-1]
			b.Vars = append(b.Vars, v)
		}
		var clause []int32
		for _, b := range data[:min(len(data), 60)] {
			if l := int32(int8(b)) % (most + 2); l != 0 { // one more variable is free
				clause = append(clause, l)
				continue
			}
			q.Clauses = append(q.Clauses, clause)
			clause = nil
		}
		want := truthOf(isTrue(q, nil))
		for _, d := range []*Decider{table, expansion} {
			d.Begin()
			d.Pose(q)
			if got := d.Under(nil); got.Truth != want {
				t.Fatalf("%v is %v by %v, want %v", q, got.Truth, got, want)
			}
		}
	})
}

// TestVerdictString checks that a verdict says how it is known, also if nothing was left to search.
func TestVerdictString(t *testing.T) {
	d := New(Config{})
	for _, row := range []struct {
		clause []int32
		want   string
	}{{[]int32{}, "the clauses: no variable is left"}, {[]int32{1}, "exhaustive search over 1 variable"}} {
		d.Begin()
		d.Pose(&qbf.Formula{Clauses: [][]int32{row.clause}})
		if got := d.Under(nil).String(); got != row.want {
			t.Errorf("%v: %q, want %q", row.clause, got, row.want)
		}
	}
}
