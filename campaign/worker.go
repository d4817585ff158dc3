package campaign

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
)

// lanesOpen is how many lanes a worker keeps, each with processes of its target.
// A target that has to wait for its turn gets new ones.
const lanesOpen = 4

// A turn is what a worker does next: some of the numbers of a cell.
type turn struct {
	cell  *cell
	begun time.Time
	// served is when its first trace could be made: the target may take long to
	// start, and what the worker did before may take long to end.
	served time.Time
	used   bool
	length time.Duration
}

// work takes turns until there are none, or ctx ends.
func (c *Campaign) work(ctx, confirming context.Context) error {
	var lanes []*lane // the one used last at the end
	defer func() {
		for _, l := range lanes {
			l.close()
		}
	}()
	for t := c.nextTurn(); t != nil && ctx.Err() == nil; {
		t.begun = time.Now() // the lane before has come to its end
		var l *lane
		if at := slices.IndexFunc(lanes, func(l *lane) bool { return l.targets[0] == t.cell.target }); at >= 0 {
			l = lanes[at]
			lanes = slices.Delete(lanes, at, at+1)
		} else {
			if len(lanes) == lanesOpen {
				lanes[0].close()
				lanes = slices.Delete(lanes, 0, 1)
			}
			var err error
			if l, err = c.newLane(t.cell.target); err != nil {
				return err
			}
		}
		lanes = append(lanes, l)
		next, err := l.run(ctx, confirming, t)
		if err != nil {
			return err
		}
		t = next
	}
	return c.endWaiting(confirming)
}

// nextTurn returns nil when all traces have been taken.
func (c *Campaign) nextTurn() *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, length := c.schedule.next(func(i int) bool { return c.cells[i].numbers.HasMore(c.limit(c.cells[i])) })
	if next < 0 {
		return nil
	}
	now := time.Now()
	return &turn{cell: c.cells[next], begun: now, served: now, length: length}
}

// endTurn ends a turn, of which some time was spent on other things than fuzzing.
func (c *Campaign) endTurn(t *turn, aside time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := max(0, time.Since(t.begun)-aside)
	t.cell.counts.Busy += took
	c.schedule.worked(t.cell.Index, took)
}

// Take returns the next numbers of a turn, none when it is over.
func (c *Campaign) take(t *turn, n int) source.Numbers {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.used && time.Since(t.served) > t.length {
		return source.Numbers{}
	}
	t.used = true
	return t.cell.numbers.Take(n, c.limit(t.cell))
}

// limit is the number of a cell that is not to be run any more.
func (c *Campaign) limit(of *cell) uint64 {
	const none = 1<<64 - 1
	all, cells := c.config.Traces, uint64(len(c.cells))
	if all == 0 {
		return none
	}
	if c.config.Fair {
		limit := all / cells
		if uint64(of.Index) < all%cells {
			limit++
		}
		return limit
	}
	for _, other := range c.cells {
		if other != of {
			all -= min(all, other.numbers.Next)
		}
	}
	return all
}
