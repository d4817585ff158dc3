package registry

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd"
)

// A View shows a confirmed finding, reduced or being reduced, of a running campaign. It shares its traces
// with the registry, so callers must not change them.
type View struct {
	store.Finding
	Reducing bool
	// Explaining says that the reduction is done and experiments now determine the cause.
	Explaining bool
	Calls      int // of the smallest trace so far
}

// Progress records the progress of the reduction of a reserved finding.
func (r *Registry) Progress(f *store.Finding, p dd.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[f.Key]; e != nil && e.reserved != nil && e.reserved.owner == f {
		e.reserved.view.Calls, e.reserved.view.Tests = p.Size.Calls, p.Tests
	}
}

// Explaining records that a reserved finding is reduced and that its cause is being determined.
func (r *Registry) Explaining(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[f.Key]; e != nil && e.reserved != nil && e.reserved.owner == f {
		e.reserved.view.Explaining = true
	}
}

// ViewOf returns the view of a finding whose reduction begins.
func (r *Registry) ViewOf(f *store.Finding) View {
	v := View{Finding: *f, Reducing: true, Calls: len(f.Minimal.Calls)}
	v.Tests = 0
	if r.config.Now != nil {
		_, v.Elapsed = r.config.Now()
	}
	return v
}

// Watch returns the findings that are being reduced, then all others, both in order from the newest.
func (r *Registry) Watch() []View {
	r.mu.Lock()
	defer r.mu.Unlock()
	views := r.reducing()
	for _, f := range slices.Backward(r.beside) {
		views = append(views, View{Finding: *f, Calls: len(f.Minimal.Calls)})
	}
	for _, e := range slices.Backward(r.order) {
		f := e.snapshot()
		views = append(views, View{Finding: *f, Calls: len(f.Minimal.Calls)})
	}
	return views
}

// Reducing returns the findings that are being reduced, the newest first.
func (r *Registry) Reducing() []View {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reducing()
}

func (r *Registry) reducing() (views []View) {
	for _, e := range r.entries {
		if e.reserved != nil {
			views = append(views, e.reserved.view)
		}
	}
	slices.SortFunc(views, func(a, b View) int { return int(b.Elapsed - a.Elapsed) })
	return views
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
