// Package pace decides when the parts of a campaign may work, and measures what they spend: the age of the
// campaign, its pauses, the turns of follow-ups, and the time without a new trace.
//
// A campaign searches for failures all the time. Follow-ups, which confirm and reduce what the search has
// found, run beside it with a share of the time (Pacer). The cells of a campaign take turns (Scheduler).
package pace

import (
	"context"
	"sync"
	"time"
)

// A Clock measures the age of a campaign, including its earlier parts.
type Clock struct {
	mu     sync.Mutex
	before time.Duration // the age at the end of the earlier parts
	begun  time.Time
}

// Start starts the clock, as if at a time that may have passed.
func (k *Clock) Start(begun time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.begun = begun
}

// Continue sets the age at which earlier parts of the campaign ended.
func (k *Clock) Continue(age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.before = age
}

// Elapsed returns the age of the campaign.
func (k *Clock) Elapsed() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.begun.IsZero() {
		return k.before
	}
	return k.before + time.Since(k.begun)
}

// A Halt can keep lanes from taking new traces.
type Halt struct {
	mu sync.Mutex
	on chan struct{} // closed when the pause ends; nil without a pause
}

// Pause stops the workers from taking new traces, or lets them continue. They finish the traces that they
// have taken, and the clock runs on.
func (h *Halt) Pause(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case on && h.on == nil:
		h.on = make(chan struct{})
	case !on && h.on != nil:
		close(h.on)
		h.on = nil
	}
}

// Paused reports whether the campaign is paused.
func (h *Halt) Paused() bool { return h.now() != nil }

func (h *Halt) now() chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.on
}

// Rest waits while the campaign is paused and returns how long it waited.
func (h *Halt) Rest(ctx context.Context) time.Duration {
	on := h.now()
	if on == nil {
		return 0
	}
	begun := time.Now()
	for ; on != nil && ctx.Err() == nil; on = h.now() {
		select {
		case <-on:
		case <-ctx.Done():
		}
	}
	return time.Since(begun)
}
