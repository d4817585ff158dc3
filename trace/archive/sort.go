package archive

import (
	"cmp"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// sortBytes is how many bytes of traces a Sorter sorts at once.
const sortBytes = 512 << 20

// A Sorter adds traces to an archive family by family, so that similar traces share frames: a
// frame of mutants of one trace takes little more space than one of them. A Sorter holds up to
// 512 MiB, and sorts each such portion by itself.
type Sorter struct {
	w     *Writer
	items []sorted
	bytes int
	limit int
}

type sorted struct {
	family, name string
	trace        *trace.Trace
}

// NewSorter returns a sorter for a writer.
func NewSorter(w *Writer) *Sorter { return &Sorter{w: w, limit: sortBytes} }

// Add adds a trace, which the caller may change then.
func (s *Sorter) Add(name string, t *trace.Trace) error {
	s.items = append(s.items, sorted{familyOf(t), name, t.Clone()})
	if s.bytes += 24*len(t.Calls) + 4*len(t.Lits) + len(t.Bytes); s.bytes >= s.limit {
		return s.Flush()
	}
	return nil
}

// Flush sorts the traces that the Sorter holds and adds them to the archive.
func (s *Sorter) Flush() error {
	slices.SortStableFunc(s.items, func(a, b sorted) int { return cmp.Compare(a.family, b.family) })
	for _, item := range s.items {
		if _, err := s.w.Add(item.name, item.trace); err != nil {
			return err
		}
	}
	clear(s.items)
	s.items, s.bytes = s.items[:0], 0
	return nil
}

// familyOf returns a key that similar traces share: those of one model, generator and first
// parent.
func familyOf(t *trace.Trace) string {
	family := t.Model.Name
	made := notes.OriginOf(t.Notes)
	if made.Generator != "" {
		family += " " + made.Generator
	}
	if len(made.Parents) > 0 {
		family += " " + made.Parents[0]
	}
	return family
}
