package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// A property is a predicate on sets of items in ascending order. It holds for the set of all n items.
type property struct {
	name  string
	n     int
	holds func(kept []int) bool
}

func all(kept []int, items ...int) bool {
	for _, item := range items {
		if _, found := slices.BinarySearch(kept, item); !found {
			return false
		}
	}
	return true
}

func properties(t testing.TB) []property {
	list := []property{
		{"nothing is needed", 300, func([]int) bool { return true }},
		{"single needle", 1000, func(k []int) bool { return all(k, 617) }},
		{"the first item", 512, func(k []int) bool { return all(k, 0) }},
		{"the last item", 512, func(k []int) bool { return all(k, 511) }},
		{"four together", 1000, func(k []int) bool { return all(k, 500, 501, 502, 503) }},
		{"eight far apart", 1000, func(k []int) bool { return all(k, 3, 100, 250, 400, 555, 700, 850, 999) }},
		{"every tenth", 300, func(k []int) bool {
			for i := 0; i < 300; i += 10 {
				if !all(k, i) {
					return false
				}
			}
			return true
		}},
		{"all are needed", 60, func(k []int) bool { return len(k) == 60 }},
		{"pairs", 200, func(k []int) bool { // both items of each pair or neither, and item 7
			for i := 0; i < 200; i += 2 {
				if all(k, i) != all(k, i+1) {
					return false
				}
			}
			return all(k, 7)
		}},
		{"one of two (not unique)", 200, func(k []int) bool { return all(k, 5, 6) || all(k, 150) }},
		{"any ten", 200, func(k []int) bool { return len(k) >= 10 }},
		{"an even number, not monotone", 100, func(k []int) bool { return len(k)%2 == 0 && all(k, 40, 41) }},
		{"needs 9 unless 8 is gone", 64, func(k []int) bool { return all(k, 20) && (!all(k, 8) || all(k, 9)) }},
		{"one item", 1, func(k []int) bool { return all(k, 0) }},
		{"no item", 0, func(k []int) bool { return true }},
	}
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 2))
	for i := range 8 {
		n := 50 + rng.IntN(400)
		needed := rng.Perm(n)[:1+rng.IntN(12)]
		slices.Sort(needed)
		list = append(list, property{fmt.Sprintf("random %d: %d of %d", i, len(needed), n), n,
			func(k []int) bool { return all(k, needed...) }})
	}
	for i := range 4 { // not monotone: a hash decides whether a smaller set has it
		n := 40 + rng.IntN(100)
		salt := rng.Uint64()
		list = append(list, property{fmt.Sprintf("random %d, not monotone", i), n, func(k []int) bool {
			return len(k) == n || all(k, 1, n/2) && sha256.Sum256(fmt.Append(nil, salt, k))[0]%2 == 0
		}})
	}
	return list
}

func keyOf(kept []int) Key {
	var text []byte
	for _, item := range kept {
		text = append(text, byte(item), byte(item>>8))
	}
	return sha256.Sum256(text)
}

// search reduces the items of a property and records the steps.
func search(t testing.TB, p property, m Method, workers int, budget Budget) (kept []int, steps []string, stats Stats,
	err error) {
	t.Helper()
	l := New(context.Background(), Config[[]int]{Workers: workers, Budget: budget, Key: keyOf,
		Test: func(_ context.Context, worker int, kept []int) (Verdict, error) {
			return Verdict{Holds: p.holds(kept), Note: len(kept)}, nil
		},
		Seen: func(kept []int, v Verdict) { steps = append(steps, fmt.Sprintf("saw %v %x", v.Holds, keyOf(kept))) },
	})
	defer l.Close()
	kept, err = Reduce(l, m, Items[[]int]{N: p.n,
		Build: func(kept []int) ([]int, bool) { return kept, true },
		Adopt: func(kept, candidate []int, v Verdict) {
			if !slices.Equal(kept, candidate) || v.Note != len(kept) {
				t.Errorf("%s: adopted %v with the candidate %v and the note %v", p.name, kept, candidate, v.Note)
			}
			steps = append(steps, fmt.Sprint("took ", kept))
		}})
	return kept, steps, l.Stats(), err
}

