package pipe

import (
	"time"

	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// maxRepeated is how many traces share a process of a repeatable runner, although each should
// have its own.
const maxRepeated = 512

// feed runs the batches, one after the other.
func (q *queue) feed() {
	for b := range q.todo {
		if q.isInterrupted() {
			continue
		}
		if err := caught.Do(func() error { return q.runBatch(b) }); err != nil {
			q.results <- result{err: err}
			return
		}
	}
}

func (q *queue) runBatch(b *replay.Batch) error {
	n := len(b.Traces)
	for done := 0; done < n; {
		stillborn := 0
		to := n
		if q.way == replay.Fork {
			to = done + 1
		}
		reached, died, err := q.runSome(b, done, to, q.way == replay.Fork)
		for err == nil && reached == done {
			if stillborn++; stillborn == process.MaxStillborn {
				return violation(q.target, "%d times in a row it ended before it answered the first line of a trace (%s)",
					stillborn, q.lastWords)
			}
			reached, died, err = q.runSome(b, done, to, q.way == replay.Fork)
		}
		if err != nil {
			return err
		}
		if done = reached; died && done < n {
			q.results <- result{done: done}
		}
	}
	if limits := q.limits.Load(); q.runner != nil && (limits.Memory > 0 && q.runner.peakKB.Load()<<10 > limits.Memory/4 ||
		process.IsSpent(time.Duration(q.runner.cpu.Load()), q.runner.Ward.CPU)) {
		q.drop() // long before an innocent trace exceeds a limit in it
	}
	q.results <- result{done: n}
	return nil
}

// runSome runs traces on one runner until the runner ends. It returns the index after the
// last trace that has a run.
func (q *queue) runSome(b *replay.Batch, from, to int, lockStep bool) (done int, died bool, err error) {
	if q.runner == nil {
		if err := q.start(); err != nil {
			return from, false, err
		}
	}
	r := q.runner
	done = from
	wrote := r.OutputSize()
	w := newWalk(r, lockStep, func(sent *sentTrace) {
		if b.Before[sent.index] = r.ran; q.way == replay.Fork {
			b.Before[sent.index] = 0 // the runner is repeatable, or new
		}
		r.ran++
		done = sent.index + 1
	})
	for i := from; i < to && err == nil; i++ {
		err = w.run(&sentTrace{index: i, t: b.Traces[i], run: &b.Runs[i]})
	}
	if err == nil {
		err = w.drain()
	}
	if err == nil {
		q.survived(b, from, to, wrote)
		return done, false, nil
	}
	defer q.drop()
	if err != errRunnerEnded {
		return done, false, w.named(err, b.Traces[min(done, to-1)])
	}
	done, err = q.ended(b, w, done)
	return done, err == nil, err
}

// survived gives the runner's output to the traces that it has run. They were sent ahead, so
// the output may come from any of them.
func (q *queue) survived(b *replay.Batch, from, to int, wrote int64) {
	r := q.runner
	if text := r.HeadAndTail(wrote, r.OutputSize()); text != "" {
		for i := from; i < to; i++ {
			b.Runs[i].Output = trace.Output{Text: text, Of: to - from, At: i - from}
		}
	}
	if q.way == replay.Fork && (!r.greeting.repeatable || r.ran >= maxRepeated) {
		q.drop()
	} else {
		r.trim()
	}
}

// ended finds the trace that is to blame for the end of the runner and fills in its run. It
// returns how many traces now have runs: done if no trace is to blame.
func (q *queue) ended(b *replay.Batch, w *walk, done int) (int, error) {
	r := q.runner
	if r.end.Load() != int32(trace.Finished) && r.endSerial.Load() != r.serial.Load() {
		return done, nil // the trace that exceeded a limit has finished
	}
	q.lastWords = r.State.String() + r.LastWords()
	if end := trace.End(r.end.Load()); end != trace.Finished {
		q.lastWords = "ipafuzz ended it: " + end.String() // not the signal, of which the runner knows nothing
	}
	begun := w.waiting[w.head].kind != requestHead
	if !begun && r.ran > 0 && r.State.Success() {
		return done, nil // a runner may end by itself after some traces
	}
	sent, sure := w.blame()
	if !sure {
		run, err := q.again(sent.t)
		switch {
		case err != nil:
			return done, err
		case run == nil:
			return done, nil
		case run.End != trace.Finished || !begun && r.ran == 0 || q.laterEnds(w, sent):
			b.Runs[sent.index], b.Before[sent.index] = *run, 0
			return sent.index + 1, nil
		}
	} else if !begun && r.ran == 0 {
		return done, nil
	}
	b.Before[sent.index] = r.ran
	return sent.index + 1, nil
}

// laterEnds reports whether a trace after sent ended the runner. Alone, sent does not end it.
// But the runner had lines of later traces, and may have ended before it sent all its answers.
func (q *queue) laterEnds(w *walk, sent *sentTrace) bool {
	for i := w.head; i < len(w.waiting); i++ {
		later := w.waiting[i].sent
		if later == sent {
			continue
		}
		if run, err := q.again(later.t); err == nil && run != nil && run.End != trace.Finished {
			return true
		}
		sent = later
	}
	return false
}

// again runs a trace in lock step in a process of its own, to learn in which call the
// runner ends. It returns nil if the runner ended before it began the trace.
func (q *queue) again(t *trace.Trace) (*trace.Run, error) {
	q.drop()
	alone := replay.Batch{Traces: []*trace.Trace{t}, Runs: make([]trace.Run, 1), Before: make([]int, 1)}
	done, _, err := q.runSome(&alone, 0, 1, true)
	if err != nil || done == 0 {
		return nil, err
	}
	return &alone.Runs[0], nil
}
