package pipe

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A queue runs batches on a runner: in one process for many traces, or in one for each. A
// goroutine feeds the runner, while the owner judges the answers.
type queue struct {
	target *replay.Target
	way    replay.Way
	traces int     // most traces of a batch
	first  *runner // its greeting describes the target

	posted  []*replay.Batch // oldest first; used by the owner only
	todo    chan *replay.Batch
	results chan result
	feeding sync.WaitGroup

	limits      atomic.Pointer[replay.Limits]
	mu          sync.Mutex // guards running and interrupted
	running     *runner
	interrupted bool
	stopped     chan struct{} // closed by Interrupt

	// These belong to the feeder.
	runner    *runner // nil when there is none
	lastWords string  // of the last runner that ended
}

// A result tells how many traces of the batch in progress are done.
type result struct {
	done int
	err  error
}

// maxBatch keeps batches short, because runners are slow and a batch is judged only when
// all of its traces have run.
const maxBatch = 16

// OpenQueue implements replay.Driver.
func (driver) OpenQueue(t *replay.Target, way replay.Way, limits replay.Limits,
	o replay.QueueOptions) (replay.Queue, error) {
	q := &queue{target: t, way: way, traces: o.Traces, stopped: make(chan struct{})}
	if !o.Whole {
		q.traces = min(o.Traces, maxBatch)
	}
	q.todo, q.results = make(chan *replay.Batch, o.Ahead), make(chan result, o.Ahead*(q.traces+1))
	q.limits.Store(&limits)
	if o.Starting == nil {
		o.Starting = context.Background()
	}
	stop := context.AfterFunc(o.Starting, q.Interrupt)
	err := q.start()
	if !stop() {
		q.drop()
		return nil, o.Starting.Err()
	}
	if err != nil {
		return nil, err
	}
	q.first = q.runner
	q.feeding.Go(q.feed)
	return q, nil
}

func (q *queue) start() error {
	r, err := startRunner(q.target, *q.limits.Load(), func(r *runner) {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.running = r; q.interrupted {
			r.Kill()
		}
	})
	q.runner = r
	return err
}

func (q *queue) drop() {
	if q.runner != nil {
		q.runner.close()
		q.runner = nil
	}
}

// Interrupt ends the runner. It may be called from any goroutine.
func (q *queue) Interrupt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.interrupted {
		return
	}
	q.interrupted = true
	close(q.stopped)
	if q.running != nil {
		q.running.Kill()
	}
}

func (q *queue) isInterrupted() bool {
	select {
	case <-q.stopped:
		return true
	default:
		return false
	}
}

// SetLimits changes the limits, also for the process that runs.
func (q *queue) SetLimits(limits replay.Limits) {
	q.limits.Store(&limits)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running != nil {
		q.running.limits.Store(&limits)
	}
}

// Signature returns the name that the runner gives itself.
func (q *queue) Signature() string { return q.first.greeting.signature }

// Description says what the runner offers and lacks, according to itself and to the user.
func (q *queue) Description() (*apimodel.Description, error) {
	d, err := apimodel.ParseDescription(q.first.greeting.description)
	if err != nil {
		return nil, err
	}
	if q.target.Model.Uses("proof") && len(d.ProofFormats(q.target.Model)) == 0 {
		replay.Lack(d, "proof")
	}
	return d, q.target.Amend(d)
}

// Post hands a batch over and cuts it to the size of the queue's batches.
func (q *queue) Post(b *replay.Batch) (int, error) {
	if q.isInterrupted() {
		return 0, replay.ErrInterrupted
	}
	if err := b.Admit(len(q.posted), cap(q.todo)); err != nil {
		return 0, err
	}
	b.Cut(min(len(b.Traces), q.traces))
	q.posted = append(q.posted, b)
	q.todo <- b
	return len(b.Traces), nil
}

// Collect waits for all runs of the oldest batch, or for those up to the death of a
// process.
func (q *queue) Collect() (*replay.Batch, error) {
	if len(q.posted) == 0 {
		return nil, replay.ErrNoBatch
	}
	select {
	case <-q.stopped:
		return nil, replay.ErrInterrupted
	case result := <-q.results:
		switch {
		case q.isInterrupted():
			return nil, replay.ErrInterrupted
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
func (q *queue) Close() {
	q.Interrupt()
	close(q.todo)
	q.feeding.Wait()
	q.drop()
}
