package engine

import "slices"

// A guess is the state of method Learned. Some items are open, in order; a group
// is known to contain at least one needed item; all others are decided. An open
// item is assumed to be needed as often as the items decided so far, starting from
// the caller's estimate.
//
// Sets of open items are chosen so large that about half of them can be removed:
// then a test tells most. If a set cannot, one half of it is tried next, down to a
// single item; the other halves are open again, since one needed item explains the
// failure. So each needed item among n costs about log2(n) tests, and neighbours,
// which often belong together, are removed together.
type guess struct {
	open    []int
	group   []int
	decided int // items, with the weight of the first guess
	needed  int // of them
}

const (
	// fewNeeded is the number of needed items assumed when nothing is known.
	fewNeeded = 4
	// doubt weighs a decided item against the initial estimate, which is
	// outvoted when a quarter of the items is decided.
	doubt = 4
)

func newGuess(items []int, expect int) *guess {
	if expect <= 0 {
		expect = fewNeeded
	}
	n := len(items)
	return &guess{open: slices.Clone(items), decided: n, needed: max(1, min(expect, n))}
}

// next returns the set to remove, empty when every item is decided.
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

// fails records that the set cannot be removed.
func (g *guess) fails(set []int) {
	if len(g.group) > 0 {
		g.open = slices.Concat(g.group[len(set):], g.open)
	} else {
		g.open = g.open[len(set):]
	}
	g.group = set
	g.settle()
}

// goes records that the set was removed.
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
		// The set after a failure is known in advance, so tests can run ahead
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
