package source

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/external"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Source makes the traces of a cell. It is not for concurrent use: every lane
// has its own, and all of them make the same of the same number.
type Source interface {
	// Make resets t and fills it with the trace of a number, whose seed was derived
	// from it. An *external.Fault says that there is none, since another program
	// did not do what it is to do.
	Make(ctx context.Context, number, seed uint64, t *trace.Trace) error
	// Profile names the kind of the last trace.
	Profile() string
	// Notes is the header of the last trace.
	Notes(number, seed uint64) []string
}

// Sourcing is where a cell's traces come from, when not from our generators.
type Sourcing interface {
	// Open returns a source. Of the configuration the model, the description, the bounds and
	// the features that must not happen count.
	Open(gen.Config) (Source, error)
	// Flags are what a person types to have the same traces.
	Flags() string
}

// OpenSource opens the source of the configuration's traces; without a sourcing
// that is a generator of ours.
func OpenSource(from Sourcing, config gen.Config) (Source, error) {
	if from != nil {
		return from.Open(config)
	}
	generator, err := gen.New(config)
	return builtinSource{generator}, err
}

type builtinSource struct{ *gen.Generator }

func (o builtinSource) Make(_ context.Context, _, seed uint64, t *trace.Trace) error {
	o.Generate(seed, t)
	return nil
}

func (o builtinSource) Notes(_, seed uint64) []string { return o.Generator.Notes(seed) }

// External traces are what another program prints.
type External struct {
	Command string
	Limits  external.Limits
}

// Open returns a source, which runs the program once a trace.
func (e External) Open(config gen.Config) (Source, error) {
	g, err := external.New(external.Config{Command: e.Command, Limits: e.Limits, Traces: config, Start: process.StartOwn})
	return externalSource{g}, err
}

// Flags are those of the command line.
func (e External) Flags() string {
	flags := " --generator " + shell.Quote(e.Command)
	if e.Limits.Time != external.DefaultLimits.Time {
		flags += " --generator-time " + e.Limits.Time.String()
	}
	return flags
}

type externalSource struct{ *external.Generator }

func (t externalSource) Make(ctx context.Context, _, seed uint64, made *trace.Trace) error {
	return t.Generator.Make(ctx, seed, made)
}

func (t externalSource) Notes(_, seed uint64) []string { return t.Generator.Notes(seed) }

// A Corpus is traces that there are already: each is run as it is, in its
// order, and then they are mutated for ever.
type Corpus struct {
	Given  []string // what the person named
	Names  []string
	Traces []*trace.Trace

	mu     sync.Mutex
	fitted map[*apimodel.Description]*fittedTo // for a source each would take its time and memory
}

// parentsTogether is how many traces of a large corpus a mutation has to do
// with: the one that is changed and the next ones.
const parentsTogether = 8

// fittedTo is a corpus as a target takes it.
type fittedTo struct {
	traces []*trace.Trace
	whole  []bool // it was fitted without a loss
}

type corpusSource struct {
	*fittedTo
	corpus  *Corpus
	mutator *mutate.Mutator
	turn    []*trace.Trace
	done    []string // mutations of the last trace
	mutated bool
}

// Open returns a source. Traces of another model are made ones of the target's,
// and what the target does not take is left out.
func (c *Corpus) Open(config gen.Config) (Source, error) {
	if len(c.Traces) == 0 {
		return nil, errors.New("the corpus has no traces")
	}
	mutator, err := mutate.New(config)
	if err != nil {
		return nil, err
	}
	s := &corpusSource{fittedTo: c.fit(config.Description, mutator), corpus: c, mutator: mutator,
		turn: make([]*trace.Trace, min(len(c.Traces), parentsTogether))}
	return s, nil
}

func (c *Corpus) fit(to *apimodel.Description, mutator *mutate.Mutator) *fittedTo {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.fitted[to]; known != nil && to != nil {
		return known
	}
	f := new(fittedTo)
	for _, t := range c.Traces {
		fitted := new(trace.Trace)
		f.whole = append(f.whole, mutator.Fit(t, fitted))
		f.traces = append(f.traces, fitted)
	}
	if c.fitted == nil {
		c.fitted = make(map[*apimodel.Description]*fittedTo)
	}
	c.fitted[to] = f
	return f
}

// Flags are those of the command line.
func (c *Corpus) Flags() string {
	var flags strings.Builder
	for _, name := range c.Given {
		flags.WriteString(" --corpus " + shell.Quote(name))
	}
	return flags.String()
}

func (s *corpusSource) at(number uint64) int { return int(number % uint64(len(s.traces))) }

func (s *corpusSource) Make(_ context.Context, number, seed uint64, t *trace.Trace) (err error) {
	first := s.at(number)
	if s.mutated = number >= uint64(len(s.traces)); !s.mutated {
		t.Reset(s.traces[first].Model)
		for i := range s.traces[first].Calls {
			t.Append(s.traces[first], &s.traces[first].Calls[i])
		}
		return nil
	}
	for i := range s.turn {
		s.turn[i] = s.traces[(first+i)%len(s.traces)]
	}
	s.done, err = s.mutator.Mutate(seed, s.turn, t)
	return err
}

func (s *corpusSource) Profile() string {
	if s.mutated {
		return "mutation"
	}
	return "corpus"
}

func (s *corpusSource) Notes(number, seed uint64) []string {
	first := s.at(number)
	if !s.mutated {
		o := notes.Origin{Corpus: s.corpus.Names[first]}
		if !s.whole[first] {
			o.Fitted = "of the trace in the corpus"
		}
		return o.Notes()
	}
	var names []string
	for i := range s.turn {
		names = append(names, s.corpus.Names[(first+i)%len(s.traces)])
	}
	return mutate.Notes(seed, names, s.done, nil)
}
