package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestBudgets(t *testing.T) {
	p := property{"every tenth", 300, properties(t)[6].holds}
	for _, c := range []struct {
		name   string
		budget Budget
		want   error
	}{
		{"tests", Budget{Tests: 10}, ErrTests},
		{"idle", Budget{Idle: 3}, ErrIdle},
		{"time", Budget{Time: time.Nanosecond}, ErrTime},
		{"enough", Budget{Tests: 10_000, Idle: 10_000, Time: time.Hour}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, _, stats, err := search(t, p, Learned, 2, c.budget)
			if !errors.Is(err, c.want) || (err != nil) != Ended(err) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if !p.holds(kept) {
				t.Errorf("the items left when the budget ends do not have the property: %v", kept)
			}
			if c.budget.Tests > 0 && stats.Tests > c.budget.Tests {
				t.Errorf("%d tests, the budget was %d", stats.Tests, c.budget.Tests)
			}
		})
	}
}

// lab returns a lab whose candidates are numbers.
func lab(ctx context.Context, workers int, test func(ctx context.Context, n int) (bool, error)) *Lab[int] {
	return New(ctx, Config[int]{Workers: workers, Key: func(n int) Key { return Key{byte(n)} },
		Test: func(ctx context.Context, _ int, n int) (Verdict, error) {
			holds, err := test(ctx, n)
			return Verdict{Holds: holds}, err
		}})
}

func numbers(list ...int) func() (Trial[int], bool) {
	var trials []Trial[int]
	for _, n := range list {
		trials = append(trials, func() (int, bool) { return n, n >= 0 })
	}
	return Of(trials...)
}

// TestFirst: First returns the first candidate in order that has the property, even if the test of a later one ends
// sooner.
func TestFirst(t *testing.T) {
	slow := make(chan struct{})
	l := lab(context.Background(), 4, func(_ context.Context, n int) (bool, error) {
		if n == 3 {
			<-slow
		}
		if n == 6 {
			close(slow) // the test of 3 ends after this one
		}
		return n%3 == 0, nil
	})
	defer l.Close()
	index, n, verdict, err := l.First(numbers(-1, 1, 2, 3, 6, 9))
	if index != 3 || n != 3 || !verdict.Holds || err != nil {
		t.Errorf("number %d at %d (%v), want 3 at 3", n, index, err)
	}
	if s := l.Stats(); s.Tests != 3 || s.Built != 1 {
		t.Errorf("%+v, want 3 tests and one trial without a candidate", s)
	}
	if index, _, _, err := l.First(numbers(1, 2, 4)); index != -1 || err != nil {
		t.Errorf("First returns index %d (%v), want none", index, err)
	}
	if s := l.Stats(); s.Tests != 4 || s.Cached != 2 {
		t.Errorf("%+v, want 4 tests and 2 cached verdicts", s)
	}
}

// TestForget: after Forget, the lab tests the same candidates again.
func TestForget(t *testing.T) {
	holds := false
	l := lab(context.Background(), 1, func(context.Context, int) (bool, error) { return holds, nil })
	defer l.Close()
	for range 2 {
		if index, _, _, _ := l.First(numbers(5)); (index == 0) != holds {
			t.Errorf("index %d, holds %v", index, holds)
		}
		holds = true
		l.Forget()
	}
}

// TestFailure: an error of a test ends the search only if the search needs that verdict.
func TestFailure(t *testing.T) {
	broken := errors.New("no verdict")
	test := func(_ context.Context, n int) (bool, error) {
		if n == 2 {
			return false, broken
		}
		return n == 1, nil
	}
	l := lab(context.Background(), 3, test)
	defer l.Close()
	if index, _, _, err := l.First(numbers(1, 2)); index != 0 || err != nil {
		t.Errorf("index %d, error %v: the error of a test that ran ahead counts", index, err)
	}
	if _, _, _, err := l.First(numbers(4, 2, 1)); !errors.Is(err, broken) || Ended(err) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

// TestInterrupt: First returns the error of the context when the context ends during a test.
func TestInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	l := lab(ctx, 2, func(ctx context.Context, n int) (bool, error) {
		if n == 1 {
			stop()
		}
		<-ctx.Done()
		return false, ctx.Err()
	})
	_, _, _, err := l.First(numbers(1, 2, 3))
	l.Close()
	if !errors.Is(err, context.Canceled) || !Ended(err) {
		t.Errorf("error %v", err)
	}
}

// TestOneAtATime: each worker runs one test at a time, and Stats counts tests and cached verdicts.
func TestOneAtATime(t *testing.T) {
	const workers = 3
	var busy [workers]chan struct{}
	for i := range busy {
		busy[i] = make(chan struct{}, 1)
	}
	l := New(context.Background(), Config[int]{Workers: workers, Key: func(n int) Key {
		return Key{byte(n),
			byte(n >> 8)}
	},
		Test: func(_ context.Context, worker int, n int) (Verdict, error) {
			select {
			case busy[worker] <- struct{}{}:
			default:
				t.Errorf("worker %d has two tests at a time", worker)
			}
			<-busy[worker]
			return Verdict{}, nil
		}})
	defer l.Close()
	if _, _, _, err := l.First(numbers(slices.Repeat([]int{7, 8, 9, 10, 300, 301, 302}, 20)...)); err != nil {
		t.Fatal(err)
	}
	if s := l.Stats(); s.Tests != 7 || s.Cached != 133 {
		t.Errorf("%+v, want 7 tests and 133 cached verdicts", s)
	}
}
