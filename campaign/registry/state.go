package registry

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Save copies into the state what a resumed campaign needs.
func (r *Registry) Save(s *store.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Hits, s.Beside, s.Attempts = make(map[oracle.Key]uint64), make(map[oracle.Key][]uint64), make(map[oracle.Key]int)
	for key, e := range r.entries {
		if e.found != nil {
			s.Hits[key] = e.hits
		}
		for _, f := range e.beside {
			s.Beside[key] = append(s.Beside[key], f.Hits)
		}
		if e.failed > 0 {
			s.Attempts[key] = e.failed
		}
	}
	s.Beyond, s.LeakChecks = r.beyond, r.leakChecks
	s.Unconfirmed = slices.Clone(r.unconfirmed)
	for i := range s.Unconfirmed {
		s.Unconfirmed[i].Certificate = nil
	}
	s.Known = r.knownNow()
}

// Load restores a saved state, except for findings.
func (r *Registry) Load(s *store.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, n := range s.Attempts {
		e := r.entry(key)
		r.countKind(e)
		e.failed, e.attempts.plain = n, n
	}
	r.beyond, r.leakChecks = s.Beyond, s.LeakChecks
	for _, u := range s.Unconfirmed {
		if !u.CutShort { // otherwise the resumed campaign tries it again
			r.unconfirmed = append(r.unconfirmed, u)
		}
	}
	for key, hits := range s.Known {
		if len(r.config.Known[key]) > 0 {
			r.knownHits[key] += hits
		}
	}
}

// Restore adds a finding that an earlier part of the campaign made, with its hits.
func (r *Registry) Restore(f *store.Finding) {
	r.mu.Lock()
	e := r.entry(f.Key)
	e.hits = f.Hits
	r.mu.Unlock()
	r.publish(f)
}

// RestoreEarly records that the finding was stored before its reduction ended.
func (r *Registry) RestoreEarly(key oracle.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry(key).early = true
}

// Has reports whether there is a finding with the key.
func (r *Registry) Has(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[key]
	return e != nil && e.found != nil
}

// Decides reports whether a failure with the key is being confirmed or reduced, and there is no finding yet.
func (r *Registry) Decides(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[key]
	return e != nil && e.found == nil && (e.owner != nil || e.pending != pending{})
}

// An Outcome is the result of a campaign.
type Outcome struct {
	Found       []*store.Finding
	Unconfirmed []store.Unconfirmed   // except for keys that were confirmed later
	Beyond      uint64                // failures beyond the bounds of memory
	Known       map[oracle.Key]uint64 // hits of known faults
}

// Outcome returns the result so far.
func (r *Registry) Outcome() Outcome {
	o := Outcome{Found: r.Found()}
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Beyond, o.Known = r.beyond, r.knownNow()
	for i := range r.unconfirmed {
		if u := &r.unconfirmed[i]; r.isUnconfirmed(u) {
			o.Unconfirmed = append(o.Unconfirmed, *u)
		}
	}
	return o
}

func (r *Registry) knownNow() map[oracle.Key]uint64 {
	hits := make(map[oracle.Key]uint64)
	for key, n := range r.knownHits {
		if n > 0 {
			hits[key] = n
		}
	}
	return hits
}
