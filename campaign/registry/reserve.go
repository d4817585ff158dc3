package registry

import "github.com/ipafuzz/ipafuzz/campaign/store"

// Reserve reserves the key of a finding for the caller, who reduces it. It returns false and counts a hit
// if another goroutine has reserved the key or if the key has a known fault. Wants did not rule that out,
// because a confirmation may change the key.
func (r *Registry) Reserve(f *store.Finding) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(f.Key) {
		return false
	}
	e := r.entry(f.Key)
	if e.owner != nil && e.owner != f && (!e.shown.Voted || f.Voted) {
		e.hits++
		return false
	}
	shown := *f
	shown.Status, shown.Size, shown.Tests = store.Confirmed, len(f.Minimal.Calls), 0
	if r.config.Now != nil {
		_, shown.Elapsed = r.config.Now()
	}
	r.change(e, func() { e.owner, e.shown = f, &shown })
	return true
}

// Release ends a reservation.
func (r *Registry) Release(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[f.Key]
	if e == nil || e.owner != f {
		return
	}
	r.change(e, func() { e.owner, e.shown = nil, nil })
	e.forget()
}
