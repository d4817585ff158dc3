package registry

import (
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Hit is a trace that has shown a failure.
type Hit struct {
	Key  oracle.Key
	From source.Origin
}

// NoteHits takes the hits of traces that are through. Only those of findings are
// kept: others would be kept for ever.
func (r *Registry) NoteHits(hits []Hit) {
	if r.config.Keeper == nil || len(hits) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range hits {
		e := r.entries[h.Key]
		if e == nil {
			continue
		}
		of := e.found
		if of == nil && e.reserved != nil {
			of = &e.reserved.view.Finding
		}
		if of == nil || of.Again || e.noted >= store.HitsKept ||
			of.Cell == h.From.Stream.Index && of.Number == h.From.Number {
			continue
		}
		e.noted++
		e.fresh = append(e.fresh, h)
	}
}

// TakeHits returns the hits of stored findings that were not taken yet, by
// directory.
func (r *Registry) TakeHits() map[string][]source.Origin {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := make(map[string][]source.Origin)
	for _, e := range r.order {
		for _, h := range e.fresh {
			if e.found.Dir != "" {
				taken[e.found.Dir] = append(taken[e.found.Dir], h.From)
			}
		}
		e.fresh = nil
	}
	return taken
}
