package oracle

import (
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// spoil changes random answers. They may still be right afterwards.
func spoil(r *rand.Rand, w *writer, a *trace.Answers) {
	for i := range a.Of {
		if r.IntN(5) > 0 {
			continue
		}
		answer := &a.Of[i]
		switch w.t.Model.Call(w.t.Calls[i].Op).Reply {
		case apimodel.ReplyStatus:
			answer.Num = uint64([]int{0, 10, 20, 30, 40, -7}[r.IntN(6)])
		case apimodel.ReplyWeight:
			answer.Num += uint64(r.IntN(7)) - 3
		case apimodel.ReplyLit, apimodel.ReplyFlag:
			answer.Num = uint64(int64([]int{0, 1, int(-int32(answer.Num)), r.IntN(100)}[r.IntN(4)]))
		case apimodel.ReplyModel, apimodel.ReplyCore:
			lits := a.ListOf(answer)
			if len(lits) > 0 {
				k := r.IntN(len(lits))
				lits[k] *= []int32{-1, 1, 3, 0}[r.IntN(4)]
			}
			if len(lits) > 0 && r.IntN(2) == 0 {
				answer.Len--
			}
			answer.Strange = r.IntN(10) == 0
		}
		if r.IntN(30) == 0 {
			answer.Kind = trace.AnswerKind(r.IntN(4))
		}
	}
}

// A judge with a smaller budget must accuse only where the judge with the full search does: its findings about
// large problems are proven, too.
func TestSearchingLessAccusesNoMore(t *testing.T) {
	r := seeded(t)
	full := New(Config{})
	lesser := []*Judge{New(Config{MaxVars: -1}), New(Config{MaxVars: 1}), New(Config{MaxVars: 3})}
	proven := map[Class]int{}
	for round := range rounds(t, 30000) {
		w := write(r, apimodel.Models()[round%2])
		run := &trace.Run{Answers: w.a.Clone()}
		spoil(r, w, &run.Answers)
		all := full.Judge(&w.t, run)
		for _, j := range lesser {
			for _, f := range j.Judge(&w.t, run) {
				proven[f.Class]++
				backed := false
				for _, g := range all {
					backed = backed || g.Instance == f.Instance && (g.Class == f.Class && g.Solve == f.Solve || isConsequence(&f, &g))
				}
				if !backed {
					t.Fatalf("round %d, %d variables at most: %+v\n%s\nthe full search finds %+v", round, j.budget.MaxVars, f,
						w.t.AppendLog(nil, run), all)
				}
			}
		}
	}
	t.Log(proven)
}

// isConsequence reports whether f, of the judge with the smaller budget, is about the same mistake as g, of
// the full search. The classes may differ: the full search knows that a problem has no solution (a wrong
// model), or has one (a wrong core), what its optimum is, and which of two contradicting answers is wrong.
func isConsequence(f, g *Finding) bool {
	if f.Class == AnswersDiffer || f.Check == "monotone" {
		return g.Call <= f.Call && g.Class[0] == '2'
	}
	switch f.Class {
	case ModelFalsifies, OneValueDiffers, AllValuesDiffer, NotOptimal:
		if g.Class == ClaimsSolution && g.Call < f.Call || g.Class == ModelFalsifies && g.Call <= f.Call {
			return true
		}
	case WrongCore:
		return g.Class == ClaimsNoSolution && g.Call < f.Call
	}
	return f.Class == OneValueDiffers && (g.Class == AllValuesDiffer || g.Class == NotOptimal) && g.Call == f.Call
}

func TestReusedJudgeSaysTheSame(t *testing.T) {
	r := seeded(t)
	used := New(Config{MaxVars: 4})
	for round := range rounds(t, 4000) {
		w := write(r, apimodel.Models()[round%2])
		run := &trace.Run{Answers: w.a.Clone()}
		spoil(r, w, &run.Answers)
		got, want := used.Judge(&w.t, run), New(Config{MaxVars: 4}).Judge(&w.t, run)
		if len(got) != len(want) {
			t.Fatalf("round %d: %+v\nfresh: %+v", round, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("round %d: %+v\nfresh: %+v", round, got[i], want[i])
			}
		}
	}
}
