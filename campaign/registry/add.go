package registry

import (
	"errors"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// Add stores and announces a confirmed finding. If another goroutine has added the key
// meanwhile, it counts a hit instead; a proven finding replaces a voted one. If the finding
// cannot be stored, Add returns the error and keeps it in memory.
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
	failed := r.keep(f, early)
	f.Parts = nil // large, and no longer needed
	enough := r.publish(f)
	if r.config.Announce != nil {
		r.config.Announce(f, what == fresh)
	}
	if failed == nil && enough {
		return ErrEnough
	}
	return failed
}

// keep stores a finding. The argument early says that KeepEarly has stored it before.
func (r *Registry) keep(f *store.Finding, early bool) error {
	switch {
	case r.config.Keeper == nil:
		return nil
	case early:
		return r.config.Keeper.Replace(f)
	}
	return r.config.Keeper.Put(f)
}

// An admission is what Add does with a finding.
type admission int

const (
	fresh     admission = iota // the first finding of its key
	proven                     // it replaces a voted one
	duplicate                  // a hit: the key has a finding
	refused                    // there are Config.Most findings
)

// admit decides whether a finding is added. The result early says that KeepEarly has stored
// it.
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

// Stamp notes when a failure was first seen.
func (r *Registry) Stamp(f *store.Finding) { r.stamp(f) }

// stamp notes when a finding was made, unless that is known.
func (r *Registry) stamp(f *store.Finding) {
	if f.After == 0 && r.config.Now != nil {
		f.After, f.Elapsed = r.config.Now()
	}
}

// publish makes a finding visible, and reports whether it is the last one.
func (r *Registry) publish(f *store.Finding) (enough bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	if e.found == nil {
		r.order = append(r.order, e)
		r.hangs(f.Key, 1)
	}
	r.change(e, func() { e.found = f })
	return r.enough()
}

// Enough reports whether there are Config.Most findings.
func (r *Registry) Enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enough()
}

// Saturated reports whether there would be Config.Most findings if all failures that are
// being confirmed or reduced became findings.
func (r *Registry) Saturated() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.Most > 0 && r.found()+r.open >= r.config.Most
}

func (r *Registry) enough() bool { return r.config.Most > 0 && r.found() >= r.config.Most }

// Confirm passes a reserved finding to Config.Confirmed before its reduction begins.
func (r *Registry) Confirm(f *store.Finding) {
	if r.config.Confirmed == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	now := *f
	r.stamp(&now)
	r.config.Confirmed(&now)
}

// KeepEarly stores a finding before its reduction ends, so that it is not lost if the
// campaign is killed. It ignores errors: Add reports them. It does not store a failure that
// is reduced before it is confirmed, as small hangs are: the failure may turn out to be
// none.
func (r *Registry) KeepEarly(f *store.Finding) {
	if r.config.Keeper == nil || f.Rate.Runs == 0 {
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

// GiveUp records a confirmed failure that turned out to depend on luck as unconfirmed, and
// removes what KeepEarly stored.
func (r *Registry) GiveUp(f *store.Finding, why string) error {
	r.Unconfirmed(f.AsUnconfirmed(why))
	r.telling.Lock()
	defer r.telling.Unlock()
	r.mu.Lock()
	e := r.entry(f.Key)
	early := e.early
	e.early = false
	r.mu.Unlock()
	if !early {
		return nil
	}
	return r.config.Keeper.Drop(f)
}

// Replace stores a finding instead of one with the same key.
func (r *Registry) Replace(by *store.Finding) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	err := r.config.Keeper.Replace(by)
	r.publish(by)
	return err
}
