package process

import "time"

// leastGap is the shortest time between two looks of a watchdog in which it was kept from
// looking. A busy machine delays looks, too; what it delays by less counts.
const leastGap = time.Second

// A WatchClock is the clock of a watchdog that looks at it every WatchInterval. It stands
// while this process is stopped or frozen, because the process that it watches may be, too,
// or may wait for this one. The zero value is ready to use.
type WatchClock struct {
	looked time.Time
	stood  time.Duration
}

// Now returns the time on the clock.
func (c *WatchClock) Now() time.Time { return c.at(time.Now()) }

func (c *WatchClock) at(now time.Time) time.Time {
	if gap := now.Sub(c.looked); gap >= leastGap && !c.looked.IsZero() {
		c.stood += gap
	}
	c.looked = now
	return now.Add(-c.stood)
}
