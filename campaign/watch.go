package campaign

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Sight is a finding as whoever watches a run sees it: confirmed, and small or
// on its way to it.
type Sight struct {
	oracle.Finding
	Key      oracle.Key
	Target   string
	Cell     int
	Number   uint64
	Without  []string
	Elapsed  time.Duration // when it was found; of one that is being made small, when that was begun
	Original int           // calls
	Calls    int           // of the smallest trace so far
	Tests    int           // runs that it took
	Reducing bool
	Again    bool
	Trace    *trace.Trace // the original, until it is small; not to be changed
	Dir      string
	Replay   []string // the targets that it takes to see it
}

// Watch returns the findings of the run so far, the newest first; those that are
// being made small are in front.
func (c *Campaign) Watch() []Sight {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sights []Sight
	for _, s := range c.shrinking {
		sights = append(sights, *s)
	}
	slices.SortFunc(sights, func(a, b Sight) int { return int(b.Elapsed - a.Elapsed) })
	for i := len(c.found) - 1; i >= 0; i-- {
		f := c.found[i]
		minimal := *f.Minimal
		sights = append(sights, Sight{Finding: f.Finding, Key: f.Key, Target: f.Target, Cell: f.Cell, Number: f.Number, Without: f.Without, Elapsed: f.Elapsed, Original: len(f.Original.Calls),
			Calls: len(f.Minimal.Calls), Tests: f.Tests, Again: f.Again, Trace: &minimal, Dir: f.Dir, Replay: f.ReplayTargets(c.config.Compared(f.Cell))})
	}
	return sights
}

// shrinks makes a finding seen that is going to be made small.
func (c *Campaign) shrinks(f *store.Finding) {
	if c.shrinking == nil {
		c.shrinking = make(map[*store.Finding]*Sight)
	}
	minimal := *f.Minimal
	c.shrinking[f] = &Sight{Finding: f.Finding, Key: f.Key, Target: f.Target, Cell: f.Cell, Number: f.Number, Without: f.Without, Elapsed: time.Since(c.begun), Reducing: true,
		Original: len(f.Original.Calls), Calls: len(f.Minimal.Calls), Trace: &minimal, Replay: f.ReplayTargets(c.config.Compared(f.Cell))}
}

// shrunk notes how far a finding is.
func (c *Campaign) shrunk(f *store.Finding, p dd.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.shrinking[f]; s != nil {
		s.Calls, s.Tests = p.Size.Calls, p.Tests
	}
}

// Pause keeps the workers from taking new traces, or lets them go on. What is under
// way is brought to its end, and the clock runs.
func (c *Campaign) Pause(pause bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case pause && c.paused == nil:
		c.paused = make(chan struct{})
	case !pause && c.paused != nil:
		close(c.paused)
		c.paused = nil
	}
}

// Paused reports whether it does.
func (c *Campaign) Paused() bool { return c.pause() != nil }

// pause is closed when the workers may go on; nil when they may now.
func (c *Campaign) pause() chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// rest waits while the run is paused, and returns how long it did.
func (c *Campaign) rest(ctx context.Context) time.Duration {
	begun := time.Now()
	for paused := c.pause(); paused != nil && ctx.Err() == nil; paused = c.pause() {
		select {
		case <-paused:
		case <-ctx.Done():
		}
	}
	return time.Since(begun)
}
