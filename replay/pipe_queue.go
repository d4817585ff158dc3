package replay

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A pipeQueue runs batches on a runner: on one process for many traces, or on a
// process for each. A goroutine of its own feeds the runner, while the owner
// judges what has come.
type pipeQueue struct {
	target *Target
	way    Way
	traces int // of a batch at the most
	hello  *pipeProcess

	posted  []*Batch // oldest first; the owner's
	todo    chan *Batch
	results chan pipeResult
	feeding sync.WaitGroup

	limits      atomic.Pointer[Limits]
	mu          sync.Mutex // guards running against a process that is started while the queue is interrupted
	running     *pipeProcess
	interrupted bool
	stopped     chan struct{} // closed by Interrupt

	p         *pipeProcess // the feeder's; nil when there is none
	lastWords string       // of the last one that ended
}

// A pipeResult says how far the batch in progress is.
type pipeResult struct {
	done int
	err  error
}

// mostInPipeBatch keeps the batches of slow runners short: what is in a batch
// is judged when all of it has run.
const mostInPipeBatch = 16

// mostRepeated is how many traces, with a process for each of them, one process
// of a runner runs that answers every trace as a new one would.
const mostRepeated = 512

func openPipeQueue(t *Target, way Way, limits Limits, o QueueOptions) (*pipeQueue, error) {
	q := &pipeQueue{target: t, way: way, traces: o.Traces, stopped: make(chan struct{})}
	if !o.Whole {
		q.traces = min(o.Traces, mostInPipeBatch)
	}
	q.todo, q.results = make(chan *Batch, o.Ahead), make(chan pipeResult, o.Ahead*(q.traces+1))
	q.limits.Store(&limits)
	if err := q.start(); err != nil {
		return nil, err
	}
	q.hello = q.p
	q.feeding.Go(q.feed)
	return q, nil
}

// start starts a runner.
func (q *pipeQueue) start() error {
	p, err := startPipe(q.target, *q.limits.Load(), func(p *pipeProcess) {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.running = p; q.interrupted {
			p.kill()
		}
	})
	q.p = p
	return err
}

func (q *pipeQueue) drop() {
	if q.p != nil {
		q.p.close()
		q.p = nil
	}
}

// Interrupt ends the runner, from any goroutine.
func (q *pipeQueue) Interrupt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.interrupted {
		return
	}
	q.interrupted = true
	close(q.stopped)
	if q.running != nil {
		q.running.kill()
	}
}

func (q *pipeQueue) isInterrupted() bool {
	select {
	case <-q.stopped:
		return true
	default:
		return false
	}
}

// SetLimits changes the limits, from the next process on.
func (q *pipeQueue) SetLimits(limits Limits) { q.limits.Store(&limits) }

// Signature is what the runner called itself.
func (q *pipeQueue) Signature() string { return q.hello.hello.signature }

// Description says what the runner offers and lacks: what it says of itself, and
// what the user said of it.
func (q *pipeQueue) Description() (*apimodel.Description, error) {
	d, err := apimodel.ParseDescription(q.hello.hello.description)
	if err != nil {
		return nil, err
	}
	return d, q.target.amend(d)
}

// Post hands a batch over; it is cut to what the queue takes at once.
func (q *pipeQueue) Post(b *Batch) (int, error) {
	switch {
	case q.isInterrupted():
		return 0, errInterrupted
	case len(b.Traces) == 0:
		return 0, errors.New("a batch without traces was posted")
	case len(q.posted) == cap(q.todo):
		return 0, errors.New("a batch was posted with as many ahead as the queue has room for")
	}
	n := min(len(b.Traces), q.traces)
	b.Traces, b.Fresh, b.Done = b.Traces[:n], 0, 0
	b.Runs, b.Before = slices.Grow(b.Runs[:0], n)[:n], slices.Grow(b.Before[:0], n)[:n]
	q.posted = append(q.posted, b)
	q.todo <- b
	return n, nil
}

// Collect waits for the oldest batch: for all of its runs, or those up to a
// death.
func (q *pipeQueue) Collect() (*Batch, error) {
	if len(q.posted) == 0 {
		return nil, errors.New("no batch was posted")
	}
	select {
	case <-q.stopped:
		return nil, errInterrupted
	case result := <-q.results:
		switch {
		case q.isInterrupted():
			return nil, errInterrupted
		case result.err != nil:
			return nil, result.err
		}
		b := q.posted[0]
		b.Fresh, b.Done = b.Done, result.done
		if b.Complete() {
			q.posted = slices.Delete(q.posted, 0, 1)
		}
		return b, nil
	}
}

// Close ends the runner.
func (q *pipeQueue) Close() {
	q.Interrupt()
	close(q.todo)
	q.feeding.Wait()
	q.drop()
}

