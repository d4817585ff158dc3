package engine

import (
	"errors"
	"iter"
)

// A Searcher tests candidates in their order: a Lab, or a Scout.
type Searcher[T any] interface {
	First(next func() (Trial[T], bool)) (int, T, Verdict, error)
}

// A Scout runs ahead of a search, to say what will be tested next. It goes the
// way of the search, by the verdicts that are known and by guesses in place of
// those that are not. What it says is only ever tested too early or in vain: no
// result depends on it.
type Scout[T any] struct {
	lab *Lab[T]
	// Guess says whether the property will hold for a candidate, the nth of its
	// First, and the note of the verdict.
	Guess func(candidate T, nth int) Verdict

	past  []step[T] // of the search, up to where it is
	given int       // trials of the step that it is in
	yield func(job[T]) bool
	log   *[]bool
}

// A job is a candidate to be tested ahead.
type job[T any] struct {
	candidate T
	key       Key
}

// A step is what a First came to.
type step[T any] struct {
	given     int // trials
	index     int
	candidate T
	verdict   Verdict
}

// steps are those since the last mark, and where the search is in the next one.
type steps[T any] struct {
	done  []step[T]
	given int // trials whose verdicts were taken
}

func (l *Lab[T]) step(index int, candidate T, verdict Verdict) {
	if l.config.Ahead != nil {
		l.steps.done = append(l.steps.done, step[T]{l.steps.given, index, candidate, verdict})
		l.steps.given = 0
	}
}

// Mark says that a scout would begin here: the caller remembers its state.
func (l *Lab[T]) Mark() {
	l.steps = steps[T]{}
}

// errAstray ends the search of a scout that is not needed any more.
var errAstray = errors.New("the search has gone another way")

// scouting is the scout that is under way, if there is one.
type scouting[T any] struct {
	next    func() (job[T], bool)
	end     func()
	guessed []bool // whether the property holds, of every trial from its beginning on
	taken   int    // verdicts that the search has taken since
	lost    bool   // it has come to the end of what it knows
}

func (s *scouting[T]) stop() {
	if s.end != nil {
		s.end()
	}
	*s = scouting[T]{}
}

// compare ends the scout when the search goes another way.
func (s *scouting[T]) compare(holds bool) {
	if s.next == nil {
		return
	}
	s.taken++
	if s.taken <= len(s.guessed) && s.guessed[s.taken-1] != holds {
		s.stop()
	}
}

// ahead returns what to test while the search waits, false when nothing is known.
func (l *Lab[T]) ahead(q *queue[T]) (job[T], bool) {
	if l.config.Ahead == nil {
		return q.ahead(l)
	}
	s := &l.scout
	// A slow test must not keep the others waiting, and what is far away is
	// seldom reached.
	if far := len(s.guessed) - s.taken; s.lost || far > farthest*l.config.Workers {
		return job[T]{}, false
	}
	if s.next == nil {
		scout := &Scout[T]{lab: l, past: l.steps.done, given: l.steps.given, log: &s.guessed}
		s.next, s.end = iter.Pull(func(yield func(job[T]) bool) {
			scout.yield = yield
			l.config.Ahead(scout)
		})
	}
	j, more := s.next()
	s.lost = !more
	return j, more
}

// farthest is how many trials for each worker a scout is ahead at most.
const farthest = 32

// First goes the way of the search as far as that has come, and on from there.
func (s *Scout[T]) First(next func() (Trial[T], bool)) (int, T, Verdict, error) {
	var none T
	if len(s.past) > 0 {
		past := s.past[0]
		s.past = s.past[1:]
		for range past.given {
			next()
		}
		return past.index, past.candidate, past.verdict, nil
	}
	for range s.given {
		next()
	}
	index := s.given
	s.given = 0
	for ; ; index++ {
		trial, more := next()
		if !more {
			return -1, none, Verdict{}, nil
		}
		candidate, ok := trial()
		if !ok {
			*s.log = append(*s.log, false)
			continue
		}
		verdict, err := s.verdict(candidate, index)
		if err != nil {
			return -1, none, Verdict{}, err
		}
		*s.log = append(*s.log, verdict.Holds)
		if verdict.Holds {
			return index, candidate, verdict, nil
		}
	}
}

// verdict returns the verdict on a candidate when there is one, else a guess.
func (s *Scout[T]) verdict(candidate T, index int) (Verdict, error) {
	key := s.lab.config.Key(candidate)
	e := s.lab.entryOf(key)
	if e == nil {
		if !s.yield(job[T]{candidate, key}) {
			return Verdict{}, errAstray
		}
		e = s.lab.entryOf(key)
	}
	if e != nil {
		select {
		case <-e.done:
			return e.verdict, e.err
		default:
		}
	}
	return s.Guess(candidate, index), nil
}

// A queue hands out the trials of a First in their order. Without scouts what is
// tested ahead are the trials behind the one that is waited for.
type queue[T any] struct {
	next  func() (Trial[T], bool)
	built []made[T]
	seen  int // of those built, that are tested or known
}

type made[T any] struct {
	job[T]
	ok bool // there is a candidate
}

func (q *queue[T]) build(l *Lab[T]) (m made[T], more bool) {
	trial, more := q.next()
	if !more {
		q.next = func() (Trial[T], bool) { return nil, false }
		return m, false
	}
	if m.candidate, m.ok = trial(); m.ok {
		m.key = l.config.Key(m.candidate)
	}
	return m, true
}

func (q *queue[T]) take(l *Lab[T]) (m made[T], more bool) {
	if len(q.built) == 0 {
		return q.build(l)
	}
	m = q.built[0]
	q.built, q.seen = q.built[1:], max(q.seen-1, 0)
	return m, true
}

func (q *queue[T]) ahead(l *Lab[T]) (job[T], bool) {
	for len(q.built) < 2*l.config.Workers {
		if q.seen == len(q.built) {
			m, more := q.build(l)
			if !more {
				break
			}
			q.built = append(q.built, m)
		}
		m := q.built[q.seen]
		q.seen++
		if m.ok && l.entryOf(m.key) == nil {
			return m.job, true
		}
	}
	return job[T]{}, false
}
