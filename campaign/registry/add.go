package registry

import (
	"errors"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// Add stores and announces a confirmed finding. If another goroutine has added the key meanwhile, Add
// counts a hit instead, but a proven finding replaces a voted one. If the finding cannot be stored, Add
// returns the error and keeps the finding in memory.
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
	f.Parts = nil // they are large and no longer needed
	enough := r.publish(f)
	if r.config.Announce != nil {
		r.config.Announce(f, what == fresh)
	}
	if failed == nil && enough {
		return ErrEnough
	}
	return failed
}

// keep stores a finding. early reports whether Confirm has stored it before.
func (r *Registry) keep(f *store.Finding, early bool) error {
	switch {
	case r.config.Keeper == nil:
		return nil
	case early:
		return r.config.Keeper.Replace(f)
	}
	return r.config.Keeper.Put(f)
}

// An admission says what Add does with a finding.
type admission int

const (
	fresh     admission = iota // adds the first finding of its key
	proven                     // replaces a voted finding
	duplicate                  // counts a hit: the key has a finding
	refused                    // drops it: there are Config.Most findings
)

// admit decides whether to add a finding. early reports whether Confirm has stored it.
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
		e.hits++ // the other hits were counted during the reduction
	}
	r.stamp(f)
	f.Hits = e.hits
	return what, e.early
}

// Stamp records when a failure was first seen.
func (r *Registry) Stamp(f *store.Finding) { r.stamp(f) }

// stamp records when a finding was made, unless that is recorded already.
func (r *Registry) stamp(f *store.Finding) {
	if f.After == 0 && r.config.Now != nil {
		f.After, f.Elapsed = r.config.Now()
	}
}

// publish makes a finding visible and reports whether there are Config.Most findings now.
func (r *Registry) publish(f *store.Finding) (enough bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry(f.Key)
	if e.found == nil {
		r.order = append(r.order, e)
		r.hangs(f.Key, 1)
	}
	f.Status, f.Size = store.Finished, len(f.Minimal.Calls)
	r.change(e, func() { e.found = f })
	return r.enough()
}

// Enough reports whether there are Config.Most findings.
func (r *Registry) Enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enough()
}

// Saturated reports whether there would be Config.Most findings if all failures being confirmed or reduced
// became findings.
func (r *Registry) Saturated() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.Most > 0 && r.found()+r.open >= r.config.Most
}

func (r *Registry) enough() bool { return r.config.Most > 0 && r.found() >= r.config.Most }

// Confirm passes a reserved finding to Config.Confirmed and stores it, so that it survives if the campaign is
// killed. Callers call it before the reduction begins. It ignores errors of storing: Add reports them.
func (r *Registry) Confirm(f *store.Finding) {
	r.telling.Lock()
	defer r.telling.Unlock()
	now := *f
	now.Status, now.Size = store.Confirmed, len(f.Minimal.Calls)
	r.stamp(&now)
	if r.config.Confirmed != nil {
		r.config.Confirmed(&now)
	}
	if r.config.Keeper == nil {
		return
	}
	r.mu.Lock()
	e := r.entry(f.Key)
	done := e.found != nil || e.early
	now.Hits = e.hits + 1
	r.mu.Unlock()
	if done {
		return
	}
	now.NotMinimal = store.BeingReduced
	now.Locate()
	now.Undecided = now.Location == ""
	kept := r.config.Keeper.Put(&now) == nil && !now.Again
	r.mu.Lock()
	defer r.mu.Unlock()
	e.early = kept
}

// GiveUp records a confirmed failure as unconfirmed, because it turned out to depend on chance, and removes
// what Confirm stored.
func (r *Registry) GiveUp(f *store.Finding, why string) error {
	r.Unconfirmed(f.AsUnconfirmed(why))
	r.telling.Lock()
	defer r.telling.Unlock()
	r.mu.Lock()
	e := r.entry(f.Key)
	early := e.early
	e.early = false
	r.mu.Unlock()
	if r.config.GivenUp != nil {
		r.config.GivenUp(f, why)
	}
	if !early {
		return nil
	}
	return r.config.Keeper.Drop(f)
}

// Replace stores a finding in place of the one with the same key.
func (r *Registry) Replace(by *store.Finding) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	err := r.config.Keeper.Replace(by)
	r.publish(by)
	return err
}
