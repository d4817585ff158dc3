package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Batch is a number of traces that go to a worker together. Its owner fills
// Traces and Seeds; Post and Collect fill the rest. Its owner can then reuse it.
type Batch struct {
	Traces []*trace.Trace
	Seeds  []uint64 // of the traces, copied to the shared memory; may be nil

	Runs []trace.Run
	// Before[i] is how many traces the same process ran before trace i. They may have
	// led to the failure of trace i.
	Before []int

	// Collect sets Fresh and Done: the runs from Fresh up to Done are new. Done is less
	// than the number of traces if the process died; the next Collect fills in more.
	Fresh, Done int
}

// Complete reports whether all traces of the batch have run.
func (b *Batch) Complete() bool { return b.Done == len(b.Traces) }

// Admit resets the batch for a queue that holds posted of at most most batches. It returns an
// error if the queue is full or the batch has no traces.
func (b *Batch) Admit(posted, most int) error {
	if b.Fresh, b.Done = 0, 0; len(b.Traces) == 0 {
		return errNoTraces
	}
	if posted >= most {
		return errFull
	}
	return nil
}

// Cut shortens the batch to its first n traces and makes space for their runs.
func (b *Batch) Cut(n int) {
	b.Traces = b.Traces[:n]
	b.Runs, b.Before = slices.Grow(b.Runs[:0], n)[:n], slices.Grow(b.Before[:0], n)[:n]
}

// A Queue runs batches in the order in which they are posted. Meanwhile its owner can make the
// next batch and judge the last.
type Queue interface {
	// Post hands a batch over. It cuts the batch to the traces that the queue can take,
	// and returns their number. The batch belongs to the queue until it is collected.
	Post(*Batch) (int, error)
	// Collect waits for the oldest batch that is not complete and fills in its remaining
	// runs. If the process dies in a trace, Collect returns the runs up to that trace.
	Collect() (*Batch, error)
	// Interrupt ends the run in progress. It may be called from any goroutine. Collect then
	// returns an error, and the queue can only be closed.
	Interrupt()
	// SetLimits changes the limits, at once or for the next process.
	SetLimits(Limits)
	// Signature returns the name that the target gave itself when it was loaded.
	Signature() string
	// Description says what the loaded target offers and lacks.
	Description() (*apimodel.Description, error)
	Close()
}

// QueueOptions are the sizes and other options of a queue.
type QueueOptions struct {
	Ahead       int // batches that can be posted before one is collected, at least 1
	Traces      int // traces in a batch
	TraceWords  int // space for the traces of a batch
	AnswerWords int // space for their answers
	HeapStride  int // fill Usage.HeapDelta of every HeapStride-th trace, in about a microsecond each; 0: of none
	// Whole makes Post take all traces of a batch, whatever memory that costs. Without it,
	// the memory grows only if the first trace of a batch does not fit.
	Whole bool
	// Starting, if not nil, aborts the start of the target when it ends: some programs take
	// seconds to start.
	Starting context.Context
}

// DefaultQueue suits tiny traces: a batch is a millisecond of work. With smaller ones, processes on two cores wake one
// another too often; with more or larger ones, the traces do not fit into the caches of a core.
var DefaultQueue = QueueOptions{Ahead: 4, Traces: 128, TraceWords: 1 << 17, AnswerWords: 1 << 16}

// oneTrace suits a queue that runs one trace at a time. Memory that no trace uses costs nothing; to start a process
// with more of it costs as much as some runs.
var oneTrace = QueueOptions{Ahead: 1, Traces: 1, TraceWords: 1 << 17, AnswerWords: 1 << 16}

// OpenQueue opens a queue that runs traces on the target.
func OpenQueue(t *Target, way Way, limits Limits, o QueueOptions) (Queue, error) {
	if err := limits.fit(); err != nil {
		return nil, err
	}
	q, err := t.Driver.OpenQueue(t, way, limits, o)
	if err != nil {
		return nil, err
	}
	return candidQueue{q, t}, nil
}

// OpenFirst is OpenQueue for a command that does not look at signals yet: they end the wait for the target
// (userfile.WaitUntil).
func OpenFirst(t *Target, way Way, limits Limits, o QueueOptions) (Queue, error) {
	o.Starting = userfile.Until()
	q, err := OpenQueue(t, way, limits, o)
	if err != nil && o.Starting.Err() != nil {
		return nil, fmt.Errorf("the wait for %s ended: %w", t.Name, os.ErrDeadlineExceeded)
	}
	return q, err
}

// Errors of Post and Collect.
var (
	errNoTraces = errors.New("a batch without traces was posted")
	errFull     = errors.New("a batch was posted to a full queue")
	ErrNoBatch  = errors.New("no batch was posted")
)
