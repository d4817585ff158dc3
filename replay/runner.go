package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Runner runs one trace after the other on a target, and stores the result in the run that
// the caller passes. An error is a failure of ipafuzz or of the system that it runs on.
type Runner interface {
	Run(ctx context.Context, t *trace.Trace, run *trace.Run) error
	// SetLimits changes the limits: those of time at once, the others for the next process.
	SetLimits(Limits)
	// Description says what the loaded target offers and lacks.
	Description() (*apimodel.Description, error)
	Close()
}

// RunOnce runs one trace on the target in a process of its own. For several traces, open a
// Runner.
func RunOnce(ctx context.Context, t *Target, limits Limits, tr *trace.Trace) (*trace.Run, error) {
	runner, err := Open(t, Fork, limits)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	run := new(trace.Run)
	if err := runner.Run(ctx, tr, run); err != nil {
		return nil, err
	}
	return run, nil
}

// Open returns a runner for the target.
func Open(t *Target, way Way, limits Limits) (Runner, error) {
	return OpenUntil(context.Background(), t, way, limits)
}

// OpenUntil is Open, but gives up with the error of ctx if ctx ends first.
func OpenUntil(ctx context.Context, t *Target, way Way, limits Limits) (Runner, error) {
	if way != InProcess {
		return open(ctx, &queueRunner{target: t, way: way, limits: limits, options: oneTrace})
	}
	native, ok := t.Driver.(NativeDriver)
	if !ok {
		return nil, NotInProcess(t.Name, string(t.Kind))
	}
	return native.OpenInProcess(t)
}

// OpenHeap returns a runner with one persistent process that also measures how many bytes
// each trace leaves on the C heap. It gives up with the error of ctx if ctx ends first.
func OpenHeap(ctx context.Context, t *Target, limits Limits) (Runner, error) {
	options := oneTrace
	options.HeapStride = 1
	return open(ctx, &queueRunner{target: t, way: Persistent, limits: limits, options: options})
}

func open(ctx context.Context, r *queueRunner) (Runner, error) {
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// A queueRunner runs traces on a queue, one at a time.
type queueRunner struct {
	target  *Target
	way     Way
	limits  Limits
	options QueueOptions
	queue   Queue // nil after a failure, until the next run
	batch   Batch
	closed  bool
}

func (r *queueRunner) open(ctx context.Context) (err error) {
	if r.closed {
		return errors.New("the runner is closed")
	}
	if r.queue != nil {
		return nil
	}
	r.options.Starting = ctx
	if r.queue, err = OpenQueue(r.target, r.way, r.limits, r.options); err != nil {
		r.queue = nil
	}
	return err
}

// Run implements Runner.
func (r *queueRunner) Run(ctx context.Context, t *trace.Trace, run *trace.Run) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.Model != r.target.Model {
		return fmt.Errorf("the trace is for model %s, target %s is run as %s",
			t.Model.Name, r.target.Name, r.target.Model.Name)
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	r.batch.Traces = append(r.batch.Traces[:0], t)
	_, err := r.queue.Post(&r.batch)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, r.queue.Interrupt)
	_, err = r.queue.Collect()
	stop()
	if ctx.Err() != nil || err != nil {
		r.drop()
		return cmp.Or(ctx.Err(), err)
	}
	*run = r.batch.Runs[0]
	r.batch.Runs[0] = trace.Run{}
	return nil
}

// SetLimits implements Runner.
func (r *queueRunner) SetLimits(limits Limits) {
	r.limits = limits
	if r.queue != nil {
		r.queue.SetLimits(limits)
	}
}

// Description implements Runner.
func (r *queueRunner) Description() (*apimodel.Description, error) {
	if err := r.open(context.Background()); err != nil {
		return nil, err
	}
	return r.queue.Description()
}

// Peaks is what runners and queues implement that know the exact peaks of the memory of their process and of its
// address space, in KiB; 0 if there is no process.
type Peaks interface {
	PeakKB() (resident, space uint64)
}

// PeakKB implements Peaks. Other queues than those of libraries know nothing.
func (r *queueRunner) PeakKB() (resident, space uint64) {
	if q, ok := r.queue.(Peaks); ok {
		return q.PeakKB()
	}
	return 0, 0
}

// Close ends the queue.
func (r *queueRunner) Close() {
	r.drop()
	r.closed = true
}

func (r *queueRunner) drop() {
	if r.queue != nil {
		r.queue.Close()
		r.queue = nil
	}
}
