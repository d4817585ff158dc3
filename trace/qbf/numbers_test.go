package qbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestNumbers compares Numbers with a map, also when the stamps start again.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	var n Numbers
	for round := range 300 {
		want := make(map[int32]int32)
		for range r.IntN(20) {
			v := r.Int32N(40) + lowest - 20
			if r.IntN(2) == 0 {
				v = 1 + r.Int32N(40)
			}
			want[v] = r.Int32N(9)
			n.Set(v, want[v])
		}
		for _, from := range []int32{1, lowest - 20} {
			for v := from; v < from+45; v++ {
				number, has := want[v]
				if !has {
					number = -1
				}
				if got := n.Of(v); got != number {
					t.Fatalf("round %d: variable %d has number %d, want %d", round, v, got, number)
				}
			}
		}
		if round%10 == 9 {
			n.stamp = ^uint32(0)
		}
		n.Reset()
	}
}
