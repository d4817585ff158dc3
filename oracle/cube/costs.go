package cube

import (
	"cmp"
	"math"
	"slices"
)

// Costs is an objective over the dimensions of a set. If both literals of a variable cost something, every
// assignment pays for one of them. So the smaller weight goes into the constant, and one weight for one
// literal remains. The sum of all weights must be below 2^64.
type Costs struct {
	constant uint64
	low      []lowCost // the six dimensions inside a word, heaviest first
	high     []highCost
	mixed    []mixedCost // if AddIf was called: low and the costs of conditions, heaviest first
	within   []lowCost   // those of mixed that differ inside the word being searched
}

// NoCost is larger than the cost of any assignment.
const NoCost = math.MaxUint64

type lowCost struct {
	set    uint64 // the assignments of a word that pay
	weight uint64
	rest   uint64 // the sum of this weight and all lighter ones
}

type highCost struct {
	bit, when uint32 // words whose index masked with bit is when pay
	weight    uint64
}

// A mixedCost is what the assignments that fulfil a condition pay.
type mixedCost struct {
	when   Condition
	weight uint64
}

// Reset makes every assignment cost nothing and keeps the memory.
func (c *Costs) Reset() {
	c.constant = 0
	c.low = c.low[:0]
	c.high = c.high[:0]
	c.mixed = c.mixed[:0]
}

// AddConstant adds what every assignment costs.
func (c *Costs) AddConstant(cost uint64) { c.constant += cost }

// Constant returns what every assignment costs at least.
func (c *Costs) Constant() uint64 { return c.constant }

// Add adds a variable: the cost of making it true, and of making it false.
func (c *Costs) Add(dim int8, weights [2]uint64) {
	base := min(weights[0], weights[1])
	c.constant += base
	sign, weight := 0, weights[0]-base
	if weight == 0 {
		sign, weight = 1, weights[1]-base
	}
	if weight == 0 {
		return
	}
	if dim >= wordDims {
		bit := uint32(1) << (dim - wordDims)
		c.high = append(c.high, highCost{bit, bit &^ -uint32(sign), weight})
		return
	}
	i := len(c.low)
	c.low = append(c.low, lowCost{})
	for ; i > 0 && c.low[i-1].weight < weight; i-- {
		c.low[i] = c.low[i-1]
	}
	c.low[i] = lowCost{set: inWord[dim] ^ -uint64(sign), weight: weight}
}

// AddIf adds what the assignments that fulfil the condition cost.
func (c *Costs) AddIf(k *Condition, weight uint64) {
	switch {
	case k.never():
	case k.care == 0 && k.low == ^uint64(0):
		c.constant += weight
	default:
		c.mixed = append(c.mixed, mixedCost{*k, weight})
	}
}

// Finish prepares a search; it follows the last Add and AddIf.
func (c *Costs) Finish() {
	if len(c.mixed) == 0 {
		sumUp(c.low)
		return
	}
	for i := range c.low {
		c.mixed = append(c.mixed, mixedCost{Condition{low: c.low[i].set}, c.low[i].weight})
	}
	slices.SortFunc(c.mixed, func(a, b mixedCost) int { return cmp.Compare(b.weight, a.weight) })
}

func sumUp(low []lowCost) {
	sum := uint64(0)
	for i := len(low) - 1; i >= 0; i-- {
		sum += low[i].weight
		low[i].rest = sum
	}
}

// ofWord returns a lower bound on the cost of every assignment in a word.
func (c *Costs) ofWord(word uint32) uint64 {
	cost := c.constant
	for i := range c.high {
		if h := &c.high[i]; word&h.bit == h.when {
			cost += h.weight
		}
	}
	return cost
}

// mixWord is ofWord if AddIf was called. It also returns what some assignments in the word cost beyond that.
func (c *Costs) mixWord(word uint32) (cost uint64, low []lowCost) {
	cost = c.ofWord(word)
	c.within = c.within[:0]
	for i := range c.mixed {
		switch m := &c.mixed[i]; {
		case word&m.when.care != m.when.high:
		case m.when.low == ^uint64(0):
			cost += m.weight
		default:
			c.within = append(c.within, lowCost{set: m.when.low, weight: m.weight})
		}
	}
	sumUp(c.within)
	return cost, c.within
}

// Least returns the smallest cost of an assignment in the set that fulfils the condition, if it is below
// best, and otherwise best. Callers pass the cost of a known solution as best, or NoCost. The search goes
// word by word. Inside a word, it splits the set by one weight after the other, the half that pays nothing
// first. The best cost so far prunes nearly everything.
func (c *Costs) Least(set *Set, k *Condition, best uint64) uint64 {
	if k.never() {
		return best
	}
	set.settle()
	free := uint32(len(set.words)-1) &^ k.care
	for s := uint32(0); ; {
		if w := set.words[s|k.high] & k.low; w != 0 {
			base, low := c.ofWord(s|k.high), c.low
			if len(c.mixed) > 0 {
				base, low = c.mixWord(s | k.high)
			}
			if base < best {
				best = leastInWord(low, w, base, best)
			}
		}
		if s = (s - free) & free; s == 0 {
			return best
		}
	}
}

func leastInWord(low []lowCost, set, cost, best uint64) uint64 {
	for i := range low {
		l := &low[i]
		paid, unpaid := set&l.set, set&^l.set
		switch {
		case paid == 0: // nothing to split
		case unpaid == 0:
			cost += l.weight
			if cost >= best {
				return best
			}
		default:
			best = leastInWord(low[i+1:], unpaid, cost, best)
			cost += l.weight
			if cost >= best {
				return best
			}
			set = paid
		}
	}
	return min(cost, best)
}

// Exactly reports whether an assignment in the set that fulfils the condition has exactly that cost.
func (c *Costs) Exactly(set *Set, k *Condition, cost uint64) bool {
	if k.never() {
		return false
	}
	set.settle()
	free := uint32(len(set.words)-1) &^ k.care
	for s := uint32(0); ; {
		if w := set.words[s|k.high] & k.low; w != 0 {
			base, low := c.ofWord(s|k.high), c.low
			if len(c.mixed) > 0 {
				base, low = c.mixWord(s | k.high)
			}
			if base <= cost && exactlyInWord(low, w, cost-base) {
				return true
			}
		}
		if s = (s - free) & free; s == 0 {
			return false
		}
	}
}

func exactlyInWord(low []lowCost, set, left uint64) bool {
	for i := range low {
		l := &low[i]
		if left > l.rest {
			return false
		}
		if unpaid := set &^ l.set; unpaid != 0 && exactlyInWord(low[i+1:], unpaid, left) {
			return true
		}
		if set &= l.set; set == 0 || left < l.weight {
			return false
		}
		left -= l.weight
	}
	return left == 0
}
