package cost

import (
	"math"
	"time"
)

// solves sums up solves that ended: in one trace, they count with their mean time.
type solves struct {
	n    float64
	logs float64 // sum of the binary logarithms of their times in nanoseconds
}

func (s *solves) add(n int, took time.Duration) {
	if n > 0 {
		s.n, s.logs = s.n+float64(n), s.logs+float64(n)*math.Log2(float64(max(took/time.Duration(n), 1)))
	}
}

// much is the multiple of the usual time of a solve from which on one takes unusually long.
const much = 2

// IsUsualSolve reports whether a solve that a time limit ended after this time may have needed no more than others: in
// some libraries each solve takes seconds. While none has ended, a call that ran alone tells what is usual.
func (c *Costs) IsUsualSolve(took time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	usual := c.tried
	if c.solves.n > 0 {
		usual = timeOf(c.solves.logs / c.solves.n)
	}
	return took < much*usual
}
