package registry

import (
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

const (
	hangAttempts = 2                // confirmations for a key
	confirmHangs = 30 * time.Minute // of all confirmations in a run
	reduceHangs  = 15 * time.Minute // of all reductions of hangs in a run
)

// hangState is what has been done about the hangs of one key.
type hangState struct {
	attempts int
	busy     bool // one is being confirmed
	company  bool // alone, the trace finished at once, so it may need the traces before it
}

// hangBudget is the time spent on hangs.
type hangBudget struct{ confirming, reducing time.Duration }

// WantsHang is Wants for hangs. While one of a key is being confirmed, others are
// only counted: they say nothing new.
func (r *Registry) WantsHang(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(key) {
		return false
	}
	e := r.entry(key)
	if e.found != nil {
		e.hits++
		return false
	}
	if e.hang == nil {
		e.hang = new(hangState)
	}
	if e.hang.busy || e.hang.attempts >= hangAttempts {
		return false
	}
	e.hang.attempts++
	return true
}

// NeedsCompany reports whether a hang of the key was seen that the trace alone
// does not show.
func (r *Registry) NeedsCompany(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[key]
	return e != nil && e.hang != nil && e.hang.company
}

// BeginHang notes that a hang is being confirmed, and when it was met.
func (r *Registry) BeginHang(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	if e.hang == nil {
		e.hang = new(hangState)
	}
	e.hang.busy = true
	r.stamp(f)
}

// ConfirmedHang notes whether the trace finished at once when it ran alone.
func (r *Registry) ConfirmedHang(key oracle.Key, quick bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[key].hang.company = quick
}

// EndHang ends what BeginHang began, once the finding is stored or given up.
func (r *Registry) EndHang(key oracle.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[key].hang.busy = false
}

// Hanging reports whether a hang is being confirmed, or one of the targets is
// known to hang.
func (r *Registry) Hanging(targets []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.hang != nil && e.hang.busy {
			return true
		}
	}
	return slices.ContainsFunc(r.order, func(e *entry) bool {
		return e.found.Class == oracle.TooSlow && slices.Contains(targets, e.found.Target)
	})
}

// SpendOnHangs takes time for confirming hangs, or returns why there is not so
// much left.
func (r *Registry) SpendOnHangs(most time.Duration) (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hangs.confirming+most > confirmHangs {
		return fmt.Sprintf("the time for confirming hangs, %v in a run, is used up", confirmHangs)
	}
	r.hangs.confirming += most
	return ""
}

// LeftForReducingHangs returns the time that is left, or why there is none.
func (r *Registry) LeftForReducingHangs() (left time.Duration, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left = reduceHangs - r.hangs.reducing; left <= 0 {
		why = fmt.Sprintf("the time for making hangs small, %v in a run, is used up", reduceHangs)
	}
	return left, why
}

// ReducedHang takes time that a reduction took.
func (r *Registry) ReducedHang(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hangs.reducing += took
}

// leakChecksMost bounds the checks for a library that fills caches slowly.
const leakChecksMost = 64

// WantsLeakCheck reports whether a suspected leak is worth a check.
func (r *Registry) WantsLeakCheck(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[key]; e != nil && e.found != nil {
		e.hits++
		return false
	}
	r.leakChecks++
	return r.leakChecks <= leakChecksMost
}
