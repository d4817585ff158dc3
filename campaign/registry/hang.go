package registry

import (
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Budgets of a campaign for hangs.
const (
	hangAttempts = 2                // confirmations for a key
	confirmHangs = 30 * time.Minute // all confirmations
	reduceHangs  = 15 * time.Minute // all reductions
)

// hangState is the state of the hangs of one key.
type hangState struct {
	attempts     int
	confirming   bool
	needsCompany bool // alone, the trace finished at once, so it may need the traces before it
}

// hangBudget is the time spent on hangs.
type hangBudget struct{ confirming, reducing time.Duration }

// WantsHang is Wants for hangs. A key is not wanted while one of its hangs is being
// confirmed.
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
	if e.hang.confirming || e.hang.attempts >= hangAttempts {
		return false
	}
	e.hang.attempts++
	return true
}

// NeedsCompany reports whether a trace with a hang of the key finished at once when it
// ran alone.
func (r *Registry) NeedsCompany(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[key]
	return e != nil && e.hang != nil && e.hang.needsCompany
}

// BeginHang notes that a hang is being confirmed, and when it was observed.
func (r *Registry) BeginHang(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	if e.hang == nil {
		e.hang = new(hangState)
	}
	e.hang.confirming = true
	r.stamp(f)
}

// ConfirmedHang notes whether the trace finished at once when it ran alone.
func (r *Registry) ConfirmedHang(key oracle.Key, quick bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[key].hang.needsCompany = quick
}

// EndHang ends what BeginHang began, once the finding is stored or given up.
func (r *Registry) EndHang(key oracle.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[key].hang.confirming = false
}

// Hanging reports whether a hang is being confirmed, or one of the targets is
// known to hang.
func (r *Registry) Hanging(targets []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.hang != nil && e.hang.confirming {
			return true
		}
	}
	return slices.ContainsFunc(r.order, func(e *entry) bool {
		return e.found.Class == oracle.TooSlow && slices.Contains(targets, e.found.Target)
	})
}

// SpendOnHangs takes time from the budget for confirming hangs. It returns why it
// cannot, "" if it can.
func (r *Registry) SpendOnHangs(most time.Duration) (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hangs.confirming+most > confirmHangs {
		return fmt.Sprintf("the time for confirming hangs, %v in a run, is used up", confirmHangs)
	}
	r.hangs.confirming += most
	return ""
}

// LeftForReducingHangs returns the remaining budget for reducing hangs, or why there
// is none.
func (r *Registry) LeftForReducingHangs() (left time.Duration, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left = reduceHangs - r.hangs.reducing; left <= 0 {
		why = fmt.Sprintf("the time for reducing hangs, %v in a run, is used up", reduceHangs)
	}
	return left, why
}

// ReducedHang takes the time of a reduction from the budget.
func (r *Registry) ReducedHang(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hangs.reducing += took
}

// maxLeakChecks bounds the checks of a library that seems to leak because it fills
// caches slowly.
const maxLeakChecks = 64

// WantsLeakCheck reports whether a suspected leak is worth a check.
func (r *Registry) WantsLeakCheck(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(key) {
		return false
	}
	if e := r.entries[key]; e != nil && e.found != nil {
		e.hits++
		return false
	}
	r.leakChecks++
	return r.leakChecks <= maxLeakChecks
}
