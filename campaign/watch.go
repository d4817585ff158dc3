package campaign

import (
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// Stats returns the statistics so far. The cells are in the order of the configuration.
func (c *Campaign) Stats() stats.Stats {
	s := c.book.stats()
	s.Elapsed = c.clock.Elapsed()
	s.Findings, s.Unconfirmed = c.registry.Counts()
	s.FollowUps.InProgress, s.FollowUps.Queued = c.followUps.waits()
	s.FollowUps.Confirming, s.FollowUps.Reducing = c.pacer.Spent()
	s.FollowUps.Standstill, _ = c.search.Stood()
	return s
}

// Watch returns the findings that are being reduced, and after them all others, the newest
// first.
func (c *Campaign) Watch() []registry.View { return c.registry.Watch() }

// Pause keeps the workers from taking new traces, or lets them continue. The workers
// finish the traces that they have taken, and the clock runs on.
func (c *Campaign) Pause(on bool) {
	if on {
		c.search.End()
	} else if c.Paused() {
		c.search.Begin()
	}
	c.halt.Pause(on)
}

// Paused reports whether the campaign is paused.
func (c *Campaign) Paused() bool { return c.halt.Paused() }

// Standing returns how long no new trace has run, and why.
func (c *Campaign) Standing() (since time.Duration, why string) {
	if _, since = c.search.Stood(); since == 0 {
		return 0, ""
	}
	return since, c.book.why()
}
