package cause

import (
	"cmp"
	"slices"
	"strings"
)

// A Fault is a group of failures with one fault.
type Fault struct {
	Name     string
	Failures []int    // indices of the failures; the simplest, which needs least, comes first
	Possibly []string // names of other faults: the simplest failures are possibly the same
}

// Group groups failures by their fault. Neither the groups nor their names depend on the order of the failures. To
// merge the groups of several parts, group all their failures.
func Group(failures []*Failure) (faults []Fault) {
	texts := make([]string, len(failures))
	var order []int
	for i, f := range failures {
		order, texts[i] = append(order, i), f.skeleton()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(failures[a].simpler(failures[b]), strings.Compare(texts[a], texts[b]))
	})
	place, named := make(map[string]int), make(map[string]bool)
	for _, i := range order {
		f := failures[i]
		at, known := place[f.identity()]
		if !known {
			at = len(faults)
			place[f.identity()] = at
			name := f.name()
			if named[name] {
				name = f.fullName()
			}
			named[name] = true
			faults = append(faults, Fault{Name: name})
		}
		faults[at].Failures = append(faults[at].Failures, i)
	}
	for i := range faults {
		for k := range faults {
			if i != k && Compare(failures[faults[i].Failures[0]], failures[faults[k].Failures[0]]) == Possibly {
				faults[i].Possibly = append(faults[i].Possibly, faults[k].Name)
			}
		}
		slices.Sort(faults[i].Possibly)
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
