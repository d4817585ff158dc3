package atmost

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

func source(t *testing.T) *rand.Rand { return rand.New(rand.NewPCG(testseed.Of(t, 1), 0)) }

// extends reports whether the values (1 true, -1 false, by variable) can be extended to satisfy the clauses.
// It propagates and then branches.
func extends(clauses []int32, values []int8) bool {
	value := func(literal int32) int8 {
		if literal < 0 {
			return -values[-literal]
		}
		return values[literal]
	}
	var set []int32
	undo := func() bool {
		for _, v := range set {
			values[v] = 0
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		unit, open, satisfied := int32(0), 0, false
		for _, literal := range clauses {
			switch {
			case literal != 0 && value(literal) > 0:
				satisfied = true
			case literal != 0 && value(literal) == 0:
				unit, open = literal, open+1
			case literal != 0, satisfied, open > 1:
			case open == 0:
				return undo()
			default:
				v := max(unit, -unit)
				values[v] = 1
				if unit < 0 {
					values[v] = -1
				}
				set, changed = append(set, v), true
			}
			if literal == 0 {
				unit, open, satisfied = 0, 0, false
			}
		}
	}
	for v := 1; v < len(values); v++ {
		if values[v] != 0 {
			continue
		}
		for _, values[v] = range []int8{-1, 1} {
			if extends(clauses, values) {
				values[v] = 0
				undo()
				return true
			}
		}
		values[v] = 0
		return undo()
	}
	undo()
	return true
}

// verify tries all assignments of the variables 1 to n, with both encodings.
func verify(t *testing.T, n int, terms []Term, bound uint64) {
	t.Helper()
	verifyWith(t, n, terms, bound, 0)
	verifyWith(t, n, terms, bound, 5000)
}

func verifyWith(t *testing.T, n int, terms []Term, bound uint64, allowed int) {
	t.Helper()
	clauses, next, err := Append(nil, terms, bound, int32(n+1), allowed)
	if err != nil {
		t.Fatal(err)
	}
	for assignment := range 1 << n {
		values := make([]int8, next)
		for v := 1; v <= n; v++ {
			values[v] = int8(2*(assignment>>(v-1)&1) - 1)
		}
		cost := new(big.Int)
		for _, term := range terms {
			if values[max(term.Lit, -term.Lit)] > 0 == (term.Lit > 0) {
				cost.Add(cost, new(big.Int).SetUint64(term.Weight))
			}
		}
		fits := cost.Cmp(new(big.Int).SetUint64(bound)) <= 0
		if extends(clauses, values) != fits {
			t.Fatalf("%v at most %d, %d clauses allowed: assignment %b costs %v, the clauses say fits=%v",
				terms, bound, allowed, assignment, cost, !fits)
		}
	}
}

// TestAllSmall tries all weights, bounds and assignments up to a size.
func TestAllSmall(t *testing.T) {
	for _, size := range []struct{ terms, weights int }{{0, 1}, {1, 17}, {2, 10}, {3, 6}, {4, 4}, {5, 3}} {
		vectors := 1
		for range size.terms {
			vectors *= size.weights
		}
		for vector := range vectors {
			var terms []Term
			sum := uint64(0)
			for i, rest := 0, vector; i < size.terms; i, rest = i+1, rest/size.weights {
				literal := int32(i+1) * int32(1-i%2*2) // both signs
				terms = append(terms, Term{literal, uint64(rest % size.weights)})
				sum += uint64(rest % size.weights)
			}
			for bound := range sum + 2 {
				verify(t, size.terms, terms, bound)
			}
		}
	}
}

// TestGreatWeights: Append is right for weights around every power of two that matters, and bounds around every
// possible cost, whatever the sum of the weights is.
func TestGreatWeights(t *testing.T) {
	r := source(t)
	around := []uint64{1, 1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxUint64 / 3, math.MaxUint64 - 2, math.MaxUint64}
	for range 200 {
		n := 1 + r.IntN(5)
		common := uint64(1) << r.IntN(3)
		var terms []Term
		for v := range n {
			weight := around[r.IntN(len(around))] + uint64(r.IntN(5)) - 2
			switch r.IntN(3) {
			case 0:
				weight = r.Uint64() >> r.IntN(64)
			case 1:
				weight >>= r.IntN(8)
			}
			terms = append(terms, Term{int32(v+1) * int32(1-2*r.IntN(2)), weight * common})
		}
		bounds := []uint64{0, 1, math.MaxUint64, math.MaxUint64 - 1, r.Uint64()}
		for range 8 {
			cost := uint64(0)
			for _, term := range terms {
				if r.IntN(2) == 0 {
					cost += term.Weight // it may wrap around; any bound will do
				}
			}
			bounds = append(bounds, cost-1, cost, cost+1)
		}
		for _, bound := range bounds {
			verify(t, n, terms, bound)
		}
	}
}

// A literal may occur several times, and so may its negation.
func TestRepeatedLiterals(t *testing.T) {
	r := source(t)
	for range 1000 {
		n := 1 + r.IntN(3)
		var terms []Term
		for range r.IntN(7) {
			terms = append(terms, Term{int32(1+r.IntN(n)) * int32(1-2*r.IntN(2)), uint64(r.IntN(6))})
		}
		verify(t, n, terms, uint64(r.IntN(20)))
	}
}

func TestTooLarge(t *testing.T) {
	r := source(t)
	terms := make([]Term, 100)
	for i := range terms {
		terms[i] = Term{int32(i + 1), r.Uint64() >> 8}
	}
	given := []int32{1, 0}
	if clauses, next, err := Append(given, terms, 1<<60, math.MaxInt32-5000, 0); err != ErrTooLarge ||
		next != math.MaxInt32-5000 || len(clauses) != 2 {
		t.Errorf("says %v", err)
	}
	for range 12 {
		terms = append(terms, terms...) // now 400000
	}
	if _, _, err := Append(given, terms, 1<<60, 101, 0); err != ErrTooLarge {
		t.Errorf("says %v", err)
	}
	for _, allowed := range []int{0, 5000} {
		clauses, next, err := Append(given, terms[:100], 1<<60, 101, allowed)
		if err != nil || next-101 > 2*(100*64+66) {
			t.Errorf("%d variables, %v", next-101, err)
		}
		highest := int32(0)
		for _, literal := range clauses {
			highest = max(highest, literal, -literal)
		}
		if highest != next-1 || clauses[0] != 1 {
			t.Errorf("uses variable %d, says that %d is free", highest, next)
		}
		t.Logf("100 terms of 56 digits: %d variables, %d numbers", next-101, len(clauses))
	}
}
