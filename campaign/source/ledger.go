package source

import (
	"cmp"
	"slices"
)

// Numbers is a range of trace numbers.
type Numbers struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"` // not included
}

func (n Numbers) Empty() bool { return n.From >= n.To }

// A Ledger knows which numbers of a cell are still to be run: those that nobody
// has taken, and those that were taken and are not through. It holds ranges, as
// many as batches are under way.
type Ledger struct {
	Next  uint64          // nobody has taken it or a later one
	Again []Numbers       // taken by a run that was ended, to be taken before next
	Out   []Numbers       // taken and not done, in order
	Held  map[uint64]int  // done, but so many things that were seen there are not settled
	Twice map[uint64]bool // held by a run that was ended: counted, to be run again and not counted
}

// Take returns at most n consecutive numbers, none of them new from limit on.
func (l *Ledger) Take(n int, limit uint64) Numbers {
	var taken Numbers
	if len(l.Again) > 0 {
		first := &l.Again[0]
		taken = Numbers{first.From, min(first.To, first.From+uint64(n))}
		if first.From = taken.To; first.Empty() {
			l.Again = slices.Delete(l.Again, 0, 1)
		}
	} else {
		taken = Numbers{l.Next, max(l.Next, min(limit, l.Next+uint64(n)))}
		l.Next = taken.To
	}
	if !taken.Empty() {
		at, _ := slices.BinarySearchFunc(l.Out, taken.From, func(r Numbers, from uint64) int {
			return cmp.Compare(r.From, from)
		})
		l.Out = slices.Insert(l.Out, at, taken)
	}
	return taken
}

// HasMore reports whether take would return any.
func (l *Ledger) HasMore(limit uint64) bool { return len(l.Again) > 0 || l.Next < limit }

// Done notes that numbers, all of one range that was taken, are through.
func (l *Ledger) Done(d Numbers) {
	if d.Empty() {
		return
	}
	at := slices.IndexFunc(l.Out, func(r Numbers) bool { return r.From <= d.From && d.To <= r.To })
	if at < 0 {
		panic("campaign: numbers are done that nobody took")
	}
	if len(l.Twice) > 0 {
		for n := d.From; n < d.To; n++ {
			delete(l.Twice, n)
		}
	}
	r := l.Out[at]
	var left []Numbers
	for _, part := range []Numbers{{r.From, d.From}, {d.To, r.To}} {
		if !part.Empty() {
			left = append(left, part)
		}
	}
	l.Out = slices.Replace(l.Out, at, at+1, left...)
}

// Hold keeps a number among those that a later run takes again, until release.
func (l *Ledger) Hold(number uint64) {
	if l.Held == nil {
		l.Held = make(map[uint64]int)
	}
	l.Held[number]++
}

func (l *Ledger) Release(number uint64) {
	if l.Held[number]--; l.Held[number] <= 0 {
		delete(l.Held, number)
	}
}

// Unfinished are the numbers below next that are neither through nor counted, in
// order, and those that are counted, and to be run again all the same, when the run
// ends here.
func (l *Ledger) Unfinished() (ranges []Numbers, counted []uint64) {
	for _, r := range slices.Concat(l.Again, l.Out) {
		from := r.From
		for n := r.From; n < r.To && len(l.Twice) > 0; n++ {
			if l.Twice[n] {
				ranges, from = append(ranges, Numbers{from, n}), n+1
			}
		}
		ranges = append(ranges, Numbers{from, r.To})
	}
	ranges = slices.DeleteFunc(ranges, Numbers.Empty)
	slices.SortFunc(ranges, func(a, b Numbers) int { return cmp.Compare(a.From, b.From) })
	for n := range l.Twice {
		counted = append(counted, n)
	}
	for n := range l.Held {
		under := slices.ContainsFunc(ranges, func(r Numbers) bool { return r.From <= n && n < r.To })
		if !under && !l.Twice[n] {
			counted = append(counted, n)
		}
	}
	slices.Sort(counted)
	return ranges, counted
}

// ResumeLedger is the Ledger of a run that goes on.
func ResumeLedger(next uint64, unfinished []Numbers, counted []uint64) Ledger {
	l := Ledger{Next: next, Again: slices.Clone(unfinished), Twice: make(map[uint64]bool)}
	for _, n := range counted { // each alone, apart from those that are to be counted
		l.Again, l.Twice[n] = append(l.Again, Numbers{n, n + 1}), true
	}
	return l
}
