package campaign

import (
	"context"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// Stats returns what has happened so far. The cells are in the order of the
// configuration's.
func (c *Campaign) Stats() stats.Stats {
	s := c.book.stats()
	s.Elapsed = c.elapsed()
	s.Findings, s.Unconfirmed = c.registry.Counts()
	return s
}

// Watch returns the findings so far, the newest first, and before them those that
// are being reduced.
func (c *Campaign) Watch() []registry.View { return c.registry.Watch() }

// A clock knows the age of a campaign, with its earlier parts.
type clock struct {
	mu     sync.Mutex
	before time.Duration // what the earlier parts took
	begun  time.Time
}

func (k *clock) start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.begun = time.Now()
}

func (k *clock) elapsed() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.begun.IsZero() {
		return k.before
	}
	return k.before + time.Since(k.begun)
}

// A pause keeps lanes from taking new traces.
type pause struct {
	mu sync.Mutex
	on chan struct{} // closed when they may go on; nil: they may now
}

// Pause keeps the workers from taking new traces, or lets them go on. What is under
// way is finished, and the clock runs.
func (p *pause) Pause(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.on == nil:
		p.on = make(chan struct{})
	case !on && p.on != nil:
		close(p.on)
		p.on = nil
	}
}

// Paused reports whether the workers are kept from taking new traces.
func (p *pause) Paused() bool { return p.now() != nil }

func (p *pause) now() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.on
}

// rest waits while the campaign is paused, and returns how long it did.
func (p *pause) rest(ctx context.Context) time.Duration {
	begun := time.Now()
	for on := p.now(); on != nil && ctx.Err() == nil; on = p.now() {
		select {
		case <-on:
		case <-ctx.Done():
		}
	}
	return time.Since(begun)
}
