package atmost

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A totalizer is a tree over the terms. A node has a literal for each possible sum of the terms below it. The
// literal is true if some of the true ones make that sum. All sums above the bound count as one. Unlike with
// adders, propagation notices at once what exceeds the bound, so refutations are much shorter. But there may
// be as many sums as subsets of terms.
type node struct {
	sums        []uint64 // ascending, without 0
	literals    []int32
	left, right *node
}

// totalizer returns the tree, without inner literals, or nil if it would need more clauses than
// allowed. It also returns nil for the greatest bound, which no sum exceeds.
func totalizer(terms []Term, bound uint64, allowed int) *node {
	if bound == math.MaxUint64 {
		return nil
	}
	// Equal weights side by side have fewer sums.
	terms = slices.Clone(terms)
	slices.SortStableFunc(terms, func(a, b Term) int { return cmp.Compare(a.Weight, b.Weight) })
	return grow(terms, bound, &allowed)
}

func grow(terms []Term, bound uint64, allowed *int) *node {
	if len(terms) == 1 {
		return &node{sums: []uint64{terms[0].Weight}, literals: []int32{terms[0].Lit}}
	}
	left := grow(terms[:len(terms)/2], bound, allowed)
	if left == nil {
		return nil
	}
	right := grow(terms[len(terms)/2:], bound, allowed)
	if right == nil {
		return nil
	}
	*allowed -= (len(left.sums)+1)*(len(right.sums)+1) - 1
	if *allowed < 0 {
		return nil
	}
	n := &node{left: left, right: right}
	n.sums = append(append(n.sums, left.sums...), right.sums...)
	for _, a := range left.sums {
		for _, b := range right.sums {
			n.sums = append(n.sums, capped(a, b, bound))
		}
	}
	slices.Sort(n.sums)
	n.sums = slices.Compact(n.sums)
	return n
}

// capped returns the sum of two numbers, or bound+1 if that is smaller. Neither number may be above bound+1.
func capped(a, b, bound uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 || sum > bound {
		return bound + 1
	}
	return sum
}

func (n *node) literal(sum uint64) int32 {
	i, _ := slices.BinarySearch(n.sums, sum)
	return n.literals[i]
}

func (e *encoder) count(n *node, bound uint64) {
	if n.left == nil {
		return
	}
	e.count(n.left, bound)
	e.count(n.right, bound)
	for range n.sums {
		n.literals = append(n.literals, e.variable())
	}
	for i, a := range n.left.sums {
		e.add(-n.left.literals[i], n.literal(a))
	}
	for j, b := range n.right.sums {
		e.add(-n.right.literals[j], n.literal(b))
	}
	for i, a := range n.left.sums {
		for j, b := range n.right.sums {
			e.add(-n.left.literals[i], -n.right.literals[j], n.literal(capped(a, b, bound)))
		}
	}
}

// forbid excludes the sums above the bound.
func (e *encoder) forbid(root *node, bound uint64) {
	if last := len(root.sums) - 1; root.sums[last] > bound {
		e.add(-root.literals[last])
	}
}
