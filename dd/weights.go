package dd

import (
	"math/big"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// heavy returns the soft calls with weights above 1.
func heavy(t *trace.Trace) []int {
	var softs []int
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op.IsSoft() && c.Num > 1 {
			softs = append(softs, i)
		}
	}
	return softs
}

// reweighted returns the trace with other weights for some calls.
func reweighted(t *trace.Trace, softs []int, weight func(place int, old uint64) uint64) *trace.Trace {
	return rewrite(t, func(b *builder, i int, c *trace.Call) {
		if place, found := slices.BinarySearch(softs, i); found {
			b.number(i, weight(place, c.Num))
			return
		}
		b.keep(i)
	})
}

func unitWeights(r *reducer) error {
	softs := heavy(r.best)
	return r.guessed(len(softs), guess{others: one}, func(t *trace.Trace, gone []bool) *trace.Trace {
		return reweighted(t, softs, func(place int, old uint64) uint64 {
			if gone[place] {
				return 1
			}
			return old
		})
	})
}

// commonWays lower all weights above 1 in the same way. They replace them by the smallest numbers in
// the same order, by the smallest whose sum overflows as theirs does, or by numbers of one digit
// in about the same proportion. They divide them by their common divisor, and subtract from all what
// makes the smallest 1. The rest is the sum of the other weights; nil changes nothing.
var commonWays = []func(weights []uint64, rest uint64) func(old uint64) uint64{
	func(weights []uint64, _ uint64) func(uint64) uint64 {
		ranks := slices.Clone(weights)
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
		return func(old uint64) uint64 {
			at, _ := slices.BinarySearch(ranks, old)
			return 2 + uint64(at)
		}
	},
	func(weights []uint64, rest uint64) func(uint64) uint64 {
		sum, greatest := rest, slices.Max(weights)
		for _, w := range weights {
			sum += w
		}
		for _, power := range overflows {
			others := rest + uint64(len(weights)) - 1
			if sum >= power && power > others {
				return func(old uint64) uint64 {
					if old == greatest {
						return power - others
					}
					return 1
				}
			}
		}
		return nil
	},
	func(weights []uint64, _ uint64) func(uint64) uint64 {
		const most = 9
		divisor := (slices.Max(weights)-1)/most + 1
		return func(old uint64) uint64 { return (old-1)/divisor + 1 }
	},
	func(weights []uint64, _ uint64) func(uint64) uint64 {
		common := new(big.Int)
		for _, w := range weights {
			common.GCD(nil, nil, common, new(big.Int).SetUint64(w))
		}
		divisor := max(common.Uint64(), 1)
		return func(old uint64) uint64 { return old / divisor }
	},
	func(weights []uint64, _ uint64) func(uint64) uint64 {
		least := slices.Min(weights) - 1
		return func(old uint64) uint64 { return old - least }
	},
}

// commonWeights lowers all weights in the same way, and divides them by powers of 2.
func commonWeights(r *reducer) error {
	count := func(t *trace.Trace) int {
		if len(heavy(t)) == 0 {
			return 0
		}
		return len(commonWays)
	}
	change := func(t *trace.Trace, i int) *trace.Trace {
		softs := heavy(t)
		weights := make([]uint64, len(softs))
		for place, call := range softs {
			weights[place] = t.Calls[call].Num
		}
		units := uint64(0)
		for i := range t.Calls {
			if c := &t.Calls[i]; c.Op.IsSoft() && c.Num == 1 {
				units++
			}
		}
		change := commonWays[i](weights, units)
		if change == nil {
			return nil
		}
		return reweighted(t, softs, func(_ int, old uint64) uint64 { return change(old) })
	}
	for {
		if err := r.each(count, change); err != nil {
			return err
		}
		if halved, err := halveWeights(r); err != nil || !halved {
			return err
		}
	}
}

