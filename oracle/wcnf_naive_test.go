package oracle

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A naiveFile is a formula file with answers. Its methods are plain loops over all assignments of its variables.
type naiveFile struct {
	vars  []int32
	hard  [][]int32
	soft  [][]int32
	pays  []uint64 // by soft clause
	t     trace.Trace
	a     trace.Answers
	least naiveCost
	any   bool // some assignment fulfils the hard clauses

	status uint64
	told   []int32 // literals that the model lists
	asked  bool    // for the model
	cost   uint64
	costed bool // the objective was asked for
}

// A naiveCost is a number of 128 bits.
type naiveCost struct{ hi, lo uint64 }

func (c naiveCost) below(o naiveCost) bool { return c.hi < o.hi || c.hi == o.hi && c.lo < o.lo }

func (f *naiveFile) isTrue(assignment int, clause []int32) bool {
	return slices.ContainsFunc(clause, func(l int32) bool {
		return (assignment>>slices.Index(f.vars, trace.Var(l))&1 == 1) == (l > 0)
	})
}

func (f *naiveFile) fulfils(assignment int) bool {
	return !slices.ContainsFunc(f.hard, func(clause []int32) bool { return !f.isTrue(assignment, clause) })
}

func (f *naiveFile) costOf(assignment int) (sum naiveCost) {
	for i, clause := range f.soft {
		if !f.isTrue(assignment, clause) {
			var carry uint64
			sum.lo, carry = bits.Add64(sum.lo, f.pays[i], 0)
			sum.hi += carry
		}
	}
	return sum
}

// overflows reports whether the weights add up to 2^64 or more.
func (f *naiveFile) overflows() bool {
	sum := uint64(0)
	for _, weight := range f.pays {
		if sum += weight; sum < weight {
			return true
		}
	}
	return false
}

// isWrong reports whether the answers are wrong, by the rules of docs/judging.md. If the weights add up to 2^64, no
// optimum is wrong, and a cost only if it is not the one of a model that costs less than that.
func (f *naiveFile) isWrong() bool {
	switch f.status {
	case apimodel.Interrupted:
		return false
	case apimodel.Unsatisfiable:
		return f.any
	}
	claim := naiveCost{0, f.cost}
	fits, costs, cheapest := false, false, naiveCost{1 << 63, 0}
	for assignment := range 1 << len(f.vars) {
		agrees := !slices.ContainsFunc(f.told, func(l int32) bool { return !f.isTrue(assignment, []int32{l}) })
		if !agrees || !f.fulfils(assignment) {
			continue
		}
		fits = true
		cost := f.costOf(assignment)
		costs = costs || cost == claim
		if cost.below(cheapest) {
			cheapest = cost
		}
	}
	isOptimal := f.status == apimodel.Optimum
	switch {
	case !fits:
		return true
	case f.overflows():
		return f.costed && !costs && cheapest.hi == 0
	case f.costed:
		return !costs || isOptimal && claim != f.least
	}
	return isOptimal && f.asked && cheapest != f.least
}

func (f *naiveFile) isTotal() bool { return len(f.told) == len(f.vars) }

// randomFile makes a formula file and answers, right and wrong ones.
func randomFile(r *rand.Rand) *naiveFile {
	f := &naiveFile{}
	f.t.Reset(apimodel.WCNF)
	for i := range 1 + r.IntN(8) {
		f.vars = append(f.vars, int32(1+i+i*r.IntN(2)*1000))
	}
	slices.Sort(f.vars)
	f.vars = slices.Compact(f.vars)
	for range r.IntN(14) {
		f.randomLine(r)
	}
	named := map[int32]bool{}
	for _, lit := range f.t.Lits {
		named[trace.Var(lit)] = true
	}
	f.vars = slices.DeleteFunc(f.vars, func(v int32) bool { return !named[v] })
	f.least = naiveCost{1 << 63, 0}
	var solutions, best []int
	for assignment := range 1 << len(f.vars) {
		if !f.fulfils(assignment) {
			continue
		}
		solutions = append(solutions, assignment)
		if cost := f.costOf(assignment); cost.below(f.least) {
			f.least, best = cost, []int{assignment}
		}
	}
	f.any = len(solutions) > 0
	assignment := r.IntN(1 << len(f.vars))
	switch {
	case f.any && r.IntN(3) > 0:
		assignment = best[0]
	case f.any && r.IntN(3) > 0:
		assignment = solutions[r.IntN(len(solutions))]
	}
	f.randomAnswers(r, assignment)
	return f
}

func (f *naiveFile) randomLine(r *rand.Rand) {
	var lits []int32
	for range r.IntN(4) + r.IntN(3)*r.IntN(2) {
		lits = append(lits, f.vars[r.IntN(len(f.vars))]*int32(1-2*r.IntN(2)))
	}
	f.a.Of = append(f.a.Of, trace.Answer{Kind: trace.Answered})
	if r.IntN(2) == 0 && (len(lits) > 1 || r.IntN(8) == 0) {
		f.hard = append(f.hard, lits)
		f.t.Clause(0, true, lits...)
		return
	}
	if len(f.soft) > 0 && r.IntN(4) == 0 { // the same clause again, in another order
		lits = slices.Clone(f.soft[r.IntN(len(f.soft))])
		slices.Reverse(lits)
	}
	weight := 1 + r.Uint64N(5)
	switch r.IntN(24) {
	case 0:
		weight = 1 << 32
	case 1:
		weight = 1<<63 - 1
	case 2:
		weight = r.Uint64()>>r.IntN(60) | 1
	}
	f.soft, f.pays = append(f.soft, lits), append(f.pays, weight)
	f.t.SoftClause(weight, lits...)
}

