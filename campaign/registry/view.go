package registry

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd"
)

// Progress records the progress of the reduction of a reserved finding.
func (r *Registry) Progress(f *store.Finding, p dd.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[f.Key]; e != nil && e.owner == f {
		e.shown.Size, e.shown.Tests = p.Size.Calls, p.Tests
	}
}

// Reduced records that a reserved finding is reduced and that its cause is being determined.
func (r *Registry) Reduced(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[f.Key]; e != nil && e.owner == f {
		e.shown.Status = store.Reduced
	}
}

// Watch returns the findings that are being reduced, then all others, both in order from the newest. They share their
// traces with the registry, so callers must not change them.
func (r *Registry) Watch() []*store.Finding {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.reducing()
	for _, f := range slices.Backward(r.beside) {
		now := *f
		seen = append(seen, &now)
	}
	for _, e := range slices.Backward(r.order) {
		seen = append(seen, e.snapshot())
	}
	return seen
}

// Reducing returns the findings that are being reduced, the newest first.
func (r *Registry) Reducing() []*store.Finding {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reducing()
}

func (r *Registry) reducing() (all []*store.Finding) {
	for _, e := range r.entries {
		if e.owner != nil {
			shown := *e.shown
			all = append(all, &shown)
		}
	}
	slices.SortFunc(all, func(a, b *store.Finding) int { return int(b.Elapsed - a.Elapsed) })
	return all
}

// snapshot returns a copy of the finding with its hits.
func (e *entry) snapshot() *store.Finding {
	f := *e.found
	f.Hits = e.hits
	return &f
}

// found returns the number of findings.
func (r *Registry) found() int { return len(r.order) + len(r.beside) }

// Found returns copies of the findings in the order of Add. Those of AddBeside come last.
func (r *Registry) Found() []*store.Finding {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*store.Finding
	for _, e := range r.order {
		all = append(all, e.snapshot())
	}
	for _, f := range r.beside {
		now := *f
		all = append(all, &now)
	}
	return all
}

// Counts returns the numbers of findings and of unconfirmed failures. Traces that may be hard are no failures.
func (r *Registry) Counts() (found, unconfirmed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.unconfirmed {
		if u := &r.unconfirmed[i]; !u.Hard && r.isUnconfirmed(u) {
			unconfirmed++
		}
	}
	return r.found(), unconfirmed
}

// Leads reports whether the finding is the first one of its key in this campaign.
func (r *Registry) Leads(f *store.Finding) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[f.Key]
	return e != nil && e.found == f
}
