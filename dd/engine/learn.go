package engine

import (
	"cmp"
	"slices"
)

// A guess is the state of method Learned. Some items are open, in order; each group
// is known to contain at least one needed item; all others are decided. An open
// item is assumed to be needed as often as the items decided so far, starting from
// the caller's estimate.
//
// The search chooses sets of open items so large that about half of them can be removed,
// because then a test tells most. A set that cannot be removed becomes a group. Groups are
// split only when no item is open, the largest first: one half is tried, and if that fails,
// the other half is open again, since one needed item explains both failures. So each
// needed item among n costs about log2(n) tests. Neighbours, which often belong together,
// are removed together. And large sets are tried before small ones, because items that seem
// needed beside many others may be removable beside few.
type guess struct {
	open    []int
	groups  [][]int // sorted by size, the largest last
	decided int     // weighted number of decided items; the initial estimate counts, too
	needed  int     // how many of decided are needed
	streak  int     // sets removed in a row
}

const (
	// fewNeeded is the number of needed items assumed when nothing is known.
	fewNeeded = 4
	// doubt is the weight of a decided item. An item of the initial estimate has weight 1,
	// so the decided items outweigh the estimate when they are a quarter of all items.
	doubt = 4
	// progress is the share of the items, in percent, that a search with patience must
	// remove to count its tests from 0 again.
	progress = 10
	// alone is the share of needed items, in percent, above which each is tried by itself. Two of them
	// could seldom go together, and then each of them would cost a test, too.
	alone = 60
)

func newGuess(items []int, expect int) *guess {
	if expect <= 0 {
		expect = fewNeeded
	}
	n := len(items)
	return &guess{open: slices.Clone(items), decided: n, needed: max(1, min(expect, n))}
}

// next returns the set to try to remove next. It is empty if every item is decided.
func (g *guess) next() []int {
	if len(g.open) == 0 {
		if len(g.groups) == 0 {
			return nil
		}
		largest := g.groups[len(g.groups)-1]
		return largest[:len(largest)/2]
	}
	// (1-p)^size is a half for a size of about 0.69/p. After several removed sets in a row,
	// the estimate of p is too high.
	decided, needed := g.rate()
	size := max(1, 69*decided/(100*needed)) * (1 + g.streak)
	if 2*size >= len(g.open) && (size > 1 || 100*needed <= alone*decided) {
		size = len(g.open) // the small rest would cost another test
	}
	return g.open[:size]
}

// rate returns a weighted number of items, and how many of them are probably needed.
func (g *guess) rate() (decided, needed int) {
	decided, needed = g.decided, g.needed
	for _, group := range g.groups {
		decided += doubt * len(group)
		needed += doubt
	}
	return decided, needed
}

func (g *guess) decide(items, needed int) {
	g.decided += doubt * items
	g.needed += doubt * needed
}

// fails records that the set that next returned cannot be removed.
func (g *guess) fails(set []int) {
	g.streak = 0
	if len(g.open) == 0 {
		largest := g.groups[len(g.groups)-1]
		g.groups = slices.Clone(g.groups[:len(g.groups)-1])
		g.open = largest[len(set):]
	} else {
		g.open = g.open[len(set):]
	}
	g.group(set)
}

// goes records that the set that next returned was removed.
func (g *guess) goes(set []int) {
	g.streak++
	g.decide(len(set), 0)
	if len(g.open) == 0 {
		largest := g.groups[len(g.groups)-1]
		g.groups = slices.Clone(g.groups[:len(g.groups)-1])
		g.group(largest[len(set):])
	} else {
		g.open = g.open[len(set):]
	}
}

// group adds a group. A group of one item is decided.
func (g *guess) group(items []int) {
	if len(items) == 1 {
		g.decide(1, 1)
		return
	}
	at, _ := slices.BinarySearchFunc(g.groups, items, func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(b[0], a[0]))
	})
	g.groups = slices.Insert(slices.Clone(g.groups), at, items)
}

func (r *reduction[T]) learn() error {
	doubtful := r.kept
	if r.items.Needed != nil {
		doubtful = slices.DeleteFunc(slices.Clone(r.kept), r.items.Needed)
	}
	g := newGuess(doubtful, r.items.Expect)
	patience := r.items.Patience
	tests, mark := 0, len(r.kept) // tests since the last progress; number of items then
	if r.items.SomeNeeded && len(doubtful) > 1 {
		// Go on as if a test had shown that not all can go.
		g.open, g.groups = nil, [][]int{doubtful}
		tests++
	}
	for {
		// The sets that follow failures are known in advance, so tests can run ahead as if all
		// sets before them could not be removed.
		ahead, tested := *g, tests
		var sets [][]int
		index, err := r.first(func() ([]int, bool) {
			set := ahead.next()
			if len(set) == 0 || patience > 0 && tested >= patience {
				return nil, false
			}
			tested++
			sets = append(sets, set)
			ahead.fails(set)
			return r.without(set), true
		})
		if err != nil {
			return err
		}
		if index < 0 {
			if len(ahead.next()) > 0 && r.items.Impatient != nil {
				decided, needed := ahead.rate()
				r.items.Impatient(max(1, len(r.kept)*needed/decided))
			}
			return nil
		}
		for _, set := range sets[:index] {
			g.fails(set)
		}
		g.goes(sets[index])
		if tests += index + 1; 100*len(r.kept) <= (100-progress)*mark {
			tests, mark = 0, len(r.kept)
		}
	}
}
