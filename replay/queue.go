package replay

import (
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

	// Fresh and Done are set by Collect: the runs from Fresh up to Done are new.
	// Done falls short of the end when the process died; the rest of the batch
	// comes with the next Collect.
	Fresh, Done int
}

// Complete reports whether all traces of the batch have their runs.
func (b *Batch) Complete() bool { return b.Done == len(b.Traces) }

// A Queue runs batches in the order in which they are posted, while its owner
// makes the next and judges the last.
type Queue interface {
	// Post hands a batch over and returns how many of its traces were taken; the
	// batch is cut to these. It belongs to the queue until it is collected.
	Post(*Batch) (int, error)
	// Collect waits for the oldest batch that is not complete and fills in runs:
	// all that are left, or those up to a death.
	Collect() (*Batch, error)
	// Interrupt ends the run in progress, from any goroutine; Collect returns an
	// error then and the queue is of no more use.
	Interrupt()
	// SetLimits changes the limits, from the next process on.
	SetLimits(Limits)
	// Signature is what the target called itself when it was loaded.
	Signature() string
	Description() (*apimodel.Description, error)
	Close()
}

// OpenQueue starts what runs traces on the target.
func OpenQueue(t *Target, way Way, limits Limits, o QueueOptions) (Queue, error) {
	if t.Kind == Pipe {
		return openPipeQueue(t, way, limits, o)
	}
	if t.Kind == File {
		return openFileQueue(t, limits, o)
	}
	return OpenStream(t, way, limits, o)
}
