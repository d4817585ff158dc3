package pace

import (
	"testing"
	"time"
)

// TestSamplesLeaveTime checks that samples of explained failures, which may take minutes on a slow target, do not use
// up the time for the causes of new findings.
func TestSamplesLeaveTime(t *testing.T) {
	clock := new(Clock)
	clock.Start(time.Now())
	b := NewBudgets(clock, 1)
	b.Samples.Spend(time.Minute)
	if b.ToExamine(true) > 0 || b.ToExamine(false) < freeExperiments {
		t.Errorf("%v for samples, %v for causes are left", b.ToExamine(true), b.ToExamine(false))
	}
	b.Causes.Spend(time.Second)
	if b.Causes.Left() > freeExperiments || b.Causes.Spent() != time.Second {
		t.Errorf("%v for causes are left", b.Causes.Left())
	}
}
