package campaign

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// At most half of the workers make traces small while the others fuzz. What is
// confirmed while all places are taken waits: it is stored as it is, and whoever
// has made a trace small takes the next one.
//
// A trace that showed something that waits is not through: a run that is killed
// and goes on runs it again.
type waiting struct {
	busy  int // workers that make traces small
	found []*store.Finding
}

func (c *Campaign) reducers() int { return max(1, c.config.Workers/2) }

// reduce makes the trace of a confirmed finding small, or lets it wait.
func (l *lane) reduce(ctx context.Context, found *store.Finding) error {
	if !l.c.reserve(found) {
		return nil
	}
	if !l.c.mayReduce(found) {
		l.c.keepEarly(found)
		return nil
	}
	defer l.c.reduced()
	err := l.minimizeAndAdd(ctx, found)
	for err == nil {
		next := l.c.nextWaiting()
		if next == nil {
			return nil
		}
		err = l.reduceWaiting(ctx, next)
	}
	return err
}

// reduceWaiting makes the trace of a finding small that may be another lane's.
func (l *lane) reduceWaiting(ctx context.Context, found *store.Finding) error {
	group := l.c.group(l.c.cells[found.Cell].target)
	if !slices.Equal(group, l.targets) {
		other := &lane{c: l.c, targets: group, group: l.c.newGroup(group)}
		defer other.group.Close()
		l = other
	}
	err := l.c.refuse(found)
	if err == nil {
		err = l.minimizeAndAdd(ctx, found)
	}
	if err == nil || errors.Is(err, errEnough) {
		l.c.settled(l.c.originOf(found))
	}
	return err
}

// endWaiting makes small what waits when there is nothing else to do.
func (c *Campaign) endWaiting(ctx context.Context) error {
	for next := c.nextWaiting(); next != nil; next = c.nextWaiting() {
		l := &lane{c: c} // of no target
		if err := l.reduceWaiting(ctx, next); err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	return nil
}

// refuse drops a finding that waits when the run has as many as were asked for.
func (c *Campaign) refuse(found *store.Finding) error {
	c.mu.Lock()
	enough := c.enough()
	c.mu.Unlock()
	if !enough {
		return nil
	}
	defer c.release(found)
	return c.add(found)
}

// keepWaiting makes findings of what waits at the end of a run, as it is.
func (c *Campaign) keepWaiting() {
	for next := c.nextWaiting(); next != nil; next = c.nextWaiting() {
		next.NotMinimal = store.RunEnded
		c.add(next) // it is stored already
		c.release(next)
	}
}

// mayReduce gives a place to a worker, or lets the finding wait.
func (c *Campaign) mayReduce(found *store.Finding) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting.busy < c.reducers() {
		c.waiting.busy++
		return true
	}
	if found.After == 0 {
		found.After, found.Elapsed = c.judged.Load(), time.Since(c.begun)
	}
	c.cells[found.Cell].numbers.Hold(found.Number)
	c.waiting.found = append(c.waiting.found, found)
	return false
}

// reduced gives the place back.
func (c *Campaign) reduced() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting.busy--
}

func (c *Campaign) nextWaiting() *store.Finding {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting.found) == 0 {
		return nil
	}
	next := c.waiting.found[0]
	c.waiting.found = slices.Delete(c.waiting.found, 0, 1)
	return next
}
