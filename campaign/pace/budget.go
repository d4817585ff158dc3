package pace

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

// A Budget bounds the time of one kind of experiments.
type Budget struct {
	Free    time.Duration // that they may take on top of their share
	clock   *Clock
	workers int
	spent   atomic.Int64 // nanoseconds of trials
}

// Spend adds the time of trials.
func (b *Budget) Spend(took time.Duration) { b.spent.Add(int64(took)) }

// Spent returns the time of all trials.
func (b *Budget) Spent() time.Duration { return time.Duration(b.spent.Load()) }

// Left returns the time that the experiments may still take; it is negative if they took too long.
func (b *Budget) Left() time.Duration {
	most := time.Duration(float64(b.clock.Elapsed())*experimentShare)*time.Duration(b.workers) + b.Free
	return most - b.Spent()
}

// Budgets are those of a campaign.
type Budgets struct {
	Causes  Budget // experiments for the causes of findings
	Samples Budget // failures that a known cause explains
	Hangs   Budget // samples of traces that seem to have a known hang
}

// NewBudgets returns the budgets of a campaign with that many workers.
func NewBudgets(clock *Clock, workers int) *Budgets {
	return &Budgets{Causes: Budget{Free: freeExperiments, clock: clock, workers: workers},
		Samples: Budget{Free: freeExperiments, clock: clock, workers: workers}, Hangs: Budget{clock: clock, workers: workers}}
}

// ToExamine returns the time for failures with known keys that a known cause explains, or for the others.
func (b *Budgets) ToExamine(explained bool) time.Duration {
	if explained {
		return b.Samples.Left()
	}
	return b.Causes.Left()
}
