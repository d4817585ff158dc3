package campaign

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLedger(t *testing.T) {
	var l ledger
	const limit = 20
	if got := l.take(8, limit); got != (numbers{0, 8}) {
		t.Fatalf("took %v", got)
	}
	if got := l.take(8, limit); got != (numbers{8, 16}) {
		t.Fatalf("took %v", got)
	}
	l.done(numbers{0, 3})
	l.done(numbers{5, 8})
	l.hold(6)
	l.done(numbers{8, 16})
	if got, want := l.unfinished(), []numbers{{3, 5}, {6, 7}}; !slices.Equal(got, want) {
		t.Errorf("unfinished: %v, want %v", got, want)
	}
	if got := l.take(8, limit); got != (numbers{16, 20}) {
		t.Fatalf("took %v", got)
	}
	if got := l.take(8, limit); !got.empty() || l.hasMore(limit) {
		t.Fatalf("took %v, has more: %v", got, l.hasMore(limit))
	}
	l.release(6)
	if got, want := l.unfinished(), []numbers{{3, 5}, {16, 20}}; !slices.Equal(got, want) {
		t.Errorf("unfinished: %v, want %v", got, want)
	}
}

// TestLedgerGoesOn: whenever a run ends, the next one runs what is missing, and
// all of them together run every number once.
func TestLedgerGoesOn(t *testing.T) {
	const limit = 3000
	r := rand.New(rand.NewPCG(seed(t), 0))
	ran := make([]int, limit)
	var l ledger
	for runs := 0; l.hasMore(limit); runs++ {
		var out []numbers
		for range r.IntN(60) {
			if r.IntN(3) > 0 || len(out) == 0 {
				if n := l.take(1+r.IntN(40), limit); !n.empty() {
					out = append(out, n)
				}
				continue
			}
			at := r.IntN(len(out))
			some := &out[at]
			part := numbers{some.From, some.From + 1 + r.Uint64N(some.To-some.From)}
			l.done(part)
			for n := part.From; n < part.To; n++ {
				ran[n]++
			}
			if some.From = part.To; some.empty() {
				out = slices.Delete(out, at, at+1)
			}
		}
		l = resumed(l.next, l.unfinished())
	}
	for n, times := range ran {
		if times != 1 {
			t.Fatalf("seed %d: number %d ran %d times", seed(t), n, times)
		}
	}
}
