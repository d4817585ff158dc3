package cube

import (
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestFold compares folding, in place and into another set, with a loop over all assignments.
func TestFold(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	for round := range 2000 {
		dims := 1 + r.IntN(10)
		var set, folded Set
		set.Reset()
		for range dims {
			set.Grow()
		}
		for range r.IntN(30) {
			clause, _ := randomCondition(r, dims)
			set.Remove(&clause)
		}
		if r.IntN(2) == 0 {
			set.Complement()
		}
		in := func(s *Set, dims, i int) bool {
			k := Anything()
			for d := range dims {
				k.Require(int8(d), 1-i>>d&1)
			}
			return s.Has(&k)
		}
		var before Set
		before.Copy(&set)
		dim, q := r.IntN(dims), Quantifier(r.IntN(4))
		to := &folded
		if r.IntN(2) == 0 {
			to = &set
		}
		gone := to.Fold(&set, dim, q)
		if gone != (dim >= wordDims) {
			t.Fatalf("round %d: dimension %d: gone is %v", round, dim, gone)
		}
		for i := range 1 << dims {
			low, high := in(&before, dims, i&^(1<<dim)), in(&before, dims, i|1<<dim)
			want := [...]bool{Exists: low || high, Forall: low && high, AtFalse: low, AtTrue: high}[q]
			j, left := i, dims
			if gone {
				j, left = i&(1<<dim-1)|i>>(dim+1)<<dim, dims-1
			}
			if got := in(to, left, j); got != want {
				t.Fatalf("round %d: %d of %d dimensions, quantifier %d, assignment %b: %v, want %v",
					round, dim, dims, q, i, got, want)
			}
		}
	}
}
