package registry

import "github.com/ipafuzz/ipafuzz/campaign/store"

// A queue holds the findings that wait for a reduction.
type queue struct {
	busy    int // reductions in progress
	waiting []*store.Finding
}

// Busy reports whether all slots for reductions are taken.
func (r *Registry) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.busy >= r.config.Slots
}

// BeginReduction takes a slot. If all are taken, it queues the finding and returns
// false: the finding then belongs to the goroutine that takes it from the queue.
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

// EndReduction releases the slot.
func (r *Registry) EndReduction() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue.busy--
}

// NextWaiting removes and returns the next finding in the queue, nil if it is empty.
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
