package campaign

import (
	"context"
	"slices"
	"sync"
	"time"
)

// lanesOpen is the number of lanes that a worker keeps open, each with the processes of
// its target. A closed lane starts new processes at its next turn.
const lanesOpen = 4

// work takes turns until there are none or ctx ends.
func (c *Campaign) work(ctx context.Context) error {
	var lanes []*lane // the most recently used lane comes last
	defer func() {
		var closing sync.WaitGroup
		for _, l := range lanes {
			closing.Go(l.close)
		}
		closing.Wait()
	}()
	for t := c.book.NextTurn(); t != nil && ctx.Err() == nil; {
		t.Begun = time.Now() // the previous lane has finished
		var l *lane
		if at := slices.IndexFunc(lanes, func(l *lane) bool { return l.targets[0] == t.Cell.TargetNumber }); at >= 0 {
			l = lanes[at]
			lanes = slices.Delete(lanes, at, at+1)
		} else {
			if len(lanes) == lanesOpen {
				lanes[0].close()
				lanes = slices.Delete(lanes, 0, 1)
			}
			var err error
			if l, err = c.newLane(ctx, t.Cell.TargetNumber, streamSize(c.config.Way)); err != nil {
				return err
			}
			if c.weighs {
				l.side = c.newSideLanes(ctx, t.Cell.TargetNumber)
			}
		}
		lanes = append(lanes, l)
		next, err := l.run(ctx, t)
		if err != nil {
			return err
		}
		t = next
	}
	return nil
}
