package engine

import (
	"context"
	"sync"
	"time"
)

// A Lab tests candidates and remembers the verdicts. It is for one search: its
// methods are not called concurrently.
type Lab[T any] struct {
	config Config[T]
	ctx    context.Context
	end    context.CancelFunc
	free   chan int // workers without a test

	idle    int
	stats   Stats
	mu      sync.Mutex // guards what is below; tests that run ahead come back late
	known   map[Key]*entry
	tested  int
	running sync.WaitGroup
}

// An entry is the verdict on one content, from the moment that its test begins.
type entry struct {
	done    chan struct{}
	verdict Verdict
	err     error
	needed  bool // the search has asked for it
}

// New returns a lab whose time runs from now on. It must be closed.
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

// Close ends the tests that still run and waits for them.
func (l *Lab[T]) Close() {
	l.end()
	l.running.Wait()
}

// Stats returns what was done so far.
func (l *Lab[T]) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Wasted = l.tested - s.Tests
	return s
}

// Forget drops all verdicts: what is asked has changed.
func (l *Lab[T]) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = make(map[Key]*entry)
}

// A result is what became of one trial.
type result[T any] struct {
	index     int
	candidate T
	entry     *entry // nil: there was no candidate
}

// First returns the first candidate, in the order of the trials, for which the
// property holds, and its number; -1 when there is none. It tests ahead of the
// first trial without a verdict as far as there are workers, and believes a
// verdict only when all before it are known.
func (l *Lab[T]) First(next func() (Trial[T], bool)) (int, T, Verdict, error) {
	var none T
	ahead := l.config.Workers
	if ahead > 1 {
		ahead *= 2 // a slow test must not keep the others waiting
	}
	back := make(chan result[T], ahead)
	results := make(map[int]result[T], ahead)
	front, given, exhausted := 0, 0, false
	for {
		for {
			r, ok := results[front]
			if !ok {
				break
			}
			delete(results, front)
			front++
			holds, err := l.take(r)
			if err != nil {
				return -1, none, Verdict{}, err
			}
			if holds {
				return r.index, r.candidate, r.entry.verdict, nil
			}
		}
		if err := l.over(); err != nil {
			return -1, none, Verdict{}, err
		}
		if exhausted && front == given {
			return -1, none, Verdict{}, nil
		}
		select { // what is back goes before what could be begun
		case r := <-back:
			results[r.index] = r
			continue
		default:
		}
		var free chan int
		if !exhausted && given-front < ahead {
			free = l.free
		}
		select {
		case r := <-back:
			results[r.index] = r
		case worker := <-free:
			trial, more := next()
			if !more {
				exhausted = true
				l.free <- worker
				continue
			}
			index := given
			given++
			l.running.Add(1)
			go func() {
				defer l.running.Done()
				r := l.run(worker, trial)
				r.index = index
				back <- r
				l.free <- worker
			}()
		case <-l.ctx.Done():
		}
	}
}

// run builds a candidate and sees to it that there is a verdict.
func (l *Lab[T]) run(worker int, trial Trial[T]) result[T] {
	candidate, ok := trial()
	if !ok {
		return result[T]{}
	}
	key := l.config.Key(candidate)
	l.mu.Lock()
	e := l.known[key]
	if e != nil {
		l.mu.Unlock()
		<-e.done
		return result[T]{candidate: candidate, entry: e}
	}
	e = &entry{done: make(chan struct{})}
	l.known[key] = e
	l.tested++
	l.mu.Unlock()
	e.verdict, e.err = l.config.Test(l.ctx, worker, candidate)
	if e.err != nil {
		l.mu.Lock()
		if l.known[key] == e {
			delete(l.known, key)
		}
		l.mu.Unlock()
	}
	close(e.done)
	return result[T]{candidate: candidate, entry: e}
}

// take counts a verdict that the search needs. The budget is looked at before
// every one, so that it ends at the same place for any number of workers.
func (l *Lab[T]) take(r result[T]) (holds bool, err error) {
	if err := l.over(); err != nil {
		return false, err
	}
	e := r.entry
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
			l.config.Seen(r.candidate, e.verdict)
		}
		e.verdict.Note = keepNote(e.verdict)
	}
	if e.verdict.Holds {
		l.idle = 0
	}
	return e.verdict.Holds, nil
}

// keepNote drops the note of a candidate that nobody will look at again.
func keepNote(v Verdict) any {
	if v.Holds {
		return v.Note
	}
	return nil
}

// over reports whether a budget has ended.
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

// Of returns the trials of a list, for First.
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
