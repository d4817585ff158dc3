// Package registry owns the findings of a campaign, with the confirmations and reductions in progress,
// attempts and hits.
//
// A Registry has one lock for its data, which it holds for a few map operations and never while it stores a
// finding or runs a callback. A second lock, taken before the first, orders findings: they are stored and
// announced one at a time.
package registry

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// The memory of a campaign must not grow with its traces. Every failure could have a new key, for example
// if its message contains an address, so the number of keys is bounded. Failures beyond the bounds are only
// counted.
const (
	mostKinds       = 1 << 14 // keys of failures
	mostFound       = 5000    // findings
	mostUnconfirmed = 1000
)

// attemptsPerKey bounds the confirmations of a key: a random failure must not take all the time of a
// campaign.
const attemptsPerKey = 8

// ErrEnough reports that the campaign has Config.Most findings.
var ErrEnough = errors.New("the campaign has reached its limit")

// A Keeper stores findings.
type Keeper interface {
	Put(*store.Finding) error     // stores a finding, unless the directory has its key
	Replace(*store.Finding) error // stores a finding in any case
	Drop(*store.Finding) error    // removes a finding
}

// Config configures a Registry. The zero value is valid.
type Config struct {
	Keeper Keeper                          // nil: findings are not stored
	Most   int                             // findings before Add returns ErrEnough; 0: no limit
	Known  map[oracle.Key][]*store.Finding // failures that these faults explain are only counted
	Now    func() (uint64, time.Duration)  // returns the number of judged traces and the age of the campaign
	// Announce is called for every stored finding, one at a time. Meanwhile, the registry holds only the
	// lock that orders findings. fresh reports that the key is new.
	Announce func(f *store.Finding, fresh bool)
	// Confirmed is called in the same way for every finding whose reduction begins. It may be nil.
	Confirmed func(f *store.Finding)
	// GivenUp is called in the same way for every one that GiveUp discards. It may be nil.
	GivenUp func(f *store.Finding, why string)
}

// A Registry is safe for concurrent use. A reserved finding belongs to the goroutine
// that reserved it; an added finding is never changed.
type Registry struct {
	config Config

	telling sync.Mutex // held while a finding is stored and announced; taken before mu

	mu          sync.Mutex
	entries     map[oracle.Key]*entry
	order       []*entry         // entries with a finding, in the order of Add
	beside      []*store.Finding // findings whose key has another finding or a known fault, in the order of AddBeside
	kinds       int              // entries with attempts or failures; at most mostKinds
	beyond      uint64           // failures beyond the bounds above
	unconfirmed []store.Unconfirmed
	knownHits   map[oracle.Key]uint64
	leakChecks  int
	open        int            // keys without a finding that are pending or reserved, except for slow ones
	ran         Frequencies    // features of all traces
	hanging     map[string]int // keys of hangs that are pending or found, by target
}

// An entry is the state of a key.
type entry struct {
	found *store.Finding // nil: none yet
	owner *store.Finding // is being reduced, and belongs to the goroutine that reserved it; nil: none is
	shown *store.Finding // a copy of the owner, with its progress
	hits  uint64         // runs that showed the failure
	slow  bool           // confirming it takes long: it met a limit
	early bool           // Confirm has stored a finding

	pending  pending
	attempts attempts // confirmations that began
	failed   int      // confirmations that failed

	beside    []*store.Finding // further findings of the key, with other causes
	examining bool             // a failure with the key is being examined
	held      []Held           // failures that occurred while the key was busy
	examined  int              // failures that were examined and showed nothing new
	failures  Frequencies      // features of the failures, as far as Examine was called for them
	inVain    int              // samples that were reduced and showed nothing new
	// Features of one examined trace at least, and of two.
	examinedOnce, examinedTwice feature.Set

	fresh []Hit // hits that have not been written
	noted int   // number of hits that are or will be written
}

// pending says which kinds of failures of a key are being confirmed.
type pending struct {
	voted, proven bool
	leak          bool // a leak check, of which most find nothing
}

func (p *pending) set(proven, on bool) {
	if proven {
		p.proven = on
	} else {
		p.voted = on
	}
}

// attempts counts confirmations: of first findings, and of proven ones that would replace a voted one.
type attempts struct{ plain, proven int }

// New returns an empty registry.
func New(config Config) *Registry {
	return &Registry{config: config, entries: make(map[oracle.Key]*entry), knownHits: make(map[oracle.Key]uint64),
		hanging: make(map[string]int)}
}

func (r *Registry) entry(key oracle.Key) *entry {
	e := r.entries[key]
	if e == nil {
		e = &entry{slow: key.Class == oracle.TooSlow || key.Class == oracle.TooMuchMemory}
		r.entries[key] = e
	}
	return e
}

// isKnown reports whether the key has a known fault. If it has, isKnown counts the hit.
func (r *Registry) isKnown(key oracle.Key) bool {
	if len(r.config.Known[key]) == 0 {
		return false
	}
	r.knownHits[key]++
	return true
}

