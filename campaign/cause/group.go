package cause

import (
	"cmp"
	"slices"
	"strings"
)

// A Fault is a group of failures with one fault.
type Fault struct {
	Name     string // follows from the simplest failure, unless a simpler fault has that name
	Failures []int  // indices of the failures; the simplest, which needs least, comes first
	Possibly []string
}

// Group groups failures by their fault. Neither the groups nor their names depend on the order of the
// failures; to merge the groups of several parts, group all their failures. Two failures are in one group
// if a chain of failures that are the same leads from one to the other. A failure that is the same as members of two
// groups joins only the one that it meets first if it may need both faults: it needs the rare inputs of both, or the
// simplest failures of the groups are different and make different mistakes. Nor does it join a group with odd values
// to one with a wrong answer that no value shows, unless one needs the rare inputs that the other needs. A failure
// first meets those with its mistake.
func Group(failures []*Failure) []Fault {
	g := newGrouping(failures)
	for _, alike := range []bool{true, false} {
		for at := range g.order {
			g.join(at, alike)
		}
	}
	return g.faults()
}

// A grouping is what Group knows so far.
type grouping struct {
	failures []*Failure
	order    []int      // the indices of the failures, the simplest first
	rank     []int      // the place of each failure in order
	leader   []int      // of each failure; at the end of a chain of leaders is the simplest failure of the group
	shows    []evidence // of the group of each leader
	doubtful []pair
}

// A pair has two failures that are possibly the same.
type pair struct{ a, b int }

func newGrouping(failures []*Failure) *grouping {
	n := len(failures)
	g := &grouping{failures: make([]*Failure, n), order: make([]int, n), rank: make([]int, n), leader: make([]int, n),
		shows: make([]evidence, n)}
	texts := make([]string, n)
	for i, f := range failures {
		f = f.plain()
		g.failures[i] = f
		g.order[i], g.leader[i], g.shows[i], texts[i] = i, i, f.evidence(), f.skeleton()
	}
	slices.SortStableFunc(g.order, func(a, b int) int {
		return cmp.Or(g.failures[a].simpler(g.failures[b]), strings.Compare(texts[a], texts[b]))
	})
	for at, i := range g.order {
		g.rank[i] = at
	}
	return g
}

// simplest returns the simplest failure of a group, given any.
func (g *grouping) simplest(i int) int {
	for g.leader[i] != i {
		i = g.leader[i]
	}
	return i
}

// join compares a failure with the simpler ones, and joins the groups of those that are the same. It looks at those
// that make the same mistake, or at the others.
func (g *grouping) join(at int, alike bool) {
	i, first := g.order[at], -1 // first is the simplest failure that is the same
	if of := g.simplest(i); of != i {
		first = of
	}
	for _, earlier := range g.order[:at] {
		a, b := g.simplest(earlier), g.simplest(i)
		if a == b || g.failures[earlier].mistakesApart(g.failures[i]) == alike {
			continue
		}
		switch Compare(g.failures[earlier], g.failures[i]) {
		case Same:
			one, other := g.failures[a], g.failures[b]
			if g.shows[a].contradicts(g.shows[b]) && !one.inputsWithin(other) && !other.inputsWithin(one) || first >= 0 &&
				(g.failures[i].needsBoth(g.failures[first], g.failures[earlier]) ||
					Compare(one, other) == Different && !one.sharesMistake(other)) {
				g.doubtful = append(g.doubtful, pair{earlier, i})
				continue
			}
			if first < 0 {
				first = earlier
			}
			if g.rank[a] > g.rank[b] {
				a, b = b, a
			}
			g.leader[b] = a
			g.shows[a] |= g.shows[b]
		case Possibly:
			g.doubtful = append(g.doubtful, pair{earlier, i})
		}
	}
}

// faults names the groups, and links those with failures that are possibly the same.
func (g *grouping) faults() (faults []Fault) {
	place := make(map[int]int) // of the fault in faults, by its simplest failure
	named := make(map[string]bool)
	for _, i := range g.order {
		simplest := g.simplest(i)
		at, known := place[simplest]
		if !known {
			at = len(faults)
			place[simplest] = at
			name := g.failures[simplest].name()
			if named[name] {
				name = g.failures[simplest].Variety()
			}
			named[name] = true
			faults = append(faults, Fault{Name: name})
		}
		faults[at].Failures = append(faults[at].Failures, i)
	}
	for _, p := range g.doubtful {
		a, b := &faults[place[g.simplest(p.a)]], &faults[place[g.simplest(p.b)]]
		if a != b {
			a.Possibly, b.Possibly = append(a.Possibly, b.Name), append(b.Possibly, a.Name)
		}
	}
	for i := range faults {
		slices.Sort(faults[i].Possibly)
		faults[i].Possibly = slices.Compact(faults[i].Possibly)
	}
	return faults
}

// simpler orders failures: first those that need less, then those with fewer calls and literals.
func (f *Failure) simpler(g *Failure) int {
	if order := cmp.Compare(f.needs(), g.needs()); order != 0 {
		return order
	}
	switch {
	case f.Minimal == nil && g.Minimal == nil:
		return cmp.Compare(f.Location, g.Location)
	case f.Minimal == nil:
		return 1
	case g.Minimal == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(len(substance(f.Minimal)), len(substance(g.Minimal))),
		cmp.Compare(len(f.Minimal.Lits), len(g.Minimal.Lits)))
}

// needs returns how many things the failure needs.
func (f *Failure) needs() int {
	if f.Cause == "" {
		return len(variants)
	}
	return len(f.Cause.Needs())
}

// skeleton returns the place, the symptom, the cause and the minimal trace as text, without queries.
func (f *Failure) skeleton() string {
	text := []byte(f.Location + "\n" + f.Symptom + "\n" + string(f.Cause) + "\n")
	if f.Cause == "" {
		text = append(text, f.Key+"\n"...)
	}
	if f.Minimal == nil {
		return string(text)
	}
	for _, i := range substance(f.Minimal) {
		text = append(f.Minimal.AppendRequest(text, i), '\n')
	}
	return string(text)
}
