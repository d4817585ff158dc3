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

// NoteHits records the hits of finished traces. It keeps only hits of findings and of failures being
// confirmed: nothing would ever remove others.
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
		finding := e.found
		if finding == nil {
			finding = e.shown
		}
		_, there := e.state()
		if !there || e.noted >= store.HitsKept || finding != nil && (finding.Again || isOf(finding, h.From)) {
			continue
		}
		e.noted++
		e.fresh = append(e.fresh, h)
	}
}

// isOf reports whether the finding was made from that trace.
func isOf(f *store.Finding, from source.Origin) bool {
	return f.Cell == from.Stream.Index && f.Number == from.Number
}

// TakeHits removes and returns the hits that have not been written, by the directory of their finding.
func (r *Registry) TakeHits() map[string][]source.Origin {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := make(map[string][]source.Origin)
	for _, e := range r.order {
		for _, h := range e.fresh {
			if e.found.Dir != "" && !e.found.Again && !isOf(e.found, h.From) {
				taken[e.found.Dir] = append(taken[e.found.Dir], h.From)
			}
		}
		e.fresh = nil
	}
	return taken
}
