package engine

import (
	"context"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/caught"
)

// A Lab tests candidates and caches the verdicts. It serves one search, which must
// not call its methods concurrently.
type Lab[T any] struct {
	config Config[T]
	ctx    context.Context
	end    context.CancelFunc
	free   chan int // numbers of idle workers

	idle    int
	others  int // how many more tests may begin beside the awaited one
	stats   Stats
	mu      sync.Mutex // guards the fields below, which tests that run ahead write
	known   map[Key]*entry
	tested  int
	usual   time.Duration // usual time of a test
	running sync.WaitGroup
}

// An entry is the verdict on a candidate. It exists from the beginning of the test.
type entry struct {
	begun   time.Time
	done    chan struct{}
	verdict Verdict
	err     error
	needed  bool // the search has used the verdict
}

// New returns a lab and starts its time budget. The caller must close it.
func New[T any](ctx context.Context, config Config[T]) *Lab[T] {
	config.Workers = max(1, config.Workers)
	l := &Lab[T]{config: config, free: make(chan int, config.Workers), known: make(map[Key]*entry)}
	if config.Budget.Time > 0 {
		l.ctx, l.end = context.WithDeadlineCause(ctx, time.Now().Add(config.Budget.Time), ErrTime)
	} else {
		l.ctx, l.end = context.WithCancel(ctx)
	}
	for worker := range config.Workers {
		l.free <- worker
	}
	return l
}

// Close cancels running tests and waits for them.
func (l *Lab[T]) Close() {
	l.end()
	l.running.Wait()
}

// Stats returns the counts so far.
func (l *Lab[T]) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Wasted = l.tested - s.Tests
	return s
}

// Forget drops all verdicts.
func (l *Lab[T]) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = make(map[Key]*entry)
}

// First returns the first candidate, in the order of the trials, for which the property
// holds, and the number of its trial, or -1 if there is none. While First waits for a
// verdict, idle workers test ahead.
func (l *Lab[T]) First(next func() (Trial[T], bool)) (int, T, Verdict, error) {
	var none T
	q := &queue[T]{next: next}
	for index := 0; ; index++ {
		if err := l.over(); err != nil {
			return -1, none, Verdict{}, err
		}
		j, ok, more := q.take(l)
		if !more {
			return -1, none, Verdict{}, nil
		}
		var e *entry
		if ok {
			var err error
			if e, err = l.test(j, q); err != nil {
				return -1, none, Verdict{}, err
			}
		}
		holds, err := l.take(j.candidate, e)
		if err != nil {
			return -1, none, Verdict{}, err
		}
		if holds {
			return index, j.candidate, e.verdict, nil
		}
	}
}

// test returns the verdict on a candidate of the search.
//
// Tests run in rounds: the awaited test and one test for each other worker. A worker that is
// done waits for the others, because a test that begins before their verdicts are known is
// wasted more often. But if the awaited test takes much longer than usual, more tests begin.
func (l *Lab[T]) test(j job[T], q *queue[T]) (*entry, error) {
	e := l.entryOf(j.key)
	for e == nil {
		select {
		case worker := <-l.free:
			e = l.begin(worker, j)
			l.others = l.config.Workers - 1
		case <-l.ctx.Done():
			return nil, context.Cause(l.ctx)
		}
	}
	if l.config.Workers == 1 {
		<-e.done
		return e, nil
	}
	var late <-chan time.Time
	for nothing := false; ; {
		select { // a verdict takes precedence over new tests
		case <-e.done:
			return e, nil
		default:
		}
		var free chan int
		if l.others > 0 && !nothing {
			free = l.free
		} else if late == nil && !nothing {
			late = time.After(time.Until(e.begun.Add(l.patience())))
		}
		select {
		case <-e.done:
			return e, nil
		case <-late:
			l.others, late = l.config.Workers-1, nil
		case worker := <-free:
			next, more := q.ahead(l)
			if !more {
				l.free <- worker
				nothing = true // until there is a verdict
				continue
			}
			l.others--
			l.begin(worker, next)
		}
	}
}

// patience returns how long the search waits for a test before it begins more.
func (l *Lab[T]) patience() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usual + l.usual/2
}

func (l *Lab[T]) entryOf(key Key) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[key]
}

// begin starts the first test of a candidate.
func (l *Lab[T]) begin(worker int, j job[T]) *entry {
	e := &entry{done: make(chan struct{}), begun: time.Now()}
	l.mu.Lock()
	l.known[j.key] = e
	l.tested++
	l.mu.Unlock()
	l.running.Go(func() {
		e.err = caught.Do(func() (err error) {
			e.verdict, err = l.config.Test(l.ctx, worker, j.candidate)
			return err
		})
		l.mu.Lock()
		if took := time.Since(e.begun); l.usual == 0 {
			l.usual = took
		} else {
			l.usual += (took - l.usual) / 8
		}
		if e.err != nil && l.known[j.key] == e {
			delete(l.known, j.key)
		}
		l.mu.Unlock()
		close(e.done)
		l.free <- worker // after the verdict, which may change what is tested next
	})
	return e
}

// take counts a verdict that the search uses. e is nil for a trial without a candidate.
// take checks the budget before every verdict, so that a budget of tests ends at the same
// place for any number of workers.
func (l *Lab[T]) take(candidate T, e *entry) (holds bool, err error) {
	if err := l.over(); err != nil {
		return false, err
	}
	if e == nil {
		l.stats.Built++
		return false, nil
	}
	if e.err != nil {
		if l.ctx.Err() != nil {
			return false, context.Cause(l.ctx)
		}
		return false, e.err
	}
	if e.needed {
		l.stats.Cached++
	} else {
		e.needed = true
		l.stats.Tests++
		l.idle++
		if l.config.Seen != nil {
			l.config.Seen(candidate, e.verdict)
		}
		e.verdict.Note = keepNote(e.verdict)
	}
	if e.verdict.Holds {
		l.idle = 0
	}
	return e.verdict.Holds, nil
}

// keepNote returns the note of a verdict if the candidate will be adopted, to free others.
func keepNote(v Verdict) any {
	if v.Holds {
		return v.Note
	}
	return nil
}

// over returns why the search must end, or nil.
func (l *Lab[T]) over() error {
	b := &l.config.Budget
	switch {
	case l.ctx.Err() != nil:
		return context.Cause(l.ctx)
	case b.Tests > 0 && l.stats.Tests >= b.Tests:
		return ErrTests
	case b.Idle > 0 && l.idle >= b.Idle:
		return ErrIdle
	}
	return nil
}

// Of returns an iterator over the trials, for First.
func Of[T any](trials ...Trial[T]) func() (Trial[T], bool) {
	i := 0
	return func() (Trial[T], bool) {
		if i == len(trials) {
			return nil, false
		}
		i++
		return trials[i-1], true
	}
}
