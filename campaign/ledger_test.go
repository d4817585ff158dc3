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
	left := func(l *ledger, want []numbers, counted ...uint64) {
		t.Helper()
		if got, again := l.unfinished(); !slices.Equal(got, want) || !slices.Equal(again, counted) {
			t.Errorf("unfinished: %v, counted %v, want %v, %v", got, again, want, counted)
		}
	}
	left(&l, []numbers{{3, 5}}, 6)
	other := resumed(16, []numbers{{3, 5}}, []uint64{6})
	left(&other, []numbers{{3, 5}}, 6)
	if a, b := other.take(8, limit), other.take(8, limit); a != (numbers{3, 5}) || b != (numbers{6, 7}) || !other.twice[6] {
		t.Errorf("took %v, %v", a, b)
	}
	left(&other, []numbers{{3, 5}}, 6)
	other.hold(3)
	other.done(numbers{3, 5})
	other.done(numbers{6, 7})
	left(&other, nil, 3)
	if got := l.take(8, limit); got != (numbers{16, 20}) {
		t.Fatalf("took %v", got)
	}
	if got := l.take(8, limit); !got.empty() || l.hasMore(limit) {
		t.Fatalf("took %v, has more: %v", got, l.hasMore(limit))
	}
	l.release(6)
	left(&l, []numbers{{3, 5}, {16, 20}})
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
		left, counted := l.unfinished()
		l = resumed(l.next, left, counted)
	}
	for n, times := range ran {
		if times != 1 {
			t.Fatalf("seed %d: number %d ran %d times", seed(t), n, times)
		}
	}
}
