package registry

import "github.com/ipafuzz/ipafuzz/campaign/store"

// A queue has the findings that wait for a reduction, and how many are under way.
type queue struct {
	busy    int
	waiting []*store.Finding
}

// Busy reports whether all slots for reductions are taken.
func (r *Registry) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.busy >= r.config.Slots
}

// BeginReduction takes a slot. If all are taken, the finding waits in the queue
// and BeginReduction returns false: it belongs to whoever takes it from there.
func (r *Registry) BeginReduction(f *store.Finding) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queue.busy < r.config.Slots {
		r.queue.busy++
		return true
	}
	r.stamp(f)
	r.queue.waiting = append(r.queue.waiting, f)
	return false
}

// EndReduction gives the slot back.
func (r *Registry) EndReduction() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue.busy--
}

// NextWaiting takes the next finding from the queue, nil if there is none.
func (r *Registry) NextWaiting() *store.Finding {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue.waiting) == 0 {
		return nil
	}
	next := r.queue.waiting[0]
	r.queue.waiting = r.queue.waiting[1:]
	return next
}
