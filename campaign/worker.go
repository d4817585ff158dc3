package campaign

import (
	"context"
	"slices"
	"time"
)

// lanesOpen is how many lanes a worker keeps, each with processes of its target.
// A target that has to wait for its turn gets new ones.
const lanesOpen = 4

// A turn is what a worker does next: some of the numbers of a cell.
type turn struct {
	cell  *cell
	begun time.Time
	// readyAt is when its first trace could be made: the target may take long to
	// start, and what the worker did before may take long to end.
	readyAt time.Time
	used    bool
	length  time.Duration
}

// work takes turns until there are none, or ctx ends.
func (c *Campaign) work(ctx, confirming context.Context) error {
	var lanes []*lane // the one used last at the end
	defer func() {
		for _, l := range lanes {
			l.close()
		}
	}()
	for t := c.book.nextTurn(); t != nil && ctx.Err() == nil; {
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
