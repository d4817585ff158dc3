package registry

import "github.com/ipafuzz/ipafuzz/campaign/store"

// A reservation is a finding that a goroutine is reducing.
type reservation struct {
	owner *store.Finding
	voted bool
	view  View
}

// Reserve reserves the key of a finding for the caller, who reduces it. It returns false and counts a hit
// if another goroutine has reserved the key or if the key has a known fault. Wants did not rule that out,
// because a confirmation may change the key.
func (r *Registry) Reserve(f *store.Finding, view View) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(f.Key) {
		return false
	}
	e := r.entry(f.Key)
	if there := e.reserved; there != nil && there.owner != f && (!there.voted || f.Voted) {
		e.hits++
		return false
	}
	r.change(e, func() { e.reserved = &reservation{owner: f, voted: f.Voted, view: view} })
	return true
}

// Release ends a reservation.
func (r *Registry) Release(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[f.Key]
	if e == nil || e.reserved == nil || e.reserved.owner != f {
		return
	}
	r.change(e, func() { e.reserved = nil })
	e.forget()
}