var minimalMethods = []Method{Learned, DDMin, OneByOne}

// TestMinimal: the result has the property, and no single item can be removed from it.
func TestMinimal(t *testing.T) {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "property\titems\tleft\tlearned\tleft\tddmin\tleft\tone by one\t")
	sums := map[Method]int{}
	for _, p := range properties(t) {
		tests := map[Method]int{}
		left := map[Method]int{}
		for _, m := range minimalMethods {
			kept, _, stats, err := search(t, p, m, 1, Budget{})
			if err != nil {
				t.Fatalf("%s, %s: %v", p.name, m, err)
			}
			if !p.holds(kept) {
				t.Errorf("%s, %s: the result %v does not have the property", p.name, m, kept)
			}
			for i := range kept {
				if rest := slices.Delete(slices.Clone(kept), i, i+1); p.holds(rest) {
					t.Errorf("%s, %s: item %d can be removed from %v", p.name, m, kept[i], kept)
				}
			}
			if stats.Wasted != 0 {
				t.Errorf("%s, %s: one worker wasted %d tests", p.name, m, stats.Wasted)
			}
			tests[m] = stats.Tests
			sums[m] += stats.Tests
			left[m] = len(kept)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", p.name, p.n,
			left[Learned], tests[Learned], left[DDMin], tests[DDMin], left[OneByOne], tests[OneByOne])
	}
	fmt.Fprintf(table, "all\t\t\t%d\t\t%d\t\t%d\t\n", sums[Learned], sums[DDMin], sums[OneByOne])
	table.Flush()
	t.Logf("tests needed:\n%s", text.String())
	if 2*sums[Learned] > sums[DDMin] {
		t.Errorf("the learned method needs %d tests, more than half of the %d of ddmin", sums[Learned], sums[DDMin])
	}
}

// TestAnyNumberOfWorkers: result, steps and counts do not depend on the number of workers or on how long tests take.
func TestAnyNumberOfWorkers(t *testing.T) {
	for _, m := range []Method{Learned, DDMin, OneByOne, Sweep} {
		for _, p := range properties(t) {
			if p.n > 200 || testing.Short() && p.n > 90 {
				continue
			}
			for _, budget := range []Budget{{}, {Tests: 20}, {Idle: 7}} {
				kept, steps, stats, err := search(t, p, m, 1, budget)
				for _, workers := range []int{2, 3, 8} {
					k, s, st, e := search(t, shaken(p), m, workers, budget)
					if !slices.Equal(k, kept) || !slices.Equal(s, steps) || !errors.Is(e, err) {
						t.Fatalf("%s, %s, %d workers, budget %+v: %v after %d steps (%v), one worker: %v after %d steps (%v)",
							p.name, m, workers, budget, k, len(s), e, kept, len(steps), err)
					}
					if st.Tests != stats.Tests || st.Cached != stats.Cached || st.Built != stats.Built {
						t.Fatalf("%s, %s, %d workers: %+v, one worker: %+v", p.name, m, workers, st, stats)
					}
				}
			}
		}
	}
}

// shaken delays some tests, so that they end in another order.
func shaken(p property) property {
	var calls atomic.Uint64
	holds := p.holds
	p.holds = func(kept []int) bool {
		if n := calls.Add(1); n%3 == 0 {
			time.Sleep(time.Duration(n%7) * 20 * time.Microsecond)
		}
		return holds(kept)
	}
	return p
}

// TestSweep: the result of Sweep has the property, though it may not be minimal.
func TestSweep(t *testing.T) {
	for _, p := range properties(t) {
		kept, _, _, err := search(t, p, Sweep, 1, Budget{})
		if err != nil || !p.holds(kept) {
			t.Errorf("%s: %v, %v", p.name, kept, err)
		}
	}
}

func TestUnknownMethod(t *testing.T) {
	if _, _, _, err := search(t, property{n: 1}, "magic", 1, Budget{}); err == nil || Ended(err) {
		t.Errorf("error %v", err)
	}
}
