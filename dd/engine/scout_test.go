package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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

// TestScoutAstray: a scout that guesses the verdict right, but not its note, begins again when the search goes on with
// other candidates.
func TestScoutAstray(t *testing.T) {
	const steps = 20
	search := func(l Searcher[[]int]) {
		at := func(step, note int) func() (Trial[[]int], bool) {
			return Of(func() ([]int, bool) { return []int{step, note}, true })
		}
		_, _, v, err := l.First(at(0, 0))
		for step := 1; err == nil && step < steps; step++ {
			_, _, _, err = l.First(at(step, v.Note.(int)))
		}
	}
	synctest.Test(t, func(t *testing.T) {
		l := New(context.Background(), Config[[]int]{Workers: 2, Key: keyOf,
			Test: func(_ context.Context, _ int, candidate []int) (Verdict, error) {
				time.Sleep(time.Second)
				return Verdict{Holds: candidate[0] == 0, Note: 1}, nil
			},
			Ahead: func(s *Scout[[]int]) {
				s.Guess = func(candidate []int, _ int) Verdict { return Verdict{Holds: candidate[0] == 0, Note: 2} }
				search(s)
			},
		})
		defer l.Close()
		l.Mark()
		search(l)
		if stats := l.Stats(); stats.Tests != steps || stats.Wasted > steps/4 {
			t.Errorf("%d tests and %d more in vain", stats.Tests, stats.Wasted)
		}
	})
}
