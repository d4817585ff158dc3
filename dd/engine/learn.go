package engine

import "slices"

// A guess is what the learned method believes. Some of the items are open, in
// their order; those of the group are known to hold at least one that is
// needed; all others are decided. The probability that an open item is needed is
// that of the items decided so far, which begins with a guess.
//
// A set of open items is chosen so large that it can be left out in about half
// of all cases: then a test tells most. Of a set that cannot, one half is tried
// next, and so on down to one item; the other halves are open again, since the
// needed one that is known to be there explains the failure. So an item that is
// needed among n costs about log2(n) tests, and neighbours, which often belong
// together, go together.
type guess struct {
	open    []int
	group   []int
	decided int // items, with the weight of the first guess
	needed  int // of them
}

const (
	// fewNeeded is how many items are supposed to be needed when nothing is known.
	fewNeeded = 4
	// doubt is what a decided item weighs against one of the first guess: the
	// guess is outvoted when a quarter of the items is decided.
	doubt = 4
)

func newGuess(items []int, expect int) *guess {
	if expect <= 0 {
		expect = fewNeeded
	}
	n := len(items)
	return &guess{open: slices.Clone(items), decided: n, needed: max(1, min(expect, n))}
}

// next returns the set to leave out, empty when every item is decided.
func (g *guess) next() []int {
	if len(g.group) > 0 {
		return g.group[:len(g.group)/2]
	}
	// (1-p)^size is a half for a size of about 0.69/p.
	size := max(1, 69*g.decided/(100*g.needed))
	if 2*size > len(g.open) {
		size = len(g.open) // the rest would cost a test of its own
	}
	return g.open[:size]
}

func (g *guess) decide(items, needed int) {
	g.decided += doubt * items
	g.needed += doubt * needed
}

// fails learns that the set cannot be left out.
func (g *guess) fails(set []int) {
	if len(g.group) > 0 {
		g.open = slices.Concat(g.group[len(set):], g.open)
	} else {
		g.open = g.open[len(set):]
	}
	g.group = set
	g.settle()
}

// goes learns that the set was left out.
func (g *guess) goes(set []int) {
	g.decide(len(set), 0)
	if len(g.group) > 0 {
		g.group = g.group[len(set):]
		g.settle()
	} else {
		g.open = g.open[len(set):]
	}
}

// settle decides a group of one item.
func (g *guess) settle() {
	if len(g.group) == 1 {
		g.decide(1, 1)
		g.group = nil
	}
}

func (r *reduction[T]) learn() error {
	doubtful := r.kept
	if r.items.Needed != nil {
		doubtful = slices.DeleteFunc(slices.Clone(r.kept), r.items.Needed)
	}
	g := newGuess(doubtful, r.items.Expect)
	for {
		// What follows a failure is known beforehand, so tests can run ahead
		// as if all before them failed.
		ahead := *g
		var sets [][]int
		index, err := r.first(func() ([]int, bool) {
			set := ahead.next()
			if len(set) == 0 {
				return nil, false
			}
			sets = append(sets, set)
			ahead.fails(set)
			return r.without(set), true
		})
		if err != nil || index < 0 {
			return err
		}
		for _, set := range sets[:index] {
			g.fails(set)
		}
		g.goes(sets[index])
	}
}