// hasCapacity reports whether the registry can keep the entry. If it cannot, it counts the failure.
func (r *Registry) hasCapacity(e *entry) bool {
	known := e != nil && (e.attempts != attempts{} || e.failed > 0)
	if known || r.kinds < mostKinds && r.found() < mostFound {
		return true
	}
	r.beyond++
	return false
}

// countKind counts an entry before its first attempt or failure.
func (r *Registry) countKind(e *entry) {
	if e.attempts == (attempts{}) && e.failed == 0 {
		r.kinds++
	}
}

// Wants reports whether to confirm a failure with the key. If so, the key is pending until Settled, and
// other failures with the key count as hits; otherwise, Wants counts a hit. A proven failure is wanted even
// if there is a voted one.
func (r *Registry) Wants(key oracle.Key, proven bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(key) {
		return false
	}
	e := r.entries[key]
	voted, there := e.state()
	if there {
		e.hits++
		if !voted || !proven {
			return false
		}
	}
	if !there && r.config.Most > 0 && r.found()+r.open >= r.config.Most || !r.hasCapacity(e) {
		return false // enough failures may become findings already
	}
	e = r.entry(key)
	r.countKind(e)
	n := &e.attempts.plain
	if there {
		n = &e.attempts.proven
	}
	if *n == attemptsPerKey {
		return false
	}
	*n++
	r.change(e, func() { e.pending.set(proven, true) })
	r.hangs(key, 1)
	return true
}

// Withdraw undoes Wants if there is no capacity for the confirmation.
func (r *Registry) Withdraw(key oracle.Key, proven bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(key)
	if _, there := e.state(); there && proven && e.attempts.proven > 0 {
		e.attempts.proven--
	} else {
		e.attempts.plain--
	}
	r.change(e, func() { e.pending.set(proven, false) })
	e.forget()
	r.hangs(key, -1)
}

// WantsLeakCheck is Wants for a trace that left the heap larger. Most such traces do not leak, so it bounds
// the number of checks.
func (r *Registry) WantsLeakCheck(key oracle.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isKnown(key) {
		return false
	}
	e := r.entry(key)
	if _, there := e.state(); there {
		e.hits++
		return false
	}
	if r.leakChecks == maxLeakChecks {
		return false
	}
	r.leakChecks++
	e.pending.leak = true
	return true
}

// maxLeakChecks bounds the leak checks of a campaign. Each takes many runs.
const maxLeakChecks = 64

// Settled ends what Wants began. By then the failure is a finding, unconfirmed, or given up.
func (r *Registry) Settled(key oracle.Key, proven bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(key)
	r.change(e, func() { e.pending.set(proven, false) })
	e.pending.leak = false
	e.forget()
	r.hangs(key, -1)
	if _, there := e.state(); !there && e.attempts == (attempts{}) && e.failed == 0 {
		delete(r.entries, key) // there was only a leak check, which found nothing
	}
}

// change changes an entry and updates the number of open entries.
func (r *Registry) change(e *entry, do func()) {
	if e.isOpen() {
		r.open--
	}
	do()
	if e.isOpen() {
		r.open++
	}
}

func (e *entry) isOpen() bool {
	return e.found == nil && !e.slow && (e.owner != nil || e.pending.voted || e.pending.proven)
}

// Hangs reports whether the target hangs in some trace or may do so.
func (r *Registry) Hangs(target string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hanging[target] > 0
}

func (r *Registry) hangs(key oracle.Key, more int) {
	if key.Class == oracle.TooSlow {
		r.hanging[key.Target] += more
	}
}

// state reports whether the key has a finding, or a failure that is being confirmed or reduced, and whether
// only a vote supports it.
func (e *entry) state() (voted, there bool) {
	switch {
	case e == nil:
		return false, false
	case e.found != nil:
		voted, there = e.found.Voted, true
	case e.owner != nil:
		voted, there = e.shown.Voted, true
	case e.pending.voted:
		voted, there = true, true
	}
	if e.pending.proven || e.pending.leak {
		return false, true
	}
	return voted, there
}

// forget drops the hits of a key that has no finding.
func (e *entry) forget() {
	if _, there := e.state(); !there {
		e.hits, e.fresh, e.noted = 0, nil, 0
	}
}

// Unconfirmed records a failure that could not be reproduced. It keeps one of each key, rather a failure than a trace
// that may be hard.
func (r *Registry) Unconfirmed(u store.Unconfirmed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[u.Key]; !u.CutShort && r.hasCapacity(e) {
		e = r.entry(u.Key)
		r.countKind(e)
		e.failed++
	}
	at := slices.IndexFunc(r.unconfirmed, func(o store.Unconfirmed) bool { return o.Key == u.Key })
	switch {
	case at >= 0 && r.unconfirmed[at].Hard && !u.Hard:
		r.unconfirmed[at] = u
	case at < 0 && len(r.unconfirmed) < mostUnconfirmed:
		r.unconfirmed = append(r.unconfirmed, u)
	}
}

// isUnconfirmed reports whether the key of the failure has no finding.
func (r *Registry) isUnconfirmed(u *store.Unconfirmed) bool {
	e := r.entries[u.Key]
	return e == nil || e.found == nil
}
