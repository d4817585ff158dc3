package replay

import (
	"context"
	"errors"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Batch is a number of traces that go to a worker together. Its owner fills
// Traces and Seeds; Collect fills the rest. It can be used again afterwards.
type Batch struct {
	Traces []*trace.Trace
	Seeds  []uint64 // for the record in shared memory; may be nil

	Runs []trace.Run
	// Before[i] is how many traces the same process had run before trace i:
	// what may have led to its failure.
	Before []int

	// Collect sets Fresh and Done: the runs from Fresh up to Done are new. Done is less
	// than the number of traces if the process died; the next Collect fills in more.
	Fresh, Done int
}

// Complete reports whether all traces of the batch have their runs.
func (b *Batch) Complete() bool { return b.Done == len(b.Traces) }

// Admit begins the batch in a queue that holds posted batches, of at most that many.
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

// A Queue runs batches in the order in which they are posted. Meanwhile its owner makes the
// next batch and judges the last.
type Queue interface {
	// Post hands a batch over and returns how many of its traces were taken; the
	// batch is cut to these. It belongs to the queue until it is collected.
	Post(*Batch) (int, error)
	// Collect waits for the oldest batch that is not complete and fills in runs: all that
	// remain, or those up to a death.
	Collect() (*Batch, error)
	// Interrupt ends the run in progress, from any goroutine. Collect then returns an
	// error, and the queue can only be closed.
	Interrupt()
	// SetLimits changes the limits, at once or from the next process on.
	SetLimits(Limits)
	// Signature is what the target called itself when it was loaded.
	Signature() string
	// Description says what the loaded target offers and lacks.
	Description() (*apimodel.Description, error)
	Close()
}

// QueueOptions size a queue.
type QueueOptions struct {
	Ahead       int // batches that can be posted before one is collected, at least 1
	Traces      int // traces in a batch
	TraceWords  int // space for the traces of a batch
	AnswerWords int // space for their answers
	HeapStride  int // fill Usage.HeapDelta once in that many traces, at about a microsecond each; 0: never
	// Whole makes Post take every trace of a batch, whatever memory that costs. Without it,
	// the memory grows only for the first trace of a batch.
	Whole bool
	// Starting ends the start of the target when it ends: some programs take seconds. nil:
	// nothing ends it.
	Starting context.Context
}

// DefaultQueue suits tiny traces: a batch is half a millisecond of work.
var DefaultQueue = QueueOptions{Ahead: 6, Traces: 64, TraceWords: 1 << 17, AnswerWords: 1 << 16}

// oneTrace is a queue for a single trace at a time.
var oneTrace = QueueOptions{Ahead: 1, Traces: 1, TraceWords: 1 << 14, AnswerWords: 1 << 13}

// OpenQueue starts what runs traces on the target.
func OpenQueue(t *Target, way Way, limits Limits, o QueueOptions) (Queue, error) {
	return t.Driver.OpenQueue(t, way, limits, o)
}

// Errors of Post and Collect.
var (
	errNoTraces = errors.New("a batch without traces was posted")
	errFull     = errors.New("a batch was posted to a full queue")
	ErrNoBatch  = errors.New("no batch was posted")
)
