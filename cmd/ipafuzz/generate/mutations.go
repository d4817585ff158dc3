package generate

import (
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// parentsTogether is the number of traces of a large corpus that one mutation can combine.
const parentsTogether = 8

// A Mutator mutates the traces of a corpus in turn. The traces after the mutated one
// contribute parts.
type Mutator struct {
	mutator *mutate.Mutator
	corpus  []sources.Item
	parents []*trace.Trace
	names   []string
}

// NewMutator returns a mutator of the corpus, which must not be empty.
func NewMutator(config gen.Config, corpus []sources.Item) (*Mutator, error) {
	mutator, err := mutate.New(config)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	n := min(len(corpus), parentsTogether)
	return &Mutator{mutator, corpus, make([]*trace.Trace, n), make([]string, n)}, nil
}

// Make makes the mutation with that number.
func (m *Mutator) Make(number, seed uint64, t *trace.Trace) error {
	first := int(number % uint64(len(m.corpus)))
	for i := range m.parents {
		parent := &m.corpus[(first+i)%len(m.corpus)]
		m.parents[i], m.names[i] = parent.Trace, parent.Name
	}
	done, err := m.mutator.Mutate(seed, m.parents, t)
	if err != nil {
		return exit.Misuse(err)
	}
	t.Notes = mutate.Notes(seed, m.names, done, measure.FeaturesOf(t))
	return nil
}
