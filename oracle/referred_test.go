package oracle

import (
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

const manyConflicts = 1 << 20

func referring(t *testing.T, config Config) *Judge {
	prover := ref.NewProver()
	t.Cleanup(prover.Close)
	config.Reference = reference.New(prover, manyConflicts)
	return New(config)
}

// A judge that asks the reference instead of searching finds the same wrong answers as one that searches
// everything.
func TestTheReferenceIsAsGoodAsTheSearch(t *testing.T) {
	r := seeded(t)
	full, referred := New(Config{}), referring(t, Config{Words: -1})
	found := map[Class]int{}
	for round := range rounds(t, 10000) {
		w := write(r, apimodel.Models()[round%2])
		run := &trace.Run{Answers: w.a.Clone()}
		if round%10 > 0 { // the other answers stay right
			spoil(r, w, &run.Answers)
		}
		want := append([]Finding(nil), full.Judge(&w.t, run)...)
		got := referred.Judge(&w.t, run)
		if err := referred.Disagreement(); err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, w.t.AppendLog(nil, run))
		}
		for _, f := range want {
			if f.Check != "exhaustive" && f.Check != "objective" && f.Check != "core" {
				continue
			}
			if f.Detail == "no solution has this objective" {
				continue // the reference is asked only for optima
			}
			found[f.Class]++
			same := false
			for _, g := range got {
				same = same || f.Instance == g.Instance && (f.Class == g.Class && f.Call == g.Call || isConsequence(&g, &f) ||
					isConsequence(&f, &g))
			}
			if !same {
				t.Fatalf("round %d: the search finds %+v\nthe reference %+v\n%s", round, f, got, w.t.AppendLog(nil, run))
			}
		}
		for _, f := range got {
			same := false
			for _, g := range want {
				same = same || f.Instance == g.Instance && (f.Class == g.Class && f.Call == g.Call || isConsequence(&f, &g))
			}
			if !same {
				t.Fatalf("round %d: the reference finds %+v\nthe search %+v\n%s", round, f, want, w.t.AppendLog(nil, run))
			}
		}
	}
	t.Log(found)
}

// TestCrossCheck: if the judge asks the reference about every answer, no two checks prove the opposite of each
// other, and the findings stay the same.
func TestCrossCheck(t *testing.T) {
	r := seeded(t)
	plain, cross := New(Config{}), referring(t, Config{CrossCheck: true})
	certified := 0
	for round := range rounds(t, 10000) {
		w := write(r, apimodel.Models()[round%2])
		run := &trace.Run{Answers: w.a.Clone()}
		if round%4 > 0 {
			spoil(r, w, &run.Answers)
		}
		want := append([]Finding(nil), plain.Judge(&w.t, run)...)
		got := cross.Judge(&w.t, run)
		if err := cross.Disagreement(); err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, w.t.AppendLog(nil, run))
		}
		if len(got) != len(want) {
			t.Fatalf("round %d: %+v\nwithout the reference: %+v\n%s", round, got, want, w.t.AppendLog(nil, run))
		}
		for i := range got {
			if got[i].Class != want[i].Class || got[i].Call != want[i].Call || got[i].Detail != want[i].Detail {
				t.Fatalf("round %d: %+v\nwithout the reference: %+v", round, got[i], want[i])
			}
			if got[i].Certified {
				certified++
			}
		}
	}
	if certified == 0 {
		t.Error("no finding was certified")
	}
	if tally := cross.Decided(); tally.Certified == 0 || tally.Unchecked.Answers() > tally.Solves {
		t.Errorf("%+v", tally)
	}
}

// contrary claims for every problem that it has no solution, with a proof that the checker rejects or, if
// believed, accepts.
type contrary struct{ proof string }

func (c contrary) Solve(formula []int32, _ uint64) (reference.Result, error) {
	return reference.Result{Status: 20, Proof: []byte(c.proof)}, nil
}

func TestDisagreementIsNoFinding(t *testing.T) {
	j := New(Config{MaxVars: -1, Reference: reference.New(contrary{"3 0 1 2 0\n"}, 1)})
	tr := parseLog(t, "ipasir", "add 1 2 0; add 3 0; solve = 10")
	run := &trace.Run{Answers: tr.Want.Clone()}
	tr.Want.Reset()
	if found := j.Judge(tr, run); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if j.Disagreement() == nil {
		t.Error("a refused proof went unnoticed")
	}
}

// A model that falsifies a clause of a large problem is no reason to leave open whether there is a solution: a claim
// that there is one is the worse mistake, and in a small problem the only one that is reported.
func TestFalsifyingModelOfNoSolution(t *testing.T) {
	const problem = "add 1 2 0; add 1 -2 0; add -1 2 0; "
	for clause, want := range map[string]Class{"add -1 -2 0; ": ClaimsSolution, "add -1 -2 3 0; ": ModelFalsifies} {
		j := referring(t, Config{MaxVars: -1})
		tr := parseLog(t, "ipasir", problem+clause+"solve = 10; model = 1 2 -3")
		run := &trace.Run{Answers: tr.Want.Clone()}
		tr.Want.Reset()
		if found := j.Judge(tr, run); len(found) == 0 || found[0].Class != want {
			t.Errorf("%s: the worst of %+v is not %s", clause, found, want)
		}
	}
}

