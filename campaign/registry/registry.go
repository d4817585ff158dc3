// Package registry owns what a campaign has found: findings, confirmations and
// reductions in progress, attempts and hits.
//
// A Registry has one lock, which is held for a few map operations and never while
// something is stored or a callback runs. A second lock, taken first, keeps
// findings in order: one at a time is stored and announced.
package registry

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// What a campaign keeps in memory does not grow with its traces. It may grow with
// the different failures that they show, of which a target may have ever more: an
// address in a message is enough. So these are bounded, and what is beyond is
// counted.
const (
	mostKinds       = 1 << 14 // of failures of which something is kept
	mostFound       = 5000    // findings
	mostUnconfirmed = 1000
)

// attemptsPerKey bounds how often a key is confirmed: a failure that depends on
// chance must not eat the campaign.
const attemptsPerKey = 8

// ErrEnough reports that the campaign has as many findings as were asked for.
var ErrEnough = errors.New("the campaign has reached its limit")

// A Keeper stores findings.
type Keeper interface {
	Put(*store.Finding) error     // unless the directory has its key from an earlier run
	Replace(*store.Finding) error // in any case
	Drop(*store.Finding) error
}

// Config says how findings are kept. Everything may be nil or 0.
type Config struct {
	Keeper Keeper                           // nil: findings are not stored
	Most   int                              // findings, then ErrEnough; 0: no limit
	Known  map[oracle.Key]*store.KnownFault // counted, and nothing else
	Now    func() (uint64, time.Duration)   // traces judged, and the age of the campaign
	Slots  int                              // reductions at the same time; 0: 1
	// Announce is called for every stored finding, one at a time, with no lock of
	// the registry's but the one that keeps them in order. fresh: its key is new.
	Announce func(f *store.Finding, fresh bool)
}

// A Registry may be used by many goroutines. A finding that is reserved belongs to
// the goroutine that reserved it; one that was added is never changed.
type Registry struct {
	config Config

	telling sync.Mutex // held while a finding is stored and announced; before mu

	mu          sync.Mutex
	entries     map[oracle.Key]*entry
	order       []*entry // those with a finding, in the order in which they were found
	kinds       int      // entries with attempts
	beyond      uint64   // failures of kinds that there was no capacity for
	unconfirmed []store.Unconfirmed
	knownHits   map[oracle.Key]uint64
	hangs       hangBudget
	leakChecks  int
	queue       queue
}

// An entry is all that is known of a key.
type entry struct {
	found    *store.Finding // nil: there is no finding yet
	reserved *reservation   // nil: none is being confirmed or reduced
	hits     uint64         // runs that showed it
	early    bool           // stored as it was confirmed, before its reduction ended

	attempts tried // confirmations that were begun
	failed   int   // and came to nothing
	hang     *hangState

	fresh []Hit // not written yet
	noted int   // hits that are or will be written
}

// tried counts confirmations: in all, and of proven findings where a voted one is
// known.
type tried struct{ plain, proven int }

// A reservation is a finding that a goroutine is reducing.
type reservation struct {
	owner *store.Finding
	voted bool
	view  View
}

// New returns an empty registry.
func New(config Config) *Registry {
	config.Slots = max(1, config.Slots)
	return &Registry{config: config, entries: make(map[oracle.Key]*entry), knownHits: make(map[oracle.Key]uint64)}
}

func (r *Registry) entry(key oracle.Key) *entry {
	e := r.entries[key]
	if e == nil {
		e = new(entry)
		r.entries[key] = e
	}
	return e
}

// isKnown counts a failure of an earlier run.
func (r *Registry) isKnown(key oracle.Key) bool {
	if r.config.Known[key] == nil {
		return false
	}
	r.knownHits[key]++
	return true
}

// hasCapacity reports whether something about the key may be kept.
func (r *Registry) hasCapacity(e *entry) bool {
	known := e != nil && (e.attempts != tried{} || e.failed > 0)
	if known || r.kinds < mostKinds && len(r.order) < mostFound {
		return true
	}
	r.beyond++
	return false
}

// countKind counts an entry whose attempts or failures begin to be counted.
func (r *Registry) countKind(e *entry) {
	if e.attempts == (tried{}) && e.failed == 0 {
		r.kinds++
	}
}