func (f *naiveFile) randomAnswers(r *rand.Rand, assignment int) {
	answer := func(op apimodel.Op, a trace.Answer) {
		a.Kind = trace.Answered
		f.t.Plain(0, op)
		f.a.Of = append(f.a.Of, a)
	}
	f.status = []uint64{0, 10, 20, 30, 30, 30, 30, 30}[r.IntN(8)]
	if !f.any && r.IntN(2) == 0 {
		f.status = apimodel.Unsatisfiable
	}
	answer(apimodel.OpSolve, trace.Answer{Num: f.status})
	if f.status != apimodel.Satisfiable && f.status != apimodel.Optimum {
		return
	}
	if f.asked = r.IntN(5) > 0; f.asked {
		leavesOut := r.IntN(3) == 0
		for i, v := range f.vars {
			if !leavesOut || r.IntN(2) == 0 {
				f.told = append(f.told, v*int32(2*(assignment>>i&1)-1))
			}
		}
		r.Shuffle(len(f.told), func(i, k int) { f.told[i], f.told[k] = f.told[k], f.told[i] })
		f.a.Lits = append(f.a.Lits, f.told...)
		answer(apimodel.OpModel, trace.Answer{Len: uint32(len(f.told))})
	}
	if f.costed = r.IntN(5) > 0; f.costed {
		f.cost = f.costOf(assignment).lo
		switch r.IntN(12) {
		case 0:
			f.cost++
		case 1:
			f.cost--
		case 2:
			f.cost = r.Uint64N(12)
		case 3:
			f.cost = f.least.lo
		}
		answer(apimodel.OpObj, trace.Answer{Num: f.cost})
	}
}

// TestFormulaFilesAgainstPlainLoops: a judge has a finding about random answers if and only if plain loops say that
// they are wrong, with exhaustive search alone, with the reference alone, and with both.
func TestFormulaFilesAgainstPlainLoops(t *testing.T) {
	r := seeded(t)
	type tried struct {
		name  string
		judge *Judge
		// decides reports whether the judge must find out that the answers are wrong.
		decides func(f *naiveFile) bool
	}
	all := func(f *naiveFile) bool { return f.isTotal() || !f.any || !f.overflows() }
	total := func(f *naiveFile) bool { // the reference completes no values, and finds no solution of a certain cost
		return f.isTotal() || len(f.told) == 0 && all(f) && (f.status != apimodel.Satisfiable || !f.costed)
	}
	judges := []tried{
		{"exhaustive search", New(mayGiveUp(Config{})), all},
		{"reference", referring(t, mayGiveUp(Config{MaxVars: -1})), total},
		{"a solution of another trace", referring(t, mayGiveUp(Config{MaxVars: -1})), total},
		{"both", referring(t, mayGiveUp(Config{CrossCheck: true})), all},
		{"few variables", referring(t, mayGiveUp(Config{MaxVars: 3})), total},
		{"neither", New(mayGiveUp(Config{MaxVars: -1})), func(*naiveFile) bool { return false }},
	}
	wrong, right := 0, 0
	for round := range rounds(t, 30000) {
		f := randomFile(r)
		run := &trace.Run{Answers: f.a}
		want := f.isWrong()
		if want {
			wrong++
		} else {
			right++
		}
		for _, tr := range judges {
			if tr.name == "a solution of another trace" {
				tr.judge.Suggest(f.randomAssignment(r))
			}
			if tr.name == "neither" {
				f.t.Planted = []trace.Planted{{Lits: f.randomAssignment(r)}}
			}
			found := tr.judge.Judge(&f.t, run)
			if err := tr.judge.Disagreement(); err != nil {
				t.Fatalf("round %d: %s: %v\n%s", round, tr.name, err, f.t.AppendLog(nil, run))
			}
			if got := len(found) > 0; got != want && (got || tr.decides(f)) {
				t.Fatalf("round %d: %s: %d variables, wrong is %v, want %v:\n%s\n%+v", round, tr.name, len(f.vars), got, want,
					f.t.AppendLog(nil, run), found)
			}
		}
	}
	if tooHard := judges[0].judge.Unchecked()[unchecked.TooHard]; tooHard > 0 {
		t.Errorf("few variables, and exhaustive search leaves %d answers open", tooHard)
	}
	t.Logf("%d wrong, %d right", wrong, right)
	if !testing.Short() && (wrong < 5000 || right < 5000) {
		t.Errorf("%d wrong and %d right answers: too few of one kind", wrong, right)
	}
}

func (f *naiveFile) randomAssignment(r *rand.Rand) (lits []int32) {
	for _, v := range f.vars {
		lits = append(lits, v*int32(1-2*r.IntN(2)))
	}
	return lits
}
