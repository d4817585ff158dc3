package quantified

import (
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// TestHistory records right and wrong answers about formulas that change. Right answers never contradict each
// other, whichever of them are proven, and most wrong ones are noticed.
func TestHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 8), 0))
	noticed, wrong := 0, 0
	for round := range rounds(5_000) {
		var h History
		f := randomFormula(r, 6)
		for call := range 12 {
			if call > 0 {
				disturb(r, f)
			}
			assumptions := randomAssumptions(r, variablesOf(f))
			truth := truthOf(isTrue(f, assumptions))
			a := h.Next()
			a.Set(cloned(f), assumptions)
			a.Call, a.Claimed, a.Known = call, truth, Unknown
			isWrong := call == 11 && r.IntN(2) == 0
			if isWrong {
				a.Claimed = True + False - truth
			}
			if implied, by := h.Implied(); implied != Unknown && implied != truth {
				t.Fatalf("round %d: %v is %v, call %d seems to imply %v", round, f, truth, by.Call, implied)
			} else if isWrong {
				wrong++
				if implied != Unknown || h.Contradicted() != nil {
					noticed++
				}
				break
			}
			if by := h.Contradicted(); by != nil {
				t.Fatalf("round %d: %v is %v, which seems to contradict call %d", round, f, truth, by.Call)
			}
			if r.IntN(3) == 0 {
				a.Known = truth
			}
			if by := h.Refuted(); by != nil {
				t.Fatalf("round %d: %v is %v, which seems to refute call %d", round, f, truth, by.Call)
			}
			h.Keep()
		}
	}
	t.Logf("%d of %d wrong answers were noticed", noticed, wrong)
	if noticed < wrong/5 {
		t.Errorf("only %d of %d wrong answers were noticed", noticed, wrong)
	}
}

// TestRefuted: only a later answer disproves a wrong one.
func TestRefuted(t *testing.T) {
	var h History
	f := &qbf.Formula{Prefix: []qbf.Block{{Vars: []int32{1, 2}}}, Clauses: [][]int32{{1}, {2}}}
	for call, claimed := range []Truth{False, True, True} {
		a := h.Next()
		a.Set(&qbf.Formula{Prefix: f.Prefix, Clauses: f.Clauses[:call]}, nil)
		a.Call, a.Claimed, a.Known = call, claimed, Unknown
		if call == 2 {
			a.Known = True
			if by := h.Refuted(); by == nil || by.Call != 0 {
				t.Errorf("%v is refuted, want call 0", by)
			}
		} else if call == 1 {
			if by := h.Contradicted(); by == nil || by.Call != 0 {
				t.Errorf("%v is contradicted, want call 0", by)
			}
		}
		h.Keep()
	}
}
