package replay

import (
	"errors"
	"fmt"
	processes "github.com/ipafuzz/ipafuzz/replay/process"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A fileQueue runs batches on a program, a process for each solve. What is posted
// runs when it is collected: nearly all of the time is the program's.
type fileQueue struct {
	target *Target
	traces int // of a batch at the most
	ahead  int
	dir    string // for the files; nobody else writes into it
	posted []*Batch
	limits atomic.Pointer[Limits]

	mu          sync.Mutex // guards the program against an interrupt while it starts
	running     *program
	interrupted bool
}

func openFileQueue(t *Target, limits Limits, o QueueOptions) (*fileQueue, error) {
	dir, err := os.MkdirTemp("", "ipafuzz-file-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for the files of target %s: %w", t.Name, err)
	}
	q := &fileQueue{target: t, traces: min(o.Traces, mostInPipeBatch), ahead: o.Ahead, dir: dir}
	q.limits.Store(&limits)
	return q, nil
}

// begun notes the program that Interrupt is to end.
func (q *fileQueue) begun(p *program) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running = p; q.interrupted {
		p.kill()
	}
}

// Interrupt ends the program, from any goroutine.
func (q *fileQueue) Interrupt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.interrupted = true
	if q.running != nil {
		q.running.kill()
	}
}

func (q *fileQueue) isInterrupted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.interrupted
}

// SetLimits changes the limits, from the next process on.
func (q *fileQueue) SetLimits(limits Limits) { q.limits.Store(&limits) }

// Signature is the name of the program.
func (q *fileQueue) Signature() string { return q.target.fileSignature() }

// Description says what no program with a file offers.
func (q *fileQueue) Description() (*apimodel.Description, error) { return q.target.describeFile() }

// Post hands a batch over; it is cut to what the queue takes at once.
func (q *fileQueue) Post(b *Batch) (int, error) {
	switch {
	case q.isInterrupted():
		return 0, errInterrupted
	case len(b.Traces) == 0:
		return 0, errors.New("a batch without traces was posted")
	case len(q.posted) >= q.ahead:
		return 0, errors.New("a batch was posted with as many ahead as the queue has room for")
	}
	n := min(len(b.Traces), q.traces)
	b.Traces, b.Fresh, b.Done = b.Traces[:n], 0, 0
	b.Runs, b.Before = slices.Grow(b.Runs[:0], n)[:n], slices.Grow(b.Before[:0], n)[:n]
	q.posted = append(q.posted, b)
	return n, nil
}

// Collect runs what is left of the oldest batch, up to a trace that did not come
// to its end. No trace can have anything to do with the ones before it.
func (q *fileQueue) Collect() (*Batch, error) {
	if len(q.posted) == 0 {
		return nil, errors.New("no batch was posted")
	}
	b := q.posted[0]
	b.Fresh = b.Done
	for b.Done < len(b.Traces) {
		run := &b.Runs[b.Done]
		if err := q.run(b.Traces[b.Done], run); err != nil {
			return nil, err
		}
		b.Before[b.Done] = 0
		b.Done++
		if run.End != trace.Finished {
			break
		}
	}
	processes.ReapStrays() // looks at every process there is: too dear for each trace
	if b.Complete() {
		q.posted = q.posted[1:]
	}
	return b, nil
}

// Close removes the files.
func (q *fileQueue) Close() { os.RemoveAll(q.dir) }
