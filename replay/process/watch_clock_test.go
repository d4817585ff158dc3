package process

import (
	"testing"
	"time"
)

// TestWatchClock: a gap between looks does not pass on the clock; short delays do.
func TestWatchClock(t *testing.T) {
	var c WatchClock
	now := time.Now()
	begun := c.at(now)
	const ms = time.Millisecond
	for _, step := range []time.Duration{10 * ms, 900 * ms, time.Minute, 10 * ms} {
		now = now.Add(step)
		c.at(now)
	}
	if passed := c.at(now).Sub(begun); passed != 920*time.Millisecond {
		t.Errorf("%v passed, want 920ms", passed)
	}
}
