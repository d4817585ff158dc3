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
	next  uint64         // nobody has taken it or a later one
	again []numbers      // taken by a run that was ended, to be taken before next
	out   []numbers      // taken and not done, in order
	held  map[uint64]int // done, but so many things that were seen there are not settled
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

// unfinished are the numbers below next that are to be run again when the run
// ends here, in order.
func (l *ledger) unfinished() []numbers {
	all := slices.Concat(l.again, l.out)
	for number := range l.held {
		all = append(all, numbers{number, number + 1})
	}
	slices.SortFunc(all, func(a, b numbers) int { return cmp.Compare(a.From, b.From) })
	var joined []numbers
	for _, r := range all {
		if last := len(joined) - 1; last >= 0 && r.From <= joined[last].To {
			joined[last].To = max(joined[last].To, r.To)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// resumed is the ledger of a run that goes on.
func resumed(next uint64, unfinished []numbers) ledger {
	return ledger{next: next, again: unfinished}
}