// feed runs the batches, one after the other.
func (q *pipeQueue) feed() {
	for b := range q.todo {
		if q.isInterrupted() {
			continue
		}
		if err := caught.Do(func() error { return q.runBatch(b) }); err != nil {
			q.results <- pipeResult{err: err}
			return
		}
	}
}

func (q *pipeQueue) runBatch(b *Batch) error {
	n := len(b.Traces)
	for done := 0; done < n; {
		stillborn := 0
		to := n
		if q.way == Fork {
			to = done + 1
		}
		reached, died, err := q.runSome(b, done, to, q.way == Fork)
		for err == nil && reached == done {
			if stillborn++; stillborn == maxStillborn {
				return violation(q.target, "%d times in a row it ended before it answered the first line of a trace (%s)", stillborn, q.lastWords)
			}
			reached, died, err = q.runSome(b, done, to, q.way == Fork)
		}
		if err != nil {
			return err
		}
		if done = reached; died && done < n {
			q.results <- pipeResult{done: done}
		}
	}
	if q.p != nil && q.limits.Load().Memory > 0 && q.p.peakKB.Load()<<10 > q.limits.Load().Memory/4 {
		q.drop() // long before the limit ends it in an innocent trace
	}
	q.results <- pipeResult{done: n}
	return nil
}

// runSome runs traces on one runner, all up to the one in which it ends, and
// returns how far it got.
func (q *pipeQueue) runSome(b *Batch, from, to int, lockStep bool) (done int, died bool, err error) {
	if q.p == nil {
		if err := q.start(); err != nil {
			return from, false, err
		}
	}
	p := q.p
	done = from
	wrote := p.outputSize()
	w := newPipeWalk(p, lockStep, func(job *pipeJob) {
		if b.Before[job.index] = p.ran; q.way == Fork {
			b.Before[job.index] = 0 // as in a process of its own
		}
		p.ran++
		done = job.index + 1
	})
	for i := from; i < to && err == nil; i++ {
		err = w.run(&pipeJob{index: i, t: b.Traces[i], run: &b.Runs[i]})
	}
	if err == nil {
		err = w.drain()
	}
	if err == nil {
		if text := p.headAndTail(wrote, p.outputSize()); text != "" { // the runner is sent traces ahead: which of them it was at is not known
			for i := from; i < to; i++ {
				b.Runs[i].Output = trace.Output{Text: text, Of: to - from, At: i - from}
			}
		}
		if q.way == Fork && (!p.hello.repeatable || p.ran >= mostRepeated) {
			q.drop()
		} else {
			p.trim()
		}
		return done, false, nil
	}
	defer q.drop()
	if err != errRunnerEnded {
		return done, false, w.named(err, b.Traces[min(done, to-1)])
	}
	if p.end.Load() != int32(trace.Finished) && p.endSerial.Load() != p.serial.Load() {
		return done, true, nil // for a trace that has finished all the same
	}
	q.lastWords = p.state.String() + quoted(p.tail(0, toTheEnd))
	begun := w.waiting[w.head].kind != requestHead
	if !begun && p.ran > 0 && p.state.Success() {
		return done, true, nil // it ends by itself after some traces, which is its right
	}
	job, sure := w.blame()
	if !sure {
		run, err := q.again(job.t)
		switch {
		case err != nil:
			return done, false, err
		case run == nil:
			return done, true, nil
		case run.End != trace.Finished || !begun && p.ran == 0 || q.laterEnds(w, job):
			b.Runs[job.index], b.Before[job.index] = *run, 0
			return job.index + 1, true, nil
		}
	} else if !begun && p.ran == 0 {
		return done, true, nil
	}
	b.Before[job.index] = p.ran
	return job.index + 1, true, nil
}

// laterEnds tells whether the runner ends in a trace of which it had lines behind
// those of a trace that it survives alone: it may have collected its answers.
func (q *pipeQueue) laterEnds(w *pipeWalk, job *pipeJob) bool {
	for i := w.head; i < len(w.waiting); i++ {
		later := w.waiting[i].job
		if later == job {
			continue
		}
		if run, err := q.again(later.t); err == nil && run != nil && run.End != trace.Finished {
			return true
		}
		job = later
	}
	return false
}

// again runs a trace in lock step in a process of its own, to learn in which
// call the runner ends. It returns nil when that did not begin the trace.
func (q *pipeQueue) again(t *trace.Trace) (*trace.Run, error) {
	q.drop()
	alone := Batch{Traces: []*trace.Trace{t}, Runs: make([]trace.Run, 1), Before: make([]int, 1)}
	done, _, err := q.runSome(&alone, 0, 1, true)
	if err != nil || done == 0 {
		return nil, err
	}
	return &alone.Runs[0], nil
}
