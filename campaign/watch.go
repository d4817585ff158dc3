package campaign

import (
	"context"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// Stats returns the statistics so far. The cells are in the order of the configuration.
func (c *Campaign) Stats() stats.Stats {
	s := c.book.stats()
	s.Elapsed = c.elapsed()
	s.Findings, s.Unconfirmed = c.registry.Counts()
	return s
}

// Watch returns the findings that are being reduced, and after them all others, the newest
// first.
func (c *Campaign) Watch() []registry.View { return c.registry.Watch() }

// A clock measures the age of a campaign, including its earlier parts.
type clock struct {
	mu     sync.Mutex
	before time.Duration // the age at the end of the earlier parts
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
	on chan struct{} // closed when the pause ends; nil if there is none
}

// Pause keeps the workers from taking new traces, or lets them continue. The workers
// finish the traces that they have taken, and the clock runs on.
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

// Paused reports whether the campaign is paused.
func (p *pause) Paused() bool { return p.now() != nil }

func (p *pause) now() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.on
}

// rest waits while the campaign is paused and returns the time that it waited.
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
