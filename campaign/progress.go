package campaign

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// While a campaign runs its state is written again and again, soon after the
// start already: what a run that is killed loses is at most so long.
const (
	stateSoonest = 100 * time.Millisecond
	stateEvery   = time.Second
)

// Lines of statistics are written as long after the last one as the run is old,
// in hundredths, so that a run of any length has some hundreds of them.
const (
	lineShare = 100
	lineMost  = time.Minute
)

// save writes the state until ctx ends. What goes wrong ends the run.
func (c *Campaign) save(ctx context.Context) {
	wait := stateSoonest
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, stateEvery)
		if err := c.saveOnce(false); err != nil {
			c.stop(err)
			return
		}
	}
}

// saveOnce writes the state, and then a line of statistics when one is due: so
// that no run that goes on has counted less than a line says.
func (c *Campaign) saveOnce(last bool) error {
	if err := c.writeHits(); err != nil {
		return err
	}
	c.mu.Lock()
	now, stats := c.state(), c.statsNow()
	c.mu.Unlock()
	now.Run = c.store.Record.Run
	if err := c.store.WriteState(now); err != nil {
		return err
	}
	if due := c.lined + min(max(c.lined/lineShare, stateEvery), lineMost); !last && stats.Elapsed < due && c.lined > 0 {
		return nil
	}
	c.lined = stats.Elapsed
	for i := range stats.Cells {
		stats.Cells[i].Profiles = nil // large, and in the state
	}
	return c.store.AddLine(store.StatsLine{Time: time.Now().UTC(), Stats: stats})
}
