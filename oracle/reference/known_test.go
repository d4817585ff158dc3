package reference_test

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// A solution that the caller knows changes no answer, whether it is right, wrong or incomplete, and saves
// the question for a first one if it is right.
func TestKnownSolution(t *testing.T) {
	r := source(t)
	plain, knowing := reference.New(prover(t), 1<<20), reference.New(prover(t), 1<<20)
	var p reference.Problem
	saved := 0
	for range 2000 {
		shape{6, 8, 1, 6, small, false}.draw(r, &p)
		want, err := plain.Solve(&p)
		if err != nil {
			t.Fatal(err)
		}
		status, cost, solves := want.Status, want.Cost, want.Solves
		for v := range int32(9) { // the problem has 6 variables
			if value := int32(r.IntN(3)) - 1; value != 0 {
				p.Known = append(p.Known, value*(1+v))
			}
		}
		got, err := knowing.Solve(&p)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if why := verify(&p, &got); why != "" || got.Status != status || got.Cost != cost || !got.Certified() {
			t.Fatalf("%s: %+v\n%+v, want %v with cost %d", why, p, got, status, cost)
		}
		if got.Solves < solves {
			saved++
		}
	}
	if saved < 200 {
		t.Errorf("%d problems took fewer questions", saved)
	}
}

// A claimed cost is refuted by any cheaper solution, and proved by the optimum.
func TestClaimedCost(t *testing.T) {
	r := source(t)
	plain, claiming := reference.New(prover(t), 1<<20), reference.New(prover(t), 1<<20)
	var p reference.Problem
	refuted, proved, early := 0, 0, 0
	for range 2000 {
		shape{6, 8, 1, 6, small, false}.draw(r, &p)
		want, err := plain.Solve(&p)
		if err != nil {
			t.Fatal(err)
		}
		status, least := want.Status, want.Cost
		p.Claimed = least + uint64(r.IntN(6))
		got, err := claiming.Solve(&p)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if why := verify(&p, &got); why != "" || got.Status != status {
			t.Fatalf("%s: %+v\n%+v", why, p, got)
		}
		switch {
		case status == reference.Unsatisfiable:
		case p.Claimed > least:
			if got.Cost >= p.Claimed {
				t.Fatalf("%+v\n%+v: nothing below %d, but %d is the least", p, got, p.Claimed, least)
			}
			refuted++
			if !got.Optimal {
				early++
			}
		case !got.Optimal || got.Cost != least:
			t.Fatalf("%+v\n%+v: want the optimum %d", p, got, least)
		default:
			proved++
		}
	}
	if refuted < 500 || proved < 100 || early < 100 {
		t.Errorf("%d refuted, %d of them without the optimum, %d proved", refuted, early, proved)
	}
}

// A quitter is a prover that always gives up, and counts how often.
type quitter struct{ questions int }

func (q *quitter) Solve(_ []int32, conflicts uint64) (reference.Result, error) {
	q.questions++
	return reference.Result{Conflicts: conflicts}, nil
}

// TestSuggestedSolution: a solution of another problem refutes a claimed cost without a question if it is right and
// cheaper here, and changes nothing otherwise.
func TestSuggestedSolution(t *testing.T) {
	r := source(t)
	plain, quits := reference.New(prover(t), 1<<20), &quitter{}
	suggested := reference.New(quits, 1<<20)
	var p reference.Problem
	taken, useless := 0, 0
	for range 2000 {
		shape{6, 8, 1, 6, small, false}.draw(r, &p)
		want, err := plain.Solve(&p)
		if err != nil {
			t.Fatal(err)
		}
		if want.Status == reference.Unsatisfiable || len(want.Model) == 0 {
			continue
		}
		p.Suggested = append(p.Suggested[:0], want.Model...)
		if r.IntN(2) == 0 {
			p.Suggested[r.IntN(len(p.Suggested))] *= -1
		}
		least := want.Cost
		p.Claimed = least + uint64(r.IntN(3))
		quits.questions = 0
		got, err := suggested.Solve(&p)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		switch {
		case quits.questions > 0 && got.Status == reference.Unknown:
			useless++
		case quits.questions > 0 || verify(&p, &got) != "" || got.Cost >= p.Claimed || got.Cost < least:
			t.Fatalf("%+v\n%+v after %d questions, the optimum is %d", p, got, quits.questions, least)
		default:
			taken++
		}
	}
	if taken < 300 || useless < 300 {
		t.Errorf("%d taken, %d useless", taken, useless)
	}
}

// TestNoQuestionTwice: if the prover gave up on a formula, it gets the same one only with more conflicts.
func TestNoQuestionTwice(t *testing.T) {
	p := reference.Problem{Clauses: []int32{1, 2, 0}, Softs: []reference.Soft{{Lit: 1, Weight: 3}, {Lit: 2, Weight: 2}},
		Known: []int32{1, -2}}
	for conflicts, want := range map[uint64]int{1500: 1, 1 << 20: 2} {
		quits := &quitter{}
		got, err := reference.New(quits, conflicts).Solve(&p)
		if err != nil || got.Cost != 3 || got.Optimal || quits.questions != want {
			t.Errorf("%d conflicts: %+v, %v after %d questions, want %d", conflicts, got, err, quits.questions, want)
		}
	}
}
