package source

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Corpus is a list of existing traces. The first numbers are these traces, unchanged and in order; all
// further numbers are mutations of them.
type Corpus struct {
	Given  []string // the files and directories on the command line
	Names  []string
	Traces []*trace.Trace

	mu     sync.Mutex
	fitted map[*apimodel.Description]*fittedTo // shared by all sources for a target
}

// mutationParents is the number of traces that a mutation uses: the one that it changes and those that
// follow in the corpus.
const mutationParents = 8

// fittedTo is a corpus fitted to a target: translated to its model, without anything that the target does
// not support.
type fittedTo struct {
	traces []*trace.Trace
	whole  []bool // fitted without losing anything
}

type corpusSource struct {
	*fittedTo
	corpus  *Corpus
	mutator *mutate.Mutator
	parents []*trace.Trace
	done    []string // mutations of the last trace
	mutated bool
}

// Open returns a source of the traces, fitted to the target, and their mutations.
func (c *Corpus) Open(config gen.Config) (Source, error) {
	if len(c.Traces) == 0 {
		return nil, errors.New("the corpus has no traces")
	}
	mutator, err := mutate.New(config)
	if err != nil {
		return nil, err
	}
	s := &corpusSource{fittedTo: c.fit(config, mutator), corpus: c, mutator: mutator,
		parents: make([]*trace.Trace, min(len(c.Traces), mutationParents))}
	return s, nil
}

// fit returns the corpus fitted to a target. Targets other than programs get the calls of formula files.
func (c *Corpus) fit(config gen.Config, mutator *mutate.Mutator) *fittedTo {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := config.Description
	if known := c.fitted[to]; known != nil && to != nil {
		return known
	}
	f := new(fittedTo)
	for _, t := range c.Traces {
		if t.Model.File && t.Model != config.Model {
			t, _ = format.Calls(t)
		}
		fitted := new(trace.Trace)
		whole := mutator.Fit(t, fitted)
		if whole {
			fitted.TakeGiven(t)
		}
		f.whole = append(f.whole, whole)
		f.traces = append(f.traces, fitted)
	}
	if c.fitted == nil {
		c.fitted = make(map[*apimodel.Description]*fittedTo)
	}
	c.fitted[to] = f
	return f
}

// Cut returns how many of the traces lack something in the form that targets are given, because these do not support
// it. Open must have been called for each target.
func (c *Corpus) Cut() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	cut := make(map[int]bool)
	for _, f := range c.fitted {
		for i, whole := range f.whole {
			if !whole {
				cut[i] = true
			}
		}
	}
	return len(cut)
}

// Flags returns the command-line flags that choose these traces.
func (c *Corpus) Flags() string {
	var flags strings.Builder
	for _, name := range c.Given {
		flags.WriteString(" --corpus " + shell.Quote(name))
	}
	return flags.String()
}

// at returns the index of the trace that a number runs or mutates.
func (s *corpusSource) at(number uint64) int { return int(number % uint64(len(s.traces))) }

// Make implements Source.
func (s *corpusSource) Make(_ context.Context, number, seed uint64, t *trace.Trace) (err error) {
	first := s.at(number)
	if s.mutated = number >= uint64(len(s.traces)); !s.mutated {
		t.Reset(s.traces[first].Model)
		for i := range s.traces[first].Calls {
			t.Append(s.traces[first], &s.traces[first].Calls[i])
		}
		t.TakeGiven(s.traces[first])
		return nil
	}
	for i := range s.parents {
		s.parents[i] = s.traces[(first+i)%len(s.traces)]
	}
	s.done, err = s.mutator.Mutate(seed, s.parents, t)
	return err
}

// Profile implements Source.
func (s *corpusSource) Profile() string {
	if s.mutated {
		return "mutation"
	}
	return "corpus"
}

// Notes implements Source.
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
	for i := range s.parents {
		names = append(names, s.corpus.Names[(first+i)%len(s.traces)])
	}
	return mutate.Notes(seed, names, s.done, nil)
}

// Header implements Source.
func (s *corpusSource) Header(number, seed uint64) notes.Header { return headerOf(s, number, seed) }
