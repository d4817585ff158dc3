package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

// TestScout: the steps of a search do not depend on a scout's guesses. If all guesses are right, no test is wasted.
func TestScout(t *testing.T) {
	for _, p := range properties(t) {
		if p.n > 512 {
			continue
		}
		for _, m := range []Method{Learned, Sweep} {
			want, wantSteps, wantStats, _ := search(t, p, m, 1, Budget{})
			for _, guess := range []string{"right", "wrong", "by chance"} {
				for _, workers := range []int{2, 5} {
					kept, steps, stats := searchAhead(t, p, m, workers, guess)
					if !slices.Equal(kept, want) || !slices.Equal(steps, wantSteps) || stats.Tests != wantStats.Tests {
						t.Fatalf("%s, %s, %d workers, guesses %s: %v after %d tests, one worker: %v after %d", p.name, m, workers, guess,
							kept, stats.Tests, want, wantStats.Tests)
					}
					if guess == "right" && stats.Wasted > 0 {
						t.Errorf("%s, %s, %d workers: %d wasted tests, although every guess was right", p.name, m, workers, stats.Wasted)
					}
				}
			}
		}
	}
}

func searchAhead(t *testing.T, p property, m Method, workers int, guess string) (kept []int, steps []string,
	stats Stats) {
	t.Helper()
	rng := rand.New(rand.NewPCG(testseed.Of(t, 1), 0))
	items := Items[[]int]{N: p.n, Build: func(kept []int) ([]int, bool) { return kept, true }}
	l := New(context.Background(), Config[[]int]{Workers: workers, Key: keyOf,
		Test: func(_ context.Context, _ int, kept []int) (Verdict, error) {
			return Verdict{Holds: p.holds(kept), Note: len(kept)}, nil
		},
		Seen: func(kept []int, v Verdict) { steps = append(steps, fmt.Sprintf("saw %v %x", v.Holds, keyOf(kept))) },
		Ahead: func(s *Scout[[]int]) {
			s.Guess = func(kept []int, _ int) Verdict {
				holds := p.holds(kept)
				switch guess {
				case "wrong":
					holds = !holds
				case "by chance":
					holds = rng.IntN(2) == 0
				}
				return Verdict{Holds: holds}
			}
			Reduce(s, m, items)
		},
	})
	defer l.Close()
	searched := items
	searched.Adopt = func(kept, _ []int, v Verdict) {
		if v.Note != len(kept) {
			t.Errorf("%s: adopted %v with the note %v", p.name, kept, v.Note)
		}
		steps = append(steps, fmt.Sprint("took ", kept))
	}
	l.Mark()
	kept, err := Reduce(l, m, searched)
	if err != nil {
		t.Fatal(err)
	}
	return kept, steps, l.Stats()
}
