package dd

import (
	"cmp"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// dropComponents removes parts of the problem that share no variable with the rest. It tries all
// but the largest at once, then half of them. Other passes would need a test for each call.
func dropComponents(r *reducer) error {
	groups, n := componentsOf(r.best)
	if n < 2 {
		return nil
	}
	return r.guessed(n-1, guess{others: one}, func(t *trace.Trace, gone []bool) *trace.Trace {
		return without(t, func(i int) bool { return groups[i] > 0 && gone[groups[i]-1] })
	})
}

// componentsOf numbers the calls that pose the problem by the component of their variables,
// the largest first. Other calls get -1.
func componentsOf(t *trace.Trace) (groups []int, n int) {
	parent := make(map[place]place)
	root := func(p place) place {
		if _, known := parent[p]; !known {
			parent[p] = p
		}
		for parent[p] != p {
			parent[p] = parent[parent[p]]
			p = parent[p]
		}
		return p
	}
	poses := func(i int) []int32 {
		if c := &t.Calls[i]; orderOf(c) >= 0 {
			return t.Args(c)
		}
		return nil
	}
	for i := range t.Calls {
		instance := t.Calls[i].Instance
		if lits := poses(i); len(lits) > 0 {
			first := root(place{instance, trace.Var(lits[0])})
			for _, lit := range lits[1:] {
				parent[root(place{instance, trace.Var(lit)})] = first
			}
			if inPieces(t, i) { // all pieces of a clause belong to one component
				parent[root(place{instance, 0})] = root(first)
			}
		}
	}
	known, sizes := numbering[place]{}, []int(nil)
	groups = make([]int, len(t.Calls))
	for i := range t.Calls {
		groups[i] = -1
		if lits := poses(i); len(lits) > 0 {
			if groups[i] = known.of(root(place{t.Calls[i].Instance, trace.Var(lits[0])})); groups[i] == len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[groups[i]]++
		}
	}
	order := identity(len(sizes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	rank := make([]int, len(order))
	for at, group := range order {
		rank[group] = at
	}
	for i := range groups {
		if groups[i] >= 0 {
			groups[i] = rank[groups[i]]
		}
	}
	return groups, len(sizes)
}

// The clauses that a failure needs mostly share variables. So passes put clauses that share
// variables side by side. Then most sets that they try contain nothing that is needed, or
// several needed clauses at once.

// nearness numbers groups of calls by a breadth-first search over shared variables, so that
// groups near each other get near numbers.
func nearness(t *trace.Trace, groups []int, n int) []int {
	vars := make([][]int32, n)
	with := make(map[int32][]int) // the groups of each variable that the search has not reached
	for i := range t.Calls {
		for _, lit := range litsOf(t, i) {
			v := trace.Var(lit)
			vars[groups[i]] = append(vars[groups[i]], v)
			with[v] = append(with[v], groups[i])
		}
	}
	near := make([]int, n)
	met := make([]bool, n)
	next := 0
	for first := range n {
		if met[first] {
			continue
		}
		met[first] = true
		for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
			near[queue[0]] = next
			next++
			for _, v := range vars[queue[0]] {
				for _, group := range with[v] {
					if !met[group] {
						met[group] = true
						queue = append(queue, group)
					}
				}
				delete(with, v)
			}
		}
	}
	return near
}
