package registry

import (
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A key is only a symptom, so a failure with the key of a finding may have another fault. Such a fault
// shows in traces without what the causes of the findings name or, if a finding needs nothing special,
// without its minimal trace. The registry also samples other traces: if one still fails without the known
// causes, it shows another fault.

const (
	// mostBeside bounds the further findings of a key.
	mostBeside = 4
	// mostExamined is how many failures of a key may be reduced without the known causes and show nothing
	// new. Later ones are sampled.
	mostExamined = 8
	// mostInVain is how many samples of a key may be reduced and show nothing new. Later ones are chosen by
	// their number only, whatever they have.
	mostInVain = 3
	// mostHeld bounds the failures that wait for the first finding of their key.
	mostHeld = 256
)

// An Examination tells what is known about the faults of a key.
type Examination struct {
	Known []*cause.Failure // each may explain the failure; none explains every trace

	isTurn      bool        // a trace with this number of hits is a sample, whatever it has
	sampleOnly  bool        // others showed nothing new, so only samples are examined
	conspicuous feature.Set // a trace with any of these is a sample
}

// Wants reports whether to examine a failure. explained reports that a known cause explains it.
func (x *Examination) Wants(features feature.Set, explained bool) bool {
	isSample := x.isTurn || features&x.conspicuous != 0
	return isSample || !explained && !x.sampleOnly
}

// A Held failure has the features that its generator has put in.
type Held struct {
	From     source.Origin
	Features feature.Set
}

// Examine returns what is known about a key. Callers call it for a failure that Wants did not want. The
// location is the place of the crash, if there is one and it is known. Examine returns nil if examining the
// failure would tell nothing. While the first failure of the key is confirmed and reduced, or another one
// examined, it keeps the failure for Held.
func (r *Registry) Examine(key oracle.Key, location string, of Held) *Examination {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[key]
	if e != nil {
		e.failures.Add(of.Features)
	}
	if e != nil && (e.examining || e.found == nil && len(r.config.Known[key]) == 0) {
		if _, there := e.state(); (there || e.examining) && len(e.held) < mostHeld {
			e.held = append(e.held, of)
		}
		return nil
	}
	return r.examination(key, location, e)
}

// Held removes and returns the failures that Examine has kept.
func (r *Registry) Held(key oracle.Key) (held []Held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[key]; e != nil {
		held, e.held = e.held, nil
	}
	return held
}

// Known returns what is known about a key, to examine failures that Held returned; nil if examining them would tell
// nothing.
func (r *Registry) Known(key oracle.Key) *Examination {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.examination(key, "", r.entries[key])
	if x != nil {
		x.isTurn = false // they are older hits
	}
	return x
}

func (r *Registry) examination(key oracle.Key, location string, e *entry) *Examination {
	known := r.config.Known[key]
	if (e == nil || e.found == nil) && len(known) == 0 || e != nil && len(e.beside) >= mostBeside || r.enough() ||
		r.found() >= mostFound {
		return nil
	}
	x := &Examination{}
	hits := r.knownHits[key]
	for _, k := range known {
		x.Known = append(x.Known, k.Failure())
	}
	if e != nil {
		hits = max(hits, e.hits)
		for _, f := range e.all() {
			x.Known = append(x.Known, f.Failure())
		}
	}
	x.Known = cause.At(x.Known, location)
	if slices.ContainsFunc(x.Known, (*cause.Failure).ExplainsAll) {
		return nil
	}
	x.isTurn = isTurn(hits)
	if e != nil {
		x.sampleOnly = e.examined >= mostExamined
		if e.inVain < mostInVain {
			x.conspicuous = (e.failures.conspicuous(&r.ran) | r.ran.rare()) &^ e.examinedTwice
		}
	}
	return x
}

// isTurn reports whether the failure with that number of hits is a sample: the 1st, 2nd, 3rd, 4th, 6th, 8th, 12th, 16th
// and so on.
func isTurn(hits uint64) bool { return hits>>bits.TrailingZeros64(hits) <= 3 }

// all returns the findings of a key.
func (e *entry) all() []*store.Finding {
	if e.found == nil {
		return e.beside
	}
	return append([]*store.Finding{e.found}, e.beside...)
}

// CanExamine reports whether to look for other faults behind the key of this failure. Reducing one that meets a limit
// takes too long for that.
func CanExamine(f *oracle.Finding) bool { return !(f.Voted || f.IsTimeLimit() || f.IsMemoryLimit()) }

// Examining records that a failure with the key is being examined, whose trace has these features. It returns
// false if another one is.
func (r *Registry) Examining(key oracle.Key, features feature.Set) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(key)
	if e.examining {
		return false
	}
	e.examining = true
	e.examinedTwice |= e.examinedOnce & features
	e.examinedOnce |= features
	return true
}

// A Verdict says what examining a failure has shown.
type Verdict int

// The verdicts.
const (
	Passed       Verdict = iota // without the known causes, the trace does not fail
	NothingNew                  // reduced, it has a known fault, or it is unknown whether it has another
	AnotherFault                // it has another fault, which is a finding now
)

// Examined undoes Examining. explained reports that a known cause explains the failure.
func (r *Registry) Examined(key oracle.Key, explained bool, v Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(key)
	e.examining = false
	switch {
	case v == AnotherFault:
	case !explained:
		e.examined++
	case v == NothingNew:
		e.inVain++
	}
}

// Explains reports whether a reduced finding may have the fault of another finding or a known fault with
// the same key.
func (r *Registry) Explains(f *store.Finding) bool {
	r.mu.Lock()
	var others []*cause.Failure
	if e := r.entries[f.Key]; e != nil {
		for _, of := range e.all() {
			others = append(others, of.Failure())
		}
	}
	r.mu.Unlock()
	now := f.Failure()
	anywhere := *now // the build of a known fault has other places
	anywhere.Location = ""
	return slices.ContainsFunc(others, func(of *cause.Failure) bool { return now.MayBe(of) }) ||
		slices.ContainsFunc(r.config.Known[f.Key], func(k *store.Finding) bool { return anywhere.MayBe(k.Failure()) })
}

// AddBeside stores and announces a finding whose key has another finding or a known fault.
func (r *Registry) AddBeside(f *store.Finding) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	f.Variety, f.Hits = f.Failure().Variety(), 1
	r.mu.Lock()
	e := r.entry(f.Key)
	if r.enough() || slices.ContainsFunc(e.beside, func(of *store.Finding) bool { return of.Variety == f.Variety }) {
		r.mu.Unlock()
		return nil
	}
	r.stamp(f)
	r.mu.Unlock()
	failed := r.keep(f, false)
	f.Parts = nil
	r.RestoreBeside(f)
	if r.config.Announce != nil {
		r.config.Announce(f, true)
	}
	if failed == nil && r.Enough() {
		return ErrEnough
	}
	return failed
}

// RestoreBeside is Restore for findings that AddBeside added.
func (r *Registry) RestoreBeside(f *store.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	f.Status, f.Size = store.Finished, len(f.Minimal.Calls)
	e.beside = append(e.beside, f)
	r.beside = append(r.beside, f)
}
