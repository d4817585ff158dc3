package cost

import (
	"testing"
	"time"
)

// TestIsUsualSolve checks what tells how long a solve usually takes.
func TestIsUsualSolve(t *testing.T) {
	check := func(what string, c *Costs, usual, unusual time.Duration) {
		t.Helper()
		if !c.IsUsualSolve(usual) || c.IsUsualSolve(unusual) {
			t.Errorf("%s: %v is usual: %t, %v: %t", what, usual, c.IsUsualSolve(usual), unusual, c.IsUsualSolve(unusual))
		}
	}
	c := New()
	if c.IsUsualSolve(0) {
		t.Error("new costs know something")
	}
	c.Tried(2 * time.Second)
	check("a call that ran alone", c, 3*time.Second, 4*time.Second)
	c.Ran([]Sample{{Kind: plain, Took: 5 * time.Second, Cut: true}}) // in its first solve
	check("no solve ended", c, 3*time.Second, 4*time.Second)
	c.Ran([]Sample{{Kind: plain, Took: 5 * time.Second, Cut: true, Answered: 3 * time.Second, Solves: 3}})
	check("three solves ended", c, 3*time.Second/2, 2*time.Second)
	c.Ran([]Sample{{Kind: plain, Took: time.Minute, Answered: time.Minute, Solves: 1}, {Kind: plain, Took: time.Minute}})
	check("one took long", c, 4*time.Second, 8*time.Second) // 2^(log 60/4) = 2.8 s
}
