package process

import "time"

// leastGap is the shortest gap between two looks of a watchdog that stops its clock. A busy
// machine delays looks, too; these shorter delays count as time.
const leastGap = time.Second

// A WatchClock is the clock of a watchdog that reads it every WatchInterval. The clock stops
// while this process is stopped or frozen: the watched process may be stopped, too, or may wait
// for this one. The zero value is ready to use.
type WatchClock struct {
	looked time.Time
	stood  time.Duration
}

// Now returns the time on the clock.
func (c *WatchClock) Now() time.Time { return c.at(time.Now()) }

func (c *WatchClock) at(moment time.Time) time.Time {
	if gap := moment.Sub(c.looked); gap >= leastGap && !c.looked.IsZero() {
		c.stood += gap
	}
	c.looked = moment
	return moment.Add(-c.stood)
}
