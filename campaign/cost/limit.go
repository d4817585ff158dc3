package cost

import (
	"math"
	"time"
)

// A trace is set aside when it takes unusual times as long as its kind usually does. It runs again, to its
// end, beside the search, so that the others need not wait.
const (
	unusual = 1000
	// The search waits for as long as the limit, so the limit lies between leastLimit and mostLimit, or
	// tenfold the usual time if that is more. A trace of an expensive kind may take threefold the time of
	// its kind, up to dearLimit. Once the target is known to hang, or if more than cutShare of the time
	// goes to traces that are set aside, the limit is hurried times the usual time. The more time they
	// take, the shorter it gets, down to tenfold the usual time, but not below hurriedLeast, or knownHang
	// if the target is known to hang.
	leastLimit  = 200 * time.Millisecond
	mostLimit   = 500 * time.Millisecond
	tenfold     = 10
	threefold   = 3
	dearLimit   = 1500 * time.Millisecond
	hurried     = 33
	firstLimit  = 500 * time.Millisecond // before enough traces have run
	firstTraces = 4
	cutShare    = 0.1

	hurriedLeast = 5 * time.Millisecond
	knownHang    = 2 * time.Millisecond
)

// Limit returns the processor time after which a trace is set aside. price is the usual time of its kind;
// hangs reports whether the target hangs in some traces.
func (c *Costs) Limit(price time.Duration, hangs bool) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known() >= firstTraces && (hangs || float64(c.cut) > cutShare*float64(c.total)) {
		least := hurriedLeast
		if hangs {
			least = knownHang
		}
		return max(least, c.hurriedLimit(price))
	}
	return c.limit(price)
}

// Unhurried returns what Limit would return if the search lost no time to traces that are set aside. A
// trace that runs for several times as long may hang.
func (c *Costs) Unhurried(price time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit(price)
}

func (c *Costs) limit(price time.Duration) time.Duration {
	least, most := c.bounds(price)
	if c.known() < firstTraces {
		return max(least, firstLimit, tenfold*c.tried)
	}
	return min(least<<c.patience, most)
}

func (c *Costs) hurriedLimit(price time.Duration) time.Duration {
	least, _ := c.bounds(price)
	price, usual := c.limited(price), c.limited(timeOf(c.usualOfAll()))
	excess := max(float64(c.cut)/(cutShare*float64(c.total)), 1)
	limit := min(least, max(mostLimit, tenfold*usual))
	return min(limit, time.Duration(max(hurried/excess, tenfold)*float64(max(price, usual))))
}

// bounds returns the least limit, which patience may raise, and the greatest.
func (c *Costs) bounds(price time.Duration) (least, most time.Duration) {
	usual := c.limited(timeOf(c.usualOfAll()))
	price = max(c.limited(price), usual)
	most = max(mostLimit, tenfold*usual, min(threefold*price, dearLimit))
	return max(leastLimit, min(unusual*price, most)), most
}

// limited returns the usual length of the longest part of a trace for which the limit holds, given the usual time of
// the whole trace.
func (c *Costs) limited(usual time.Duration) time.Duration {
	if c.shared == 0 {
		return usual
	}
	return time.Duration(float64(usual) * math.Exp2(c.shares/c.shared))
}

// Warmup returns how much longer the first trace of a process may take than others. It is 0 unless first traces usually
// take much longer.
func (c *Costs) Warmup() time.Duration {
	const least, longer, most = 50 * time.Millisecond, 10, 2 // most: times what they usually take
	c.mu.Lock()
	defer c.mu.Unlock()
	usual := timeOf(c.firsts.endedMean())
	if c.firsts.ended == 0 || usual < max(least, longer*timeOf(c.usualOfAll())) {
		return 0
	}
	return most * usual
}

// A trace is also set aside when the memory of its process grows by more than sudden, or by more than
// grownFold times what any earlier trace needed.
const (
	sudden    = 128 << 20
	grownFold = 4
)

// Growth returns by how many bytes the memory may grow before a trace is set aside.
func (c *Costs) Growth() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(sudden, grownFold*c.grown<<10)
}

// Grown records that a trace that was set aside ended after all, and how much memory it needed, in KiB.
func (c *Costs) Grown(needed uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grown = max(c.grown, needed)
}

// A Basis says how much is known about the time that traces of a target take.
type Basis uint8

// The bases, in order.
const (
	Nothing Basis = iota // no trace and no call has ended
	OneCall              // a call that ran alone has
	Traces               // enough traces have
)

// An Expectation is the time that a trace of a target usually takes; 0: nobody knows.
type Expectation struct {
	Usual time.Duration
	Basis Basis
}

// Expect returns the usual time of all traces or, while too few have ended, that of the slowest call that ran alone.
func (c *Costs) Expect() Expectation {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.known() >= firstTraces:
		return Expectation{timeOf(c.usualOfAll()), Traces}
	case c.tried > 0:
		return Expectation{c.tried, OneCall}
	}
	return Expectation{}
}

// Hangs reports whether a trace that takes that long must hang: others take far less.
func (e Expectation) Hangs(took time.Duration) bool {
	const far = 100
	return e.Usual > 0 && far*e.Usual <= took
}

// Exceeds reports whether most traces would exceed a limit of processor time; 0 is no limit.
func (e Expectation) Exceeds(limit time.Duration) bool {
	const spread = 3
	return limit > 0 && spread*e.Usual > limit
}

// Tried records how long a single call took in a process of its own. While nothing else is known, other traces take at
// least as long.
func (c *Costs) Tried(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried = max(c.tried, took)
}

// Ended records that a trace that was set aside ended after all. If that happens repeatedly, the limit
// rises.
func (c *Costs) Ended(k Kind, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const mostPatience = 8
	c.patience = min(c.patience+1, mostPatience)
	log := math.Log2(float64(max(took, 1)))
	again := func(p *part) {
		p.ran(0, log, false)
		p.again++
	}
	c.parts(&k, again)
	again(&c.all)
}
