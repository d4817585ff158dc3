package source

import (
	"context"
	"errors"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/external"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// An Origin identifies a trace by its stream and number.
type Origin struct {
	Stream *Stream
	Number uint64
}

// Seed returns the seed of the trace.
func (o Origin) Seed() uint64 { return gen.Seed(o.Stream.Seed, o.Stream.Shard, o.Number) }

// Choice returns how the trace differs from the usual ones of the stream.
func (o Origin) Choice() Choice { return o.Stream.Chosen(o.Stream.Lessons.Now(), o.Number, o.Seed()) }

// Source returns a source that makes the trace.
func (o Origin) Source() (Source, error) { return o.Stream.Open(o.Choice()) }

// Make fills t with the trace, made by the given source, and returns its profile. If an external generator
// fails, the profile is NoTrace and the error says why.
func (o Origin) Make(ctx context.Context, from Source, t *trace.Trace) (profile string, err error) {
	err = from.Make(ctx, o.Number, o.Seed(), t)
	if fault := new(external.Fault); errors.As(err, &fault) {
		o.Idle(t)
		return NoTrace, err
	}
	return from.Profile(), err
}

// Idle fills t with a trace that only creates a solver.
func (o Origin) Idle(t *trace.Trace) {
	t.Reset(o.Stream.Target.Model)
	t.Idle()
}

// Notes returns the header of the trace, with the seed and the number that generate it again.
func (o Origin) Notes(ctx context.Context) []string {
	traces, err := o.Source()
	if err == nil {
		o.Make(ctx, traces, new(trace.Trace)) // some headers describe the trace that was made last
	}
	return o.NotesBy(traces)
}

// NotesBy is Notes for the trace that a source made last; nil: no source makes it again.
func (o Origin) NotesBy(traces Source) []string {
	var header []string
	if traces != nil {
		header = traces.Notes(o.Number, o.Seed())
	}
	commands := o.Stream.GenCommands("ipafuzz", o.Choice())
	return append(header, notes.Again(commands.Of(o.Number)))
}

// Again makes the trace again, and returns its kind. It leaves t empty if that fails.
func (o Origin) Again(ctx context.Context, t *trace.Trace) (kind cost.Kind) {
	traces, err := o.Source()
	if err == nil {
		_, err = o.Make(ctx, traces, t)
	}
	if err == nil {
		kind = KindOf(traces, t)
	}
	return kind
}
