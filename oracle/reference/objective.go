package reference

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/oracle/reference/atmost"
)

// objective is the cost as a constant plus terms. If both x and -x cost something, every assignment pays the
// smaller weight, and only the difference depends on the assignment.
type objective struct {
	weights  [][2]uint64   // of each variable, by number-1: positive, negative
	tooGreat bool          // the sum of the weights is 2^64 or more
	floor    uint64        // the constant, unless tooGreat
	terms    []atmost.Term // what may be added to the constant
}

func (o *objective) reset(p *Problem, n *numbering) {
	o.weights = o.weights[:0]
	for range n.numbers {
		o.weights = append(o.weights, [2]uint64{})
	}
	o.terms, o.floor, o.tooGreat = o.terms[:0], 0, false
	sum := uint64(0)
	for _, soft := range p.Softs {
		var carry uint64
		if sum, carry = bits.Add64(sum, soft.Weight, 0); carry != 0 {
			o.tooGreat = true
		}
		if v := n.of(soft.Lit); v > 0 {
			o.weights[v-1][0] = addOrMost(o.weights[v-1][0], soft.Weight)
		} else {
			o.weights[-v-1][1] = addOrMost(o.weights[-v-1][1], soft.Weight)
		}
	}
	if o.tooGreat {
		return
	}
	for i, w := range o.weights {
		common := min(w[0], w[1])
		o.floor += common
		if w[0] > common {
			o.terms = append(o.terms, atmost.Term{Lit: int32(i + 1), Weight: w[0] - common})
		} else if w[1] > common {
			o.terms = append(o.terms, atmost.Term{Lit: -int32(i + 1), Weight: w[1] - common})
		}
	}
}

// addOrMost adds, and returns the greatest number if the sum is too large. Then the sum of all weights is too
// large, too, and this one serves only for comparisons.
func addOrMost(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return sum
}