// Wants reports whether a finding with the key is worth a confirmation; it counts
// a hit if the key is known. A proven finding takes the place of a voted one.
func (r *Registry) Wants(key oracle.Key, proven bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(key) {
		return false
	}
	e := r.entries[key]
	replaces := false
	if e != nil && (e.found != nil || e.reserved != nil) {
		e.hits++
		voted := e.found == nil && e.reserved.voted || e.found != nil && e.found.Voted
		if !voted || !proven {
			return false
		}
		replaces = true
	}
	if !r.hasCapacity(e) {
		return false
	}
	e = r.entry(key)
	r.countKind(e)
	n := &e.attempts.plain
	if replaces {
		n = &e.attempts.proven
	}
	*n++
	return *n <= attemptsPerKey
}

// Unconfirmed notes a failure that could not be reproduced, or not in time.
func (r *Registry) Unconfirmed(u store.Unconfirmed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[u.Key]; !u.CutShort && r.hasCapacity(e) {
		e = r.entry(u.Key)
		r.countKind(e)
		e.failed++
	}
	if slices.ContainsFunc(r.unconfirmed, func(o store.Unconfirmed) bool { return o.Key == u.Key }) {
		return
	}
	if len(r.unconfirmed) < mostUnconfirmed {
		r.unconfirmed = append(r.unconfirmed, u)
	}
}

// Reserve makes the key of a finding known while the caller reduces it. It returns
// false, and counts a hit, if another goroutine does that already.
func (r *Registry) Reserve(f *store.Finding, view View) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	if there := e.reserved; there != nil && there.owner != f && (!there.voted || f.Voted) {
		e.hits++
		return false
	}
	e.reserved = &reservation{owner: f, voted: f.Voted, view: view}
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
	if e.reserved = nil; e.found == nil {
		e.hits = 0
	}
}

// Add stores and announces a confirmed finding, unless its key has been found
// meanwhile: then it is a hit. A proven finding replaces a voted one. What cannot
// be stored is a finding all the same; the error says why it is not stored.
func (r *Registry) Add(f *store.Finding) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	what, early := r.admit(f)
	switch {
	case what == duplicate:
		return nil
	case what == refused && early:
		return errors.Join(ErrEnough, r.config.Keeper.Drop(f))
	case what == refused:
		return ErrEnough
	}
	unkept := r.keep(f, early)
	f.Parts = nil // large, and of no more use
	enough := r.publish(f)
	if r.config.Announce != nil {
		r.config.Announce(f, what == fresh)
	}
	if unkept == nil && enough {
		return ErrEnough
	}
	return unkept
}

func (r *Registry) keep(f *store.Finding, early bool) error {
	switch {
	case r.config.Keeper == nil:
		return nil
	case early:
		return r.config.Keeper.Replace(f)
	}
	return r.config.Keeper.Put(f)
}

type admission int

const (
	fresh     admission = iota // the first finding of its key
	proven                     // it replaces a voted one
	duplicate                  // another goroutine was faster
	refused                    // there are as many findings as were asked for
)

// admit decides whether a finding is added. early: it is stored already, as it
// was confirmed.
func (r *Registry) admit(f *store.Finding) (what admission, early bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	switch {
	case e.found != nil && (!e.found.Voted || f.Voted):
		e.hits++
		return duplicate, false
	case e.found != nil:
		what = proven
	case r.enough():
		return refused, e.early
	default:
		e.hits++ // others were counted during the reduction
	}
	r.stamp(f)
	f.Hits = e.hits
	return what, e.early
}

func (r *Registry) stamp(f *store.Finding) {
	if f.After == 0 && r.config.Now != nil {
		f.After, f.Elapsed = r.config.Now()
	}
}

func (r *Registry) publish(f *store.Finding) (enough bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	if e.found == nil {
		r.order = append(r.order, e)
	}
	e.found = f
	return r.enough()
}

// Enough reports whether there are as many findings as were asked for.
func (r *Registry) Enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enough()
}

func (r *Registry) enough() bool { return r.config.Most > 0 && len(r.order) >= r.config.Most }

// KeepEarly stores a finding as it was confirmed, before its reduction ends: what
// is confirmed must not be lost if the run is killed. Add reports that a finding
// cannot be stored; KeepEarly does not.
func (r *Registry) KeepEarly(f *store.Finding) {
	if r.config.Keeper == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	now := *f
	r.mu.Lock()
	e := r.entry(f.Key)
	done := e.found != nil || e.early
	now.Hits = e.hits + 1
	r.stamp(&now)
	r.mu.Unlock()
	if done {
		return
	}
	now.NotMinimal = store.BeingReduced
	kept := r.config.Keeper.Put(&now) == nil && !now.Again
	r.mu.Lock()
	defer r.mu.Unlock()
	e.early = kept
}

// Replace stores a finding in the place of one with the same key.
func (r *Registry) Replace(by *store.Finding) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	err := r.config.Keeper.Replace(by)
	r.publish(by)
	return err
}
