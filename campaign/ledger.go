package campaign

import (
	"cmp"
	"slices"
)

// numbers is a range of trace numbers.
type numbers struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"` // not included
}

func (n numbers) empty() bool { return n.From >= n.To }

// A ledger knows which numbers of a cell are still to be run: those that nobody
// has taken, and those that were taken and are not through. It holds ranges, as
// many as batches are under way.
type ledger struct {
	next  uint64          // nobody has taken it or a later one
	again []numbers       // taken by a run that was ended, to be taken before next
	out   []numbers       // taken and not done, in order
	held  map[uint64]int  // done, but so many things that were seen there are not settled
	twice map[uint64]bool // held by a run that was ended: counted, to be run again and not counted
}

// take returns at most n consecutive numbers, none of them new from limit on.
func (l *ledger) take(n int, limit uint64) numbers {
	var taken numbers
	if len(l.again) > 0 {
		first := &l.again[0]
		taken = numbers{first.From, min(first.To, first.From+uint64(n))}
		if first.From = taken.To; first.empty() {
			l.again = slices.Delete(l.again, 0, 1)
		}
	} else {
		taken = numbers{l.next, max(l.next, min(limit, l.next+uint64(n)))}
		l.next = taken.To
	}
	if !taken.empty() {
		at, _ := slices.BinarySearchFunc(l.out, taken.From, func(r numbers, from uint64) int { return cmp.Compare(r.From, from) })
		l.out = slices.Insert(l.out, at, taken)
	}
	return taken
}

// hasMore reports whether take would return any.
func (l *ledger) hasMore(limit uint64) bool { return len(l.again) > 0 || l.next < limit }

// done notes that numbers, all of one range that was taken, are through.
func (l *ledger) done(d numbers) {
	if d.empty() {
		return
	}
	at := slices.IndexFunc(l.out, func(r numbers) bool { return r.From <= d.From && d.To <= r.To })
	if at < 0 {
		panic("campaign: numbers are done that nobody took")
	}
	if len(l.twice) > 0 {
		for n := d.From; n < d.To; n++ {
			delete(l.twice, n)
		}
	}
	r := l.out[at]
	var left []numbers
	for _, part := range []numbers{{r.From, d.From}, {d.To, r.To}} {
		if !part.empty() {
			left = append(left, part)
		}
	}
	l.out = slices.Replace(l.out, at, at+1, left...)
}

// hold keeps a number among those that a later run takes again, until release.
func (l *ledger) hold(number uint64) {
	if l.held == nil {
		l.held = make(map[uint64]int)
	}
	l.held[number]++
}

func (l *ledger) release(number uint64) {
	if l.held[number]--; l.held[number] <= 0 {
		delete(l.held, number)
	}
}

// unfinished are the numbers below next that are neither through nor counted, in
// order, and those that are counted, and to be run again all the same, when the run
// ends here.
func (l *ledger) unfinished() (ranges []numbers, counted []uint64) {
	for _, r := range slices.Concat(l.again, l.out) {
		from := r.From
		for n := r.From; n < r.To && len(l.twice) > 0; n++ {
			if l.twice[n] {
				ranges, from = append(ranges, numbers{from, n}), n+1
			}
		}
		ranges = append(ranges, numbers{from, r.To})
	}
	ranges = slices.DeleteFunc(ranges, numbers.empty)
	slices.SortFunc(ranges, func(a, b numbers) int { return cmp.Compare(a.From, b.From) })
	for n := range l.twice {
		counted = append(counted, n)
	}
	for n := range l.held {
		under := slices.ContainsFunc(ranges, func(r numbers) bool { return r.From <= n && n < r.To })
		if !under && !l.twice[n] {
			counted = append(counted, n)
		}
	}
	slices.Sort(counted)
	return ranges, counted
}

// resumed is the ledger of a run that goes on.
func resumed(next uint64, unfinished []numbers, counted []uint64) ledger {
	l := ledger{next: next, again: slices.Clone(unfinished), twice: make(map[uint64]bool)}
	for _, n := range counted { // each alone, apart from those that are to be counted
		l.again, l.twice[n] = append(l.again, numbers{n, n + 1}), true
	}
	return l
}