// halveWeights halves all weights as often as the trace still fails. It doubles its steps until one fails, so
// that a trace that only needs small numbers does not cost a test for each bit.
func halveWeights(r *reducer) (halved bool, err error) {
	grows := true
	for step := 1; step > 0; {
		t := r.best
		smaller, err := r.try(func() *trace.Trace {
			return reweighted(t, heavy(t), func(_ int, old uint64) uint64 { return (old-1)>>step + 1 })
		})
		if err != nil {
			return halved, err
		}
		halved = halved || smaller
		switch {
		case !smaller:
			grows = false
			step /= 2
		case grows:
			step *= 2
		}
	}
	return halved, nil
}

// overflows are sums of weights at which solvers overflow.
var overflows = []uint64{1 << 63, 1 << 62, 1 << 32, 1 << 31}

// worthwhile reports whether a lower number would be easier to read. Among numbers of one digit,
// it would not, so it counts only in a thorough search.
func (r *reducer) worthwhile(number uint64) bool {
	const oneDigit = 10
	return number >= oneDigit || r.thorough
}

// leastWeights searches for the least weights with which the trace still fails:
// first for calls with the same weight together, then for each call.
func leastWeights(r *reducer) error {
	var values []uint64
	for _, call := range heavy(r.best) {
		values = append(values, r.best.Calls[call].Num)
	}
	slices.Sort(values)
	for _, value := range slices.Compact(values) {
		if !r.worthwhile(value) {
			continue
		}
		var same []int
		for _, call := range heavy(r.best) {
			if r.best.Calls[call].Num == value {
				same = append(same, call)
			}
		}
		if len(same) > 1 {
			if err := r.leastNumber(same, 1, value, hunt{rough: !r.thorough}); err != nil {
				return err
			}
		}
	}
	for _, call := range heavy(r.best) {
		if !r.worthwhile(r.best.Calls[call].Num) {
			continue
		}
		done, err := r.leastSum(call)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		if err := r.leastNumber([]int{call}, 1, r.best.Calls[call].Num, hunt{rough: !r.thorough}); err != nil {
			return err
		}
	}
	return nil
}

// leastSum tries weights whose sum is a power of two at which sums overflow. It reports
// whether a sum of one less no longer fails, which saves a search through sixty bits.
func (r *reducer) leastSum(call int) (done bool, err error) {
	sum := uint64(0)
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op.IsSoft() {
			if sum += c.Num; sum < c.Num {
				return false, nil
			}
		}
	}
	weight := r.best.Calls[call].Num
	for _, power := range []uint64{1 << 32, 1 << 53, 1 << 62, 1 << 63} {
		if sum < power || sum-power >= weight {
			continue
		}
		least := weight - (sum - power)
		try := func(n uint64) (bool, error) {
			t := r.best
			return r.try(func() *trace.Trace {
				return reweighted(t, []int{call}, func(int, uint64) uint64 { return n })
			})
		}
		if least < weight {
			found, err := try(least)
			if err != nil {
				return false, err
			}
			if !found {
				continue
			}
		}
		if least == 1 {
			return true, nil
		}
		found, err := try(least - 1)
		return err == nil && !found, err
	}
	return false, nil
}

// leastNumber searches for the least number of some calls of the best trace.
func (r *reducer) leastNumber(items []int, low, high uint64, h hunt) error {
	return r.least(low, high, h, func(t *trace.Trace, n uint64) *trace.Trace {
		return reweighted(t, items, func(int, uint64) uint64 { return n })
	})
}

// leastCounts searches for the least numbers of callbacks, limits, havoc and enumerate.
func leastCounts(r *reducer) error {
	for i := 0; i < len(r.best.Calls); i++ { // a lower number may make other calls illegal, so the trace may get shorter
		c := &r.best.Calls[i]
		counts := c.Op.HasNumber()
		if !counts || c.Flags&trace.Off != 0 || c.Num == 0 {
			continue
		}
		if err := r.leastNumber([]int{i}, 0, c.Num, hunt{}); err != nil {
			return err
		}
	}
	return nil
}
