package engine

// A job is a candidate to test.
type job[T any] struct {
	candidate T
	key       Key
}

// A queue hands out the trials of a First in order. It also hands out those after the awaited one, to test ahead. What
// a trial builds may depend on what the search knows by then, so it is built again when its turn comes.
type queue[T any] struct {
	next   func() (Trial[T], bool)
	trials []Trial[T] // taken from next, but not yet by the search
	seen   int        // number of these that are tested or known
}

// take returns the next job of the search. ok is false if the trial has no candidate, more if there is no trial.
func (q *queue[T]) take(l *Lab[T]) (j job[T], ok, more bool) {
	if len(q.trials) == 0 && !q.fill() {
		return j, false, false
	}
	trial := q.trials[0]
	q.trials, q.seen = q.trials[1:], max(q.seen-1, 0)
	j, ok = l.build(trial)
	return j, ok, true
}

// fill takes one more trial from next, if there is one.
func (q *queue[T]) fill() bool {
	if q.next == nil {
		return false
	}
	trial, more := q.next()
	if !more {
		q.next = nil
		return false
	}
	q.trials = append(q.trials, trial)
	return true
}

// ahead returns a job to test while the search waits, if there is one.
func (q *queue[T]) ahead(l *Lab[T]) (job[T], bool) {
	for q.seen < 2*l.config.Workers && (q.seen < len(q.trials) || q.fill()) {
		q.seen++
		if j, ok := l.build(q.trials[q.seen-1]); ok && l.entryOf(j.key) == nil {
			return j, true
		}
	}
	return job[T]{}, false
}

func (l *Lab[T]) build(trial Trial[T]) (j job[T], ok bool) {
	if j.candidate, ok = trial(); ok {
		j.key = l.config.Key(j.candidate)
	}
	return j, ok
}
