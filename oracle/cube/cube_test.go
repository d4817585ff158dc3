package cube

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestSearch compares sets, conditions and costs with a loop over all assignments, for few variables, whose
// set is within one word, and for more.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	for round := range 2000 {
		dims := r.IntN(10)
		var set Set
		set.Reset()
		for range dims {
			set.Grow()
		}
		in := make([]bool, 1<<dims)
		for i := range in {
			in[i] = true
		}
		for range r.IntN(6) {
			clause, literals := randomCondition(r, dims)
			set.Remove(&clause)
			for i := range in {
				in[i] = in[i] && !holds(literals, i)
			}
		}
		var costs Costs
		costs.Reset()
		weights := make([][2]uint64, dims)
		for d := range weights {
			weights[d] = [2]uint64{r.Uint64N(9), r.Uint64N(9)}
			costs.Add(int8(d), weights[d])
		}
		some := addConditions(r, &costs, dims)
		costs.Finish()
		condition, literals := randomCondition(r, dims)
		count, least, possible := uint64(0), uint64(NoCost), map[uint64]bool{}
		for i := range in {
			if in[i] {
				count++
			}
			if in[i] && holds(literals, i) {
				cost := uint64(0)
				for d, w := range weights {
					cost += w[1-i>>d&1]
				}
				cost += costIn(some, i)
				least, possible[cost] = min(least, cost), true
			}
		}
		if got := set.Count(); got != count {
			t.Fatalf("round %d: %d assignments, want %d", round, got, count)
		}
		if got := set.Has(&condition); got != (len(possible) > 0) {
			t.Fatalf("round %d: has %v, want %v", round, got, len(possible) > 0)
		} else if got {
			if i := int(set.First(&condition)) & (1<<dims - 1); !in[i] || !holds(literals, i) {
				t.Fatalf("round %d: %b is not in the set, or the condition does not hold", round, i)
			}
		}
		if got := costs.Least(&set, &condition, NoCost); got != least {
			t.Fatalf("round %d: least cost %d, want %d", round, got, least)
		}
		for cost := range uint64(60) {
			if got := costs.Exactly(&set, &condition, cost); got != possible[cost] {
				t.Fatalf("round %d: cost %d is possible: %v, want %v", round, cost, got, possible[cost])
			}
		}
	}
}

// A conditional is what the assignments cost that make all literals true.
type conditional struct {
	when   []literal
	weight uint64
}

// addConditions adds costs of random conditions, or none.
func addConditions(r *rand.Rand, costs *Costs, dims int) (added []conditional) {
	for range r.IntN(2) * r.IntN(6) {
		k, when := randomCondition(r, dims)
		added = append(added, conditional{when, r.Uint64N(9)})
		costs.AddIf(&k, added[len(added)-1].weight)
	}
	return added
}

func costIn(all []conditional, assignment int) (cost uint64) {
	for _, c := range all {
		if holds(c.when, assignment) {
			cost += c.weight
		}
	}
	return cost
}

type literal struct {
	dim  int8
	sign int // 1: negated
}

func randomCondition(r *rand.Rand, dims int) (Condition, []literal) {
	k := Anything()
	var literals []literal
	for range r.IntN(4) {
		if dims == 0 {
			break
		}
		l := literal{int8(r.IntN(dims)), r.IntN(2)}
		k.Require(l.dim, l.sign)
		literals = append(literals, l)
	}
	return k, literals
}

func holds(literals []literal, assignment int) bool {
	for _, l := range literals {
		if assignment>>l.dim&1 == l.sign {
			return false
		}
	}
	return true
}

// TestLate: a set that is read only at the end is the same as one that is read after every step.
func TestLate(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 3), 0))
	any := Anything()
	var late, read Set // keep their memory, as in a judge
	for round := range 100 {
		late.Reset()
		read.Reset()
		for range r.IntN(60) {
			if dims := late.Dims(); dims < 16 && r.IntN(2) == 0 {
				late.Grow()
				read.Grow()
			} else {
				clause, _ := randomCondition(r, dims)
				late.Remove(&clause)
				read.Remove(&clause)
			}
			if late.Dims() != read.Dims() || late.Words() != read.Words() {
				t.Fatalf("round %d: %d dimensions in %d words, want %d in %d", round, late.Dims(), late.Words(),
					read.Dims(), read.Words())
			}
			read.Has(&any)
		}
		late.Has(&any)
		if !slices.Equal(late.words, read.words) || len(late.words) != late.Words() {
			t.Fatalf("round %d: %x, want %x", round, late.words, read.words)
		}
	}
}
