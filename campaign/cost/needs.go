package cost

import (
	"math"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
)

// firstTraces is the number of traces that must have ended for anything to be usual.
const firstTraces = 4

// NeedsOf returns the needs of a kind with that usual time.
func (c *Costs) NeedsOf(price time.Duration) limit.Needs {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := limit.Needs{Expectation: c.expect(), All: c.limited(timeOf(c.usualOfAll())), Patience: c.patience}
	n.Kind = max(c.limited(price), n.All)
	if c.total > 0 {
		n.Lost = float64(c.cut) / float64(c.total)
	}
	return n
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

// Expect returns the usual time of all traces or, while too few have ended, that of the slowest call that ran alone.
func (c *Costs) Expect() limit.Expectation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.expect()
}

func (c *Costs) expect() limit.Expectation {
	switch {
	case c.known() >= firstTraces:
		return limit.Expectation{Usual: timeOf(c.usualOfAll()), Basis: limit.Traces}
	case c.tried > 0:
		return limit.Expectation{Usual: c.tried, Basis: limit.OneCall}
	}
	return limit.Expectation{}
}

// Tried records how long a single call took in a process of its own. While nothing else is known, other traces take at
// least as long.
func (c *Costs) Tried(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried = max(c.tried, took)
}

// Ended records that a trace that was set aside ended after all. If that happens repeatedly, the limit
// of the search rises.
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
