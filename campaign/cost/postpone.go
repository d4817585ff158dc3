package cost

import (
	"math"
	"time"
)

// TooWide records that the target's tables exceed the memory limit if a trace has variables above widest.
// Such traces would all fail for that one reason.
func (c *Costs) TooWide(widest float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.widest = widest
}

// Postpone reports whether to run no trace of the kind now, because it is expensive or finds little. quiet
// is how long the search has found nothing new.
func (c *Costs) Postpone(k Kind, quiet time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	why := c.whyPutOff(&k, quiet)
	if why != "" {
		c.putOff(&k, why)
	}
	return why != ""
}

// whyPutOff says why to run no trace of the kind now; "" to run it.
func (c *Costs) whyPutOff(k *Kind, quiet time.Duration) string {
	if c.widest > 0 && float64(k.Largest) > c.widest {
		return tooWide
	}
	if c.losesTime() && c.waited < mostInARow && c.isSetAsideOften(k) {
		c.waited++
		return oftenCut
	}
	c.waited = 0
	if k.hasOwnBound() || !c.isCostly(k) {
		if c.isPoor(k) {
			return poorYield
		}
		return ""
	}
	price, share, full := timeOf(c.price(k)), Share, hadShare
	if c.isPresumed(k) {
		price = max(price, presumedTime)
	}
	c.parts(k, func(p *part) {
		if p.news > 0 && p.mean() > c.costlyLog() {
			share, full = provenShare, hadThird
		}
	})
	switch {
	case share == Share && quiet < Quiet:
		return waitsFor
	case float64(c.dear+price) > share*float64(c.total+price):
		return full
	}
	return ""
}

// A kind is set aside often if that happened to leastSetAside of its traces or more, to oftenFold times as many as one
// would expect from all traces, and to so many more than expected that it is hardly chance: by oftenDeviations standard
// deviations. While more than setAsideShare of the time goes to traces that are set aside, the kinds to which that
// happens often wait. Every trace may be of such a kind, so that at most mostInARow wait in a row.
const (
	leastSetAside   = 2
	oftenFold       = 2
	oftenDeviations = 2
	setAsideShare   = 0.05
	mostInARow      = 64
)

// LosesTime reports whether much of the time goes to traces that are set aside.
func (c *Costs) LosesTime() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.losesTime()
}

func (c *Costs) losesTime() bool { return float64(c.cut) > setAsideShare*float64(c.total) }

func (c *Costs) isSetAsideOften(k *Kind) (often bool) {
	c.parts(k, func(p *part) { often = often || c.isCutOften(p) })
	return often
}

func (c *Costs) isCutOften(p *part) bool {
	cut, expected := p.traces-p.ended, p.traces*(c.all.traces-c.all.ended)/c.all.traces
	return cut >= leastSetAside && cut >= max(oftenFold*expected, expected+oftenDeviations*math.Sqrt(expected))
}

const (
	// A profile that finds less per time than the average runs less often, but in at least the share
	// leastOften of its turns: it may yet find what others cannot.
	leastOften = 0.25
	// trust is added to the time of each profile and of all, together with one finding, so that the first
	// findings of a campaign decide little.
	trust = 2 * time.Second
	// worthwhile is the least mean time of traces that may be dropped after they were generated. Dropping
	// quicker ones would save little.
	worthwhile = 200 * time.Microsecond
)

// isPoor reports whether to drop a trace because its profile finds little for its cost. It keeps a share of
// such traces, which follows from the yield.
func (c *Costs) isPoor(k *Kind) bool {
	p := c.profiles[k.Profile]
	if p == nil || c.all.news == 0 || timeOf(p.mean()) < worthwhile {
		return false
	}
	p.owed += min(max(p.yield()/c.all.yield(), leastOften), 1)
	if p.owed < 1 {
		return true
	}
	p.owed--
	return false
}

// yield estimates how often traces show something new per second that is spent on them.
func (p *part) yield() float64 { return float64(p.news+1) / (p.spent + trust).Seconds() }
