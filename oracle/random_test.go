package oracle

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func TestRightAnswersGiveNoFindings(t *testing.T) {
	r := seeded(t)
	judges := []*Judge{New(Config{}), New(Config{MaxVars: 2}), New(Config{MaxVars: 4}), New(Config{MaxVars: -1})}
	for round := range rounds(t, 20000) {
		w := write(r, apimodel.Models()[round%2])
		run := &trace.Run{Answers: w.a}
		for _, j := range judges {
			if found := j.Judge(&w.t, run); len(found) != 0 {
				t.Fatalf("round %d, %d variables at most:\n%s\n%+v", round, j.budget.MaxVars, w.t.AppendLog(nil, run), found)
			}
		}
	}
	if tally := judges[0].Decided(); tally.Unchecked.Answers() != 0 {
		t.Errorf("small traces, and %d of %d answers are unknown", tally.Unchecked.Answers(), tally.Solves)
	}
	for _, j := range judges {
		t.Logf("%d variables at most: %+v", j.budget.MaxVars, j.Decided())
	}
}

// mutate makes one answer of a site wrong and returns the class of the finding that must follow; "" if the
// site has no answer of that kind.
func (w *writer) mutate(s *site, how int, a *trace.Answers) Class {
	solve := &a.Of[s.call]
	claims := s.status == apimodel.Satisfiable || s.status == apimodel.Optimum
	switch how {
	case 0: // claims a solution where there is none
		if claims {
			solve.Num = apimodel.Unsatisfiable
			return ClaimsNoSolution
		}
	case 1: // claims that there is none
		if s.status == apimodel.Unsatisfiable {
			solve.Num = apimodel.Satisfiable
			if w.t.Model == apimodel.IPAMIR {
				solve.Num = apimodel.Optimum
			}
			return ClaimsSolution
		}
	case 2, 3: // objective one off
		if s.obj >= 0 && s.status == apimodel.Optimum {
			for i := s.call; i <= s.obj; i++ {
				if w.t.Calls[i].Op == apimodel.OpObj && w.t.Calls[i].Instance == w.t.Calls[s.call].Instance {
					a.Of[i].Num = s.least + 5 - 2*uint64(how)
				}
			}
			if how == 3 && s.model < 0 {
				return ""
			}
			return OneValueDiffers
		}
	case 4: // drops a needed literal from a core
		if s.core >= 0 && a.Of[s.core].Len > 0 {
			c := &a.Of[s.core]
			c.Pos, c.Len = c.Pos+1, c.Len-1
			if len(s.f.solutions(a.ListOf(c))) > 0 {
				return WrongCore
			}
		}
	case 5: // flips a literal of a model so that a clause or an assumption is false
		if s.model >= 0 && a.Of[s.model].Len > 0 {
			lits := a.ListOf(&a.Of[s.model])
			k := w.r.IntN(len(lits))
			lits[k] = -lits[k]
			for _, x := range s.solutions {
				fits := true
				for _, l := range lits {
					fits = fits && s.f.trueIn(x, l)
				}
				if fits {
					return ""
				}
			}
			return ModelFalsifies
		}
	case 6: // claims that a worse solution is optimal, with its cost
		if s.status == apimodel.Optimum && s.obj >= 0 && s.model >= 0 && s.total {
			x := s.solutions[w.r.IntN(len(s.solutions))]
			if s.f.cost(x) == s.least {
				return ""
			}
			for i := s.call + 1; i < len(w.t.Calls) && w.t.Calls[i].Op != apimodel.OpSolve; i++ {
				c := &w.t.Calls[i]
				if c.Instance != w.t.Calls[s.call].Instance {
					return "" // this test does not follow larger problems
				}
				switch c.Op {
				case apimodel.OpObj:
					a.Of[i].Num = s.f.cost(x)
				case apimodel.OpModel:
					for k, l := range a.ListOf(&a.Of[i]) {
						if !s.f.trueIn(x, l) {
							a.ListOf(&a.Of[i])[k] = -l
						}
					}
				case apimodel.OpVal:
					l := w.t.Lit(c)
					if !s.f.trueIn(x, l) {
						l = -l
					}
					a.Of[i].Num = uint64(int64(l))
				}
			}
			return NotOptimal
		}
	}
	return ""
}

func TestWrongAnswersAreFound(t *testing.T) {
	r := seeded(t)
	j := New(Config{})
	counts := map[Class]int{}
	for round := range rounds(t, 40000) {
		w := write(r, apimodel.Models()[round%2])
		if len(w.sites) == 0 {
			continue
		}
		s := &w.sites[r.IntN(len(w.sites))]
		run := &trace.Run{Answers: w.a.Clone()}
		class := w.mutate(s, r.IntN(7), &run.Answers)
		if class == "" {
			continue
		}
		counts[class]++
		found := j.Judge(&w.t, run)
		ok := false
		for _, f := range found {
			ok = ok || f.Class == class && f.Instance == w.t.Calls[s.call].Instance && f.Call >= s.call
			// The oracle may see the change as a contradiction, and objective and model may both have become
			// wrong.
			ok = ok || (class == ModelFalsifies || class == WrongCore) && (f.Class == ValuesDisagree || f.Class == WrongCore)
			ok = ok || class == OneValueDiffers && (f.Class == AllValuesDiffer || f.Class == NotOptimal &&
				!s.total) // some completion of the model has that cost
		}
		if !ok {
			t.Fatalf("round %d: class %s expected of call %d:\n%s\n%+v", round, class, s.call, w.t.AppendLog(nil, run), found)
		}
	}
	t.Log(counts)
	for _, class := range []Class{NotOptimal, OneValueDiffers, ClaimsSolution, ClaimsNoSolution, ModelFalsifies,
		WrongCore} {
		if counts[class] == 0 && !testing.Short() {
			t.Errorf("class %s was never tried", class)
		}
	}
}
