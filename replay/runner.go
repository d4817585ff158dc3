package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/load"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Runner runs one trace after the other on a target. The run is filled in
// place. An error is a failure of ipafuzz or of its surroundings.
type Runner interface {
	Run(ctx context.Context, t *trace.Trace, run *trace.Run) error
	// Description says what the loaded target offers and lacks.
	Description() (*apimodel.Description, error)
	Close()
}

// Open returns a runner for the target.
func Open(t *Target, way Way, limits Limits) (Runner, error) {
	if way == InProcess {
		return openInProcess(t)
	}
	r := &streamRunner{target: t, way: way, limits: limits, options: oneTrace}
	return r, r.open()
}

// OpenHeap returns a runner of one persistent process that also measures what
// each trace leaves on the C heap.
func OpenHeap(t *Target, limits Limits) (Runner, error) {
	options := oneTrace
	options.HeapStride = 1
	r := &streamRunner{target: t, way: Persistent, limits: limits, options: options}
	return r, r.open()
}

var oneTrace = QueueOptions{Ahead: 1, Traces: 1, TraceWords: 1 << 14, AnswerWords: 1 << 13}

type streamRunner struct {
	target  *Target
	way     Way
	limits  Limits
	options QueueOptions
	stream  Queue // nil after a failure, until the next run
	batch   Batch
	closed  bool
}

func (r *streamRunner) open() (err error) {
	if r.closed {
		return errors.New("the runner is closed")
	}
	if r.stream == nil {
		r.stream, err = OpenQueue(r.target, r.way, r.limits, r.options)
	}
	if err != nil {
		r.stream = nil
	}
	return err
}

func (r *streamRunner) Run(ctx context.Context, t *trace.Trace, run *trace.Run) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.Model != r.target.Model {
		return fmt.Errorf("the trace is for model %s, target %s is run as %s", t.Model.Name, r.target.Name, r.target.Model.Name)
	}
	if err := r.open(); err != nil {
		return err
	}
	r.batch.Traces = append(r.batch.Traces[:0], t)
	_, err := r.stream.Post(&r.batch)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, r.stream.Interrupt)
	_, err = r.stream.Collect()
	stop()
	if ctx.Err() != nil || err != nil {
		r.drop()
		return cmp.Or(ctx.Err(), err)
	}
	*run = r.batch.Runs[0]
	r.batch.Runs[0] = trace.Run{}
	return nil
}

func (r *streamRunner) Description() (*apimodel.Description, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	return r.stream.Description()
}

func (r *streamRunner) Close() {
	r.drop()
	r.closed = true
}

func (r *streamRunner) drop() {
	if r.stream != nil {
		r.stream.Close()
		r.stream = nil
	}
}

// inProcess runs traces in this process: no isolation and no limits, for
// debuggers, sanitizers and embedding.
type inProcess struct {
	target   *Target
	table    exec.Target
	settings []exec.Setting
	encoder  trace.Encoder
	encoded  []uint32
	answers  []uint32
}

func openInProcess(t *Target) (Runner, error) {
	r := &inProcess{target: t}
	for _, s := range t.Settings {
		r.settings = append(r.settings, exec.Setting(s))
	}
	var err error
	r.table, err = t.Load()
	return r, err
}

// Load loads the library into this process.
func (t *Target) Load() (exec.Target, error) {
	switch t.Kind {
	case File:
		return nil, unusable(t.Name, "a file target is a program of its own and cannot run in this process")
	case Pipe:
		return nil, unusable(t.Name, "a pipe target is a program of its own and cannot run in this process")
	case Static:
		return nil, unusable(t.Name, "a directory target is a program of its own and cannot run in this process")
	case BuiltIn:
		return exec.Target(ref.Target(t.Model.ID)), nil
	}
	table, err := load.Open(t.Path, t.Model.ID)
	if err != nil {
		return nil, unusable(t.Name, "%v", err)
	}
	return table, nil
}

func (r *inProcess) Run(ctx context.Context, t *trace.Trace, run *trace.Run) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.encoded, err = r.encoder.Append(r.encoded[:0], t); err != nil {
		return err
	}
	if need := trace.AnswerWords(r.encoded); len(r.answers) <= need {
		r.answers = make([]uint32, need+1)
	}
	words, err := exec.Run(r.table, r.settings, r.encoded, r.answers)
	if err != nil {
		return fmt.Errorf("target %s: %w", r.target.Name, err)
	}
	*run = trace.Run{}
	return trace.DecodeAnswers(t, r.encoded, words, &run.Answers)
}

// Description is what another process finds out, so that this one is not
// touched by it.
func (r *inProcess) Description() (*apimodel.Description, error) {
	probe, err := OpenStream(r.target, Fork, DefaultLimits, oneTrace)
	if err != nil {
		return nil, err
	}
	defer probe.Close()
	return probe.Description()
}

func (r *inProcess) Close() {}