func TestDisagreementWithAModel(t *testing.T) {
	j := New(Config{CrossCheck: true, Reference: reference.New(alwaysUnsatisfiable{ref.NewProver()}, manyConflicts)})
	tr := parseLog(t, "ipasir", "add 1 2 0; solve = 10; model = 1 2")
	run := &trace.Run{Answers: tr.Want.Clone()}
	tr.Want.Reset()
	if j.Judge(tr, run); j.Disagreement() == nil {
		t.Error("a proof that a solution does not exist went unnoticed")
	}
}

// alwaysUnsatisfiable stands for a translation bug: it solves another formula and has a sound proof for that
// one.
type alwaysUnsatisfiable struct{ *ref.Prover }

func (p alwaysUnsatisfiable) Solve(formula []int32, conflicts uint64) (reference.Result, error) {
	formula[0], formula[1], formula[2] = 0, 0, 0 // the formula that the checker reads
	return p.Prover.Solve(formula, conflicts)
}

// quitting stands for a reference solver that is too weak for the problem.
type quitting struct{}

func (quitting) Solve([]int32, uint64) (reference.Result, error) { return reference.Result{}, nil }

// TestSuggest: the solution that shows that an answer is wrong shows it for a part of the problem, too, where other
// variables have the first numbers. A wrong solution shows nothing.
func TestSuggest(t *testing.T) {
	first := referring(t, Config{MaxVars: -1})
	log := "hard 7 8 0; hard -7 9 0; soft 7 5; soft 8 3; soft 9 1; solve = 30; val 7 = 7; val 8 = -8; val 9 = 9; obj = 6"
	wrong := func(j *Judge, log string) bool {
		tr := parseLog(t, "ipamir", log)
		run := &trace.Run{Answers: tr.Want.Clone()}
		tr.Want.Reset()
		found := j.Judge(tr, run)
		return len(found) == 1 && found[0].Class == NotOptimal
	}
	if !wrong(first, log) || len(first.Cheaper()) != 3 {
		t.Fatalf("the cheaper solution is %v", first.Cheaper())
	}
	const part = "soft 9 1; hard 7 8 0; soft 8 3; soft 7 5; solve = 30; val 9 = -9; val 8 = -8; val 7 = 7; obj = 5"
	weak := New(Config{MaxVars: -1, Reference: reference.New(quitting{}, manyConflicts)})
	if wrong(weak, part) {
		t.Error("the weak reference needs no suggestion")
	}
	weak.Suggest(first.Cheaper())
	if !wrong(weak, part) || len(weak.Cheaper()) == 0 {
		t.Errorf("the suggestion %v shows nothing", first.Cheaper())
	}
	weak.Suggest([]int32{-7, -8})
	if wrong(weak, part) || len(weak.Cheaper()) > 0 {
		t.Errorf("a wrong suggestion shows something: %v", weak.Cheaper())
	}
}

// TestLearnedBeyondSearch: in a problem that is too large for the search, the reference finds a solution that falsifies
// a learned clause. It is asked about the first few clauses only.
func TestLearnedBeyondSearch(t *testing.T) {
	fine := []int32{1, 0}
	for _, row := range []struct {
		clauses []int32
		want    int // findings
	}{
		{[]int32{1, 5, 0}, 0},
		{[]int32{5, 0}, 1},
		{slices.Concat(slices.Repeat(fine, triesOfReference-1), []int32{5, 0}), 1},
		{slices.Concat(slices.Repeat(fine, triesOfReference), []int32{5, 0}), 0},
	} {
		j := referring(t, large)
		tr := parseLog(t, "ipasir", "learn 2; add 1 2 0; add 1 -2 0; add 5 6 0; solve = 10")
		run := &trace.Run{Answers: tr.Want.Clone()}
		tr.Want.Reset()
		learned(4, row.clauses...)(run)
		found := j.Judge(tr, run)
		if len(found) != row.want || row.want > 0 && (found[0].Class != LearnedNotImplied || found[0].Known != byReference) {
			t.Errorf("learned %v: %+v", row.clauses, found)
		}
	}
}

// TestOptimumIsEnough: an optimum of which the client asks nothing is decided once the reference knows it.
func TestOptimumIsEnough(t *testing.T) {
	j := referring(t, Config{Words: -1})
	tr := parseLog(t, "ipamir", "hard 1 2 0; soft 1 3; soft 2 4; solve = 30")
	run := &trace.Run{Answers: tr.Want.Clone()}
	tr.Want.Reset()
	if found := j.Judge(tr, run); len(found) != 0 || j.Unchecked().Any() {
		t.Errorf("%+v, %v", found, j.Unchecked())
	}
}
