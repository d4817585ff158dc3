// Package source decides which trace each number of a campaign is, and knows which numbers remain. Traces
// come from package gen, from an external generator or from a corpus. A Stream and its lessons determine
// every trace, so that any part of ipafuzz can make it again.
package source

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/external"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Source makes the traces of a cell. It is not safe for concurrent use: every lane has its own, and all
// of them make the same trace for a number.
type Source interface {
	// Make resets t and fills it with the trace of a number and its seed. It returns
	// an *external.Fault if an external generator fails.
	Make(ctx context.Context, number, seed uint64, t *trace.Trace) error
	// Profile returns the profile of the last trace.
	Profile() string
	// Notes returns the header of the last trace.
	Notes(number, seed uint64) []string
	// Header returns the same header in the form that takes least time to make.
	Header(number, seed uint64) notes.Header
}

// A Sourcing opens sources of traces that package gen does not generate.
type Sourcing interface {
	// Open returns a source. It uses the model, the description, the bounds and the
	// excluded features of the configuration.
	Open(gen.Config) (Source, error)
	// Flags returns the command-line flags that choose these traces.
	Flags() string
}

// OpenSource opens a source of traces. If from is nil, that is a generator of package gen.
func OpenSource(from Sourcing, config gen.Config) (Source, error) {
	if from != nil {
		return from.Open(config)
	}
	generator, err := gen.New(config)
	return builtinSource{generator}, err
}

type builtinSource struct{ *gen.Generator }

// Make implements Source.
func (o builtinSource) Make(_ context.Context, _, seed uint64, t *trace.Trace) error {
	o.Generate(seed, t)
	return nil
}

// Notes implements Source.
func (o builtinSource) Notes(_, seed uint64) []string { return o.Generator.Notes(seed) }

// Header implements Source.
func (o builtinSource) Header(number, seed uint64) notes.Header {
	h := o.Generator.Header(seed)
	h.Number = number
	return h
}

// KindOf returns the kind of the last trace of a source.
func KindOf(from Source, t *trace.Trace) cost.Kind {
	kind := cost.Kind{Profile: from.Profile(), Calls: len(t.Calls), Largest: cost.LargestVariable(t)}
	kind.Extremes(t)
	if g, generated := from.(builtinSource); generated {
		kind.Family, kind.Features = g.Kind()
	}
	return kind
}

// External runs another program that prints a trace or a formula.
type External struct {
	Command string
	Limits  external.Limits
}

// Open returns a source that runs the program once for each trace.
func (e External) Open(config gen.Config) (Source, error) {
	g, err := external.New(external.Config{Command: e.Command, Limits: e.Limits, Traces: config, Start: process.StartOwn})
	return externalSource{g}, err
}

// Flags returns the command-line flags that choose these traces.
func (e External) Flags() string {
	flags := " --generator " + shell.Quote(e.Command)
	if e.Limits.Time != external.DefaultLimits.Time {
		flags += " --generator-time " + e.Limits.Time.String()
	}
	return flags
}

type externalSource struct{ *external.Generator }

// Make implements Source.
func (t externalSource) Make(ctx context.Context, _, seed uint64, made *trace.Trace) error {
	return t.Generator.Make(ctx, seed, made)
}

// Notes implements Source.
func (t externalSource) Notes(_, seed uint64) []string { return t.Generator.Notes(seed) }

// Header implements Source.
func (t externalSource) Header(number, seed uint64) notes.Header { return headerOf(t, number, seed) }

// headerOf is Header for sources whose headers have little in common.
func headerOf(of Source, number, seed uint64) notes.Header {
	return notes.Header{Form: notes.NewForm(of.Notes(number, seed)), Number: number, Seed: seed}
}
