package campaign

import (
	"sync/atomic"
	"time"
)

// Experiments that determine causes may take experimentShare of the workers' time, and freeExperiments on top. Samples
// of explained failures may take as much again, so that they leave new findings their experiments, and samples of known
// hangs as much without freeExperiments. On a slow target, searching is a better use of the time.
const (
	experimentShare = 1.0 / 20
	freeExperiments = 10 * time.Second
)

// An experimenter adds up the time that one kind of experiments took.
type experimenter struct {
	free  time.Duration // that the experiments may take on top of their share
	spent atomic.Int64  // nanoseconds of trials
}

func (e *experimenter) add(took time.Duration) { e.spent.Add(int64(took)) }

// left returns the time that the experiments may still take; it is negative if they took too long.
func (e *experimenter) left(c *Campaign) time.Duration {
	most := time.Duration(float64(c.clock.Elapsed())*experimentShare)*time.Duration(c.config.Workers) + e.free
	return most - time.Duration(e.spent.Load())
}

// timeToExamine returns the time for failures with known keys that a known cause explains, or for the others.
func (c *Campaign) timeToExamine(explained bool) time.Duration {
	if explained {
		return c.samples.left(c)
	}
	return c.causes.left(c)
}

// experimented returns the time of all experiments.
func (c *Campaign) experimented() time.Duration {
	return time.Duration(c.causes.spent.Load() + c.samples.spent.Load())
}
