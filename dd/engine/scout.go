package engine

import (
	"errors"
	"iter"
)

// A Searcher tests candidates in their order. It is a Lab or a Scout.
type Searcher[T any] interface {
	First(next func() (Trial[T], bool)) (int, T, Verdict, error)
}

// A Scout runs ahead of a search to predict its next tests. It follows the known
// verdicts and guesses the others. A wrong guess only wastes a test: no result depends
// on a scout.
type Scout[T any] struct {
	lab *Lab[T]
	// Guess predicts the verdict on a candidate. nth is the number of its trial in the
	// current First.
	Guess func(candidate T, nth int) Verdict
	// Seen, if not nil, is called for every verdict behind the current place of the search,
	// known or guessed.
	Seen func(candidate T, verdict Verdict)

	past  []step[T] // steps of the search since the mark
	given int       // trials that the search has used in the current step
	yield func(job[T]) bool
	path  *scouting[T]
}

// A job is a candidate to test ahead.
type job[T any] struct {
	candidate T
	key       Key
}

// A step is the outcome of a First.
type step[T any] struct {
	given     int // trials that the search has used
	index     int
	candidate T
	verdict   Verdict
}

// steps are the steps since the last mark and the position in the current one.
type steps[T any] struct {
	done  []step[T]
	given int // trials that the search has used in the current step
}

func (l *Lab[T]) step(index int, candidate T, verdict Verdict) {
	if l.config.Ahead != nil {
		l.steps.done = append(l.steps.done, step[T]{l.steps.given, index, candidate, verdict})
		l.steps.given = 0
	}
}

// Mark sets the place where a scout begins. The caller must save its state there.
func (l *Lab[T]) Mark() {
	l.steps = steps[T]{}
}

// errAstray ends the search of a scout that is no longer needed.
var errAstray = errors.New("the search has gone another way")

// scouting is the state of the current scout, if there is one.
type scouting[T any] struct {
	next    func() (job[T], bool)
	end     func()
	guessed []outcome // of each trial since the scout began
	taken   []outcome // of each trial that the search has used since then
	lost    bool      // the scout has reached the end of the search
	astray  bool      // it is not on the path of the search
}

// An outcome is what a search or a scout concludes from a trial.
type outcome struct {
	key   Key // zero if there was no candidate worth a test
	holds bool
}

func (s *scouting[T]) stop() {
	if s.end != nil {
		s.end()
	}
	*s = scouting[T]{}
}

// compare ends the scout if the search takes another path.
func (s *scouting[T]) compare(taken outcome) {
	if s.next == nil {
		return
	}
	s.taken = append(s.taken, taken)
	if at := len(s.taken) - 1; at < len(s.guessed) && s.guessed[at] != taken {
		s.stop()
	}
}

// guess adds an outcome of the scout. It returns an error if the search has taken another path meanwhile.
func (s *scouting[T]) guess(o outcome) error {
	s.guessed = append(s.guessed, o)
	if at := len(s.guessed) - 1; at < len(s.taken) && s.taken[at] != o {
		s.astray = true
		return errAstray
	}
	return nil
}

// ahead returns a candidate to test while the search waits, if there is one.
func (l *Lab[T]) ahead(q *queue[T]) (job[T], bool) {
	if l.config.Ahead == nil {
		return q.ahead(l)
	}
	s := &l.scout
	for {
		// The search seldom reaches trials far ahead.
		if far := len(s.guessed) - len(s.taken); s.lost || far > farthest*l.config.Workers {
			return job[T]{}, false
		}
		begins := s.next == nil
		if begins {
			scout := &Scout[T]{lab: l, past: l.steps.done, given: l.steps.given, path: s}
			s.next, s.end = iter.Pull(func(yield func(job[T]) bool) {
				scout.yield = yield
				l.config.Ahead(scout)
			})
		}
		j, more := s.next()
		switch {
		case more:
			return j, true
		case !s.astray:
			s.lost = true
			return job[T]{}, false
		}
		if s.stop(); begins {
			return job[T]{}, false
		}
	}
}

// farthest is how many trials per worker a scout may be ahead.
const farthest = 32

// First follows the search to its current place, then continues from there.
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
			if err := s.path.guess(outcome{}); err != nil {
				return -1, none, Verdict{}, err
			}
			continue
		}
		key := s.lab.config.Key(candidate)
		verdict, err := s.verdict(candidate, key, index)
		if err == nil {
			err = s.path.guess(outcome{key, verdict.Holds})
		}
		if err != nil {
			return -1, none, Verdict{}, err
		}
		if s.Seen != nil {
			s.Seen(candidate, verdict)
		}
		if verdict.Holds {
			return index, candidate, verdict, nil
		}
	}
}

// verdict returns the verdict on a candidate if it is known, or else a guess.
func (s *Scout[T]) verdict(candidate T, key Key, index int) (Verdict, error) {
	e := s.lab.entryOf(key)
	if e == nil {
		if len(s.path.guessed) <= len(s.path.taken) { // the search has begun this trial with another candidate
			s.path.astray = true
			return Verdict{}, errAstray
		}
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

// A queue hands out the trials of a First in order. Without a scout, it also hands out the
// trials after the awaited one, to test ahead.
type queue[T any] struct {
	next  func() (Trial[T], bool)
	built []made[T]
	seen  int // number of built candidates that are tested or known
}

type made[T any] struct {
	job[T]
	ok bool // whether there is a candidate
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
