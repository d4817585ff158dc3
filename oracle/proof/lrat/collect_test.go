package lrat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestCollect adds and deletes clauses while the checker collects the memory of deleted ones at every step.
func TestCollect(t *testing.T) {
	defer func(least int) { leastGarbage = least }(leastGarbage)
	leastGarbage = 10
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	s, want, longest := NewSet(), map[int64][]int32{}, 0
	for i := range 20_000 {
		id := 1 + rng.Int64N(50)
		if rng.IntN(10) == 0 {
			id <<= 40
		}
		if clause, ok := want[id]; ok {
			if got, err := s.Find(id); err != nil || !slices.Equal(got, clause) {
				t.Fatalf("step %d: clause %d is %v (%v), not %v", i, id, got, err, clause)
			}
			if err := s.Delete(id); err != nil {
				t.Fatal(err)
			}
			delete(want, id)
			continue
		}
		if s.Delete(id) == nil {
			t.Fatalf("step %d: deletes clause %d again", i, id)
		}
		clause := make([]int32, rng.IntN(5))
		for k := range clause {
			clause[k] = rng.Int32N(9) - 4
		}
		if err := s.Add(id, clause); err != nil {
			t.Fatal(err)
		}
		want[id] = clause
		longest = max(longest, len(s.words))
	}
	if longest > 2000 {
		t.Errorf("%d words for some 30 clauses", longest)
	}
	count := 0
	s.Each(func(id int64, clause []int32) bool {
		count++
		if !slices.Equal(clause, want[id]) {
			t.Errorf("clause %d is %v, not %v", id, clause, want[id])
		}
		return true
	})
	if count != len(want) {
		t.Errorf("%d clauses, not %d", count, len(want))
	}
}
