package source

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

func TestLedger(t *testing.T) {
	var l Ledger
	const limit = 20
	if got := l.Take(8, limit); got != (Numbers{0, 8}) {
		t.Fatalf("took %v", got)
	}
	if got := l.Take(8, limit); got != (Numbers{8, 16}) {
		t.Fatalf("took %v", got)
	}
	l.Done(Numbers{0, 3})
	l.Done(Numbers{5, 8})
	l.Hold(6)
	l.Done(Numbers{8, 16})
	left := func(l *Ledger, want []Numbers, counted ...uint64) {
		t.Helper()
		if got, again := l.Unfinished(); !slices.Equal(got, want) || !slices.Equal(again, counted) {
			t.Errorf("unfinished: %v, counted %v, want %v, %v", got, again, want, counted)
		}
	}
	left(&l, []Numbers{{3, 5}}, 6)
	other := ResumeLedger(16, []Numbers{{3, 5}}, []uint64{6})
	left(&other, []Numbers{{3, 5}}, 6)
	if a, b := other.Take(8, limit), other.Take(8, limit); a != (Numbers{3, 5}) || b != (Numbers{6, 7}) ||
		!other.Twice[6] {
		t.Errorf("took %v, %v", a, b)
	}
	left(&other, []Numbers{{3, 5}}, 6)
	other.Hold(3)
	other.Done(Numbers{3, 5})
	other.Done(Numbers{6, 7})
	left(&other, nil, 3)
	if got := l.Take(8, limit); got != (Numbers{16, 20}) {
		t.Fatalf("took %v", got)
	}
	if got := l.Take(8, limit); !got.Empty() || l.HasMore(limit) {
		t.Fatalf("took %v, has more: %v", got, l.HasMore(limit))
	}
	l.Release(6)
	left(&l, []Numbers{{3, 5}, {16, 20}})
}

// TestResumeLedger ends runs at random moments and resumes them: together they run
// every number once.
func TestResumeLedger(t *testing.T) {
	const limit = 3000
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	ran := make([]int, limit)
	var l Ledger
	for runs := 0; l.HasMore(limit); runs++ {
		var out []Numbers
		for range r.IntN(60) {
			if r.IntN(3) > 0 || len(out) == 0 {
				if n := l.Take(1+r.IntN(40), limit); !n.Empty() {
					out = append(out, n)
				}
				continue
			}
			at := r.IntN(len(out))
			some := &out[at]
			part := Numbers{some.From, some.From + 1 + r.Uint64N(some.To-some.From)}
			l.Done(part)
			for n := part.From; n < part.To; n++ {
				ran[n]++
			}
			if some.From = part.To; some.Empty() {
				out = slices.Delete(out, at, at+1)
			}
		}
		left, counted := l.Unfinished()
		l = ResumeLedger(l.Next, left, counted)
	}
	for n, times := range ran {
		if times != 1 {
			t.Fatalf("seed %d: number %d ran %d times", testseed.Of(t, 1), n, times)
		}
	}
}
