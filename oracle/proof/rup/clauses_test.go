package rup

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// A plain set of clauses has no watch lists.
type plain struct {
	clauses map[int][]int32 // active
}

// propagate returns the implied literals, and whether there is a conflict.
func (p plain) propagate(assumed ...int32) (map[int32]bool, bool) {
	values := map[int32]bool{}
	for _, l := range assumed {
		if values[-l] {
			return nil, true
		}
		values[l] = true
	}
	for changed := true; changed; {
		changed = false
		for _, clause := range p.clauses {
			var open []int32
			isTrue := false
			for _, l := range clause {
				isTrue = isTrue || values[l] || slices.Contains(clause, -l)
				if !values[-l] && !slices.Contains(open, l) {
					open = append(open, l)
				}
			}
			if !isTrue && len(open) == 0 {
				return nil, true
			}
			if !isTrue && len(open) == 1 {
				values[open[0]], changed = true, true
			}
		}
	}
	return values, false
}

// TestSwitches adds clauses, switches them on and off and removes them in random order, and compares what they
// imply with a plain set of clauses.
func TestSwitches(t *testing.T) {
	seed := testseed.Of(t, 1)
	for round := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, round))
		c, p := New(0), plain{map[int][]int32{}}
		if round%40 == 0 {
			c.spill.Least = 200 // the words move into a file
		}
		defer c.Close()
		var index Index
		refs, lits := map[int]Ref{}, map[int][]int32{}
		next, vars := 0, 4+rng.Int32N(6)
		for range 300 {
			switch which := rng.IntN(10); {
			case which < 3 || len(refs) == 0:
				clause := make([]int32, 1+rng.IntN(4)-rng.IntN(20)/19)
				for i := range clause {
					clause[i] = (rng.Int32N(vars) + 1) * (1 - 2*rng.Int32N(2))
				}
				ref, err := c.Add(clause)
				if err != nil {
					t.Fatal(err)
				}
				c.On(ref)
				index.Insert(c, ref)
				refs[next], lits[next], p.clauses[next] = ref, clause, clause
				next++
			case which < 8:
				n := pick(rng, refs, next)
				switch isOn := c.is(refs[n], active); {
				case rng.IntN(4) == 0:
					index.Remove(c, refs[n])
					c.Drop(refs[n])
					delete(refs, n)
					delete(p.clauses, n)
				case isOn:
					c.Off(refs[n])
					delete(p.clauses, n)
				default:
					c.On(refs[n])
					p.clauses[n] = lits[n]
				}
				if rng.IntN(3) == 0 {
					if moved := c.collect(&index, 0); moved != nil {
						for n, ref := range refs {
							refs[n] = moved.Of(ref)
						}
					}
				}
			default:
				c.MarkCore(refs[pick(rng, refs, next)])
			}
			compare(t, round, c, p, rng, vars)
			for n, clause := range lits {
				_, isThere := p.clauses[n]
				if isThere && c.Find(&index, clause) == 0 {
					t.Fatalf("round %d: no clause %v", round, clause)
				}
			}
		}
	}
}

func pick(rng *rand.Rand, refs map[int]Ref, next int) int {
	for {
		if n := rng.IntN(next); refs[n] != 0 {
			return n
		}
	}
}

func compare(t *testing.T, round uint64, c *Clauses, p plain, rng *rand.Rand, vars int32) {
	t.Helper()
	values, conflict := p.propagate()
	if got := c.Root() != 0; got != conflict {
		t.Fatalf("round %d: conflict %v, not %v: %v", round, got, conflict, p)
	}
	for v := int32(1); v <= vars && !conflict; v++ {
		if l := c.literal(v); (c.value[l] > 0) != values[v] || (c.value[l] < 0) != values[-v] {
			t.Fatalf("round %d: variable %d is %d: %v", round, v, c.value[l], p)
		}
	}
	lemma := []int32{rng.Int32N(vars) + 1, -rng.Int32N(vars) - 1}
	_, want := p.propagate(-lemma[0], -lemma[1])
	got := c.Follows(lemma, rng.IntN(2) == 0)
	c.Done()
	if got != want {
		t.Fatalf("round %d: %v follows: %v, not %v", round, lemma, got, want)
	}
}
