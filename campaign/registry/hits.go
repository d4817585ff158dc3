package registry

import (
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Hit is a trace that showed a failure.
type Hit struct {
	Key  oracle.Key
	From source.Origin
}

// NoteHits notes the hits of finished traces. It keeps only hits of findings:
// nothing would ever remove the others.
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

// TakeHits removes and returns the hits that are not written yet, by the directory of
// their finding.
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
