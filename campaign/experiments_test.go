package campaign

import (
	"testing"
	"time"
)

// TestSamplesLeaveTime checks that samples of explained failures, which may take minutes on a slow target, do not use
// up the time for the causes of new findings.
func TestSamplesLeaveTime(t *testing.T) {
	c := newCampaign(t, testConfig(t, "ref", "ipasir"))
	c.samples.add(time.Minute)
	if c.samples.left(c) > 0 || c.causes.left(c) < freeExperiments || c.experimented() != time.Minute {
		t.Errorf("%v for samples, %v for causes are left", c.samples.left(c), c.causes.left(c))
	}
	c.causes.add(time.Second)
	if c.causes.left(c) > freeExperiments || c.experimented() != time.Minute+time.Second {
		t.Errorf("%v for causes are left", c.causes.left(c))
	}
}
