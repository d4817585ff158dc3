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

// Empty reports whether the range has no numbers.
func (n Numbers) Empty() bool { return n.From >= n.To }

// A Ledger knows which numbers of a cell remain: those that no lane has taken, and those that a lane has
// taken but not finished. It stores ranges, one for each batch in progress.
type Ledger struct {
	Next  uint64          // the first number that was never taken
	Again []Numbers       // left over from an earlier run; taken before Next
	Out   []Numbers       // taken and not done, in order
	Held  map[uint64]int  // done, with the number of failures still being confirmed or reduced
	Twice map[uint64]bool // counted and held when an earlier run ended: they run again without being counted
}

// Take returns at most n consecutive numbers. New numbers are below limit.
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

// HasMore reports whether Take would return any number.
func (l *Ledger) HasMore(limit uint64) bool { return len(l.Again) > 0 || l.Next < limit }

// Done records that numbers are finished. They must be part of one range that was taken.
func (l *Ledger) Done(d Numbers) {
	if d.Empty() {
		return
	}
	at := slices.IndexFunc(l.Out, func(r Numbers) bool { return r.From <= d.From && d.To <= r.To })
	if at < 0 {
		panic("source: done with numbers that were not taken")
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

// Hold makes a later run take the number again, unless Release is called first.
func (l *Ledger) Hold(number uint64) {
	if l.Held == nil {
		l.Held = make(map[uint64]int)
	}
	l.Held[number]++
}

// Release undoes one call of Hold.
func (l *Ledger) Release(number uint64) {
	if l.Held[number]--; l.Held[number] <= 0 {
		delete(l.Held, number)
	}
}

// Unfinished returns what a later run must take again if this one ends now: the numbers below Next that are
// not done, and those that are counted but held.
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

// ResumeLedger returns the ledger of a resumed campaign, given the results of Unfinished.
func ResumeLedger(next uint64, unfinished []Numbers, counted []uint64) Ledger {
	l := Ledger{Next: next, Again: slices.Clone(unfinished), Twice: make(map[uint64]bool)}
	for _, n := range counted { // a number that is not counted needs its own range
		l.Again, l.Twice[n] = append(l.Again, Numbers{n, n + 1}), true
	}
	return l
}
