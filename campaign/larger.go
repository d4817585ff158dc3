package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// reduceLarger makes small what was confirmed, and was not small yet when an
// earlier part of the run came to its end. It is done beside the lanes, one
// finding after the other; what does not fail again stays as it is.
func (c *Campaign) reduceLarger(ctx context.Context) error {
	for _, found := range c.larger {
		group := c.group(c.cells[found.Cell].target)
		l := &lane{c: c, targets: group, group: c.newGroup(group)}
		err := l.reduceStored(ctx, found)
		l.group.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// reduceStored makes the trace of a finding small and stores it in the place of
// what is there.
func (l *lane) reduceStored(ctx context.Context, found *store.Finding) error {
	l.c.mu.Lock() // other lanes count its hits
	smaller := *found
	smaller.Minimal, smaller.NotMinimal, smaller.Resumed = store.Reduced(found.Minimal), "", false
	l.c.shrinks(&smaller)
	l.c.mu.Unlock()
	defer l.c.release(&smaller)
	met := make(shrink.SideFailures)
	if err := l.minimize(ctx, &smaller, met); err != nil {
		return err
	}
	if store.CallsAlone(smaller.Minimal) != store.CallsAlone(found.Minimal) || smaller.IsMinimal {
		if err := l.c.replace(found, &smaller); err != nil {
			return err
		}
	}
	return l.minimizeOthers(ctx, found, met)
}

// replace puts a finding in the place of one of the same key that is stored.
func (c *Campaign) replace(there, by *store.Finding) error {
	c.program(by)
	c.mu.Lock()
	defer c.mu.Unlock()
	by.Hits = there.Hits
	*there = *by
	return c.store.Replace(there)
}
