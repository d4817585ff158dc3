package file

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A queue runs batches on a program, with a process for each solve. Traces run in Collect: the
// program takes nearly all of the time, so a goroutine would gain nothing.
type queue struct {
	target *replay.Target
	driver *driver
	traces int // most traces of a batch
	ahead  int
	dir    string // where the files of a solve are
	posted []*replay.Batch
	limits atomic.Pointer[replay.Limits]

	mu          sync.Mutex // guards running and interrupted
	running     *program
	interrupted bool
}

// maxBatch keeps batches short, because programs are slow and a batch is judged only when
// all of its traces have run.
const maxBatch = 16

// OpenQueue implements replay.Driver.
func (d *driver) OpenQueue(t *replay.Target, _ replay.Way, limits replay.Limits,
	o replay.QueueOptions) (replay.Queue, error) {
	dir, err := process.TempDir()
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", t.Name, err)
	}
	q := &queue{target: t, driver: d, traces: min(o.Traces, maxBatch), ahead: o.Ahead, dir: dir}
	q.limits.Store(&limits)
	return q, nil
}

// begun records the running program for Interrupt, and ends it if Interrupt was called.
func (q *queue) begun(p *program) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running = p; q.interrupted {
		p.Kill()
	}
}

// Interrupt ends the program. It may be called from any goroutine.
func (q *queue) Interrupt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.interrupted = true
	if q.running != nil {
		q.running.Kill()
	}
}

func (q *queue) isInterrupted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.interrupted
}

// SetLimits changes the limits for the next process.
func (q *queue) SetLimits(limits replay.Limits) { q.limits.Store(&limits) }

// Signature returns the name of the program. There is no common way to ask for its version.
func (q *queue) Signature() string { return filepath.Base(q.target.Command[0]) }

// Description says what the program offers and lacks.
func (q *queue) Description() (*apimodel.Description, error) { return q.driver.describe(q.target) }

// Post hands a batch over and cuts it to the size of the queue's batches.
func (q *queue) Post(b *replay.Batch) (int, error) {
	if q.isInterrupted() {
		return 0, replay.ErrInterrupted
	}
	if err := b.Admit(len(q.posted), q.ahead); err != nil {
		return 0, err
	}
	b.Cut(min(len(b.Traces), q.traces))
	q.posted = append(q.posted, b)
	return len(b.Traces), nil
}

// Collect runs the rest of the oldest batch, up to a trace that does not finish. Every
// process is new and finds no file of an earlier one, so no trace affects a later one.
func (q *queue) Collect() (*replay.Batch, error) {
	if len(q.posted) == 0 {
		return nil, replay.ErrNoBatch
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
	process.ReapStrays() // not after each trace: it may look at every process of the machine
	if b.Complete() {
		q.posted = q.posted[1:]
	}
	return b, nil
}

// Close removes the files.
func (q *queue) Close() { process.RemoveTempDir(q.dir) }
