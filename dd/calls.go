package dd

import (
	"cmp"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// dropExpectations removes all expected answers at once. It runs first: the answers are
// right for the given trace, and a candidate with another problem has other answers. If
// the trace fails only with them, they stay, and so does everything that could change an
// answer.
func dropExpectations(r *reducer) error {
	if len(r.best.Want.Of) == 0 {
		return nil
	}
	t := r.best
	gone, err := r.try(func() *trace.Trace {
		bare := *t
		bare.Want = trace.Answers{}
		return &bare
	})
	if gone || err != nil {
		return err
	}
	var expecting []int
	for i := range r.best.Want.Of {
		if r.best.Want.Of[i].Kind != trace.NotAnswered {
			expecting = append(expecting, i)
		}
	}
	r.bound = len(expecting) > 0
	return r.items(len(expecting), func(t *trace.Trace, gone []bool) *trace.Trace {
		some := *t
		some.Want.Of = append([]trace.Answer(nil), t.Want.Of...)
		for i, call := range expecting {
			if gone[i] {
				some.Want.Of[call] = trace.Answer{}
			}
		}
		return &some
	})
}

// dropParts removes whole traces from those that the trace was joined from.
func dropParts(r *reducer) error {
	parts := r.config.Parts
	if len(parts) < 2 || r.best != r.given {
		return nil
	}
	return r.items(len(parts), func(t *trace.Trace, gone []bool) *trace.Trace {
		var kept []*trace.Trace
		for i, part := range parts {
			if !gone[i] {
				kept = append(kept, part)
			}
		}
		if len(kept) == 0 {
			return nil
		}
		joined := trace.Concat(kept...)
		joined.Notes, joined.Planted = t.Notes, t.Planted
		return joined
	})
}

// cutBehind tries to remove the calls after the failing one. They may be needed, because a
// library can see calls to come through its callbacks.
func cutBehind(r *reducer) error {
	call := r.verdict.Call
	if call < 0 || call+1 >= len(r.best.Calls) {
		return nil
	}
	t := r.best
	_, err := r.try(func() *trace.Trace { return t.Prefix(call + 1) })
	return err
}

// dropGroups removes groups of calls. Calls with group -1 stay. Its guess is that the
// failure needs the groups of the failing call and of the last solve before it, and as many
// others as others says.
func dropGroups(r *reducer, others int, groupOf func(t *trace.Trace) (groups []int, n int)) error {
	return dropGroupsOf(r, others, true, groupOf)
}

func dropGroupsOf(r *reducer, others int, atOnce bool, groupOf func(t *trace.Trace) (groups []int, n int)) error {
	groups, n := groupOf(r.best)
	failing := r.failing()
	if n < 2 && !atOnce {
		return nil
	}
	guess := guess{others: others, needed: func(group int) bool {
		return slices.ContainsFunc(failing, func(call int) bool { return groups[call] == group })
	}}
	return r.guessed(n, guess, func(t *trace.Trace, gone []bool) *trace.Trace {
		return without(t, func(i int) bool { return groups[i] >= 0 && gone[groups[i]] })
	})
}

// failing returns the last solve of the failing instance, the failing call, and the calls between
// them if these are few.
func (r *reducer) failing() []int {
	last := len(r.best.Calls) - 1
	if call := r.verdict.Call; !r.config.Any && call >= 0 && call < last {
		last = call
	}
	for i := last; i >= 0; i-- {
		if c := &r.best.Calls[i]; c.Op == apimodel.OpSolve && c.Instance == r.best.Calls[last].Instance {
			needed := []int{i, last}
			if last-i <= fewQueries {
				for j := i + 1; j < last; j++ {
					needed = append(needed, j)
				}
			}
			return needed
		}
	}
	return []int{last}
}

// failsToAnswer reports whether a query fails. A problem without variables hardly ever shows such a failure.
func (r *reducer) failsToAnswer() bool {
	call := r.verdict.Call
	return call >= 0 && call < len(r.best.Calls) && r.best.Calls[call].Op.AsksAnswer()
}

// fewQueries is how far the failing call may be behind the failing solve for the calls
// between them to count as needed.
const fewQueries = 3

// Estimates of how many groups the failure needs beside its own.
const (
	few = 0 // some: the engine assumes fewNeeded
	one = 1 // at most one, so a pass first tries to remove all
)

// numbering numbers keys in order of first occurrence.
type numbering[K comparable] map[K]int

func (n numbering[K]) of(key K) int {
	if _, known := n[key]; !known {
		n[key] = len(n)
	}
	return n[key]
}

func dropInstances(r *reducer) error {
	return dropGroups(r, one, func(t *trace.Trace) ([]int, int) {
		known := numbering[uint16]{}
		groups := make([]int, len(t.Calls))
		for i := range t.Calls {
			groups[i] = known.of(t.Calls[i].Instance)
		}
		return groups, len(known)
	})
}

type span struct {
	instance uint16
	number   int
}

// dropLives removes the calls of an instance from init to release. In a joined trace,
// these are the calls of one part.
func dropLives(r *reducer) error {
	return dropGroups(r, one, func(t *trace.Trace) ([]int, int) {
		known, life := numbering[span]{}, make(map[uint16]int)
		groups := make([]int, len(t.Calls))
		for i := range t.Calls {
			c := &t.Calls[i]
			groups[i] = known.of(span{c.Instance, life[c.Instance]})
			if c.Op == apimodel.OpRelease {
				life[c.Instance]++
			}
		}
		return groups, len(known)
	})
}

// dropIncrements removes the calls between two solves of an instance, with the
// second solve and the queries about it.
func dropIncrements(r *reducer) error {
	return dropGroups(r, one, func(t *trace.Trace) ([]int, int) {
		known, increment, solved := numbering[span]{}, make(map[uint16]int), make(map[uint16]bool)
		groups := make([]int, len(t.Calls))
		for i := range t.Calls {
			c := &t.Calls[i]
			if solved[c.Instance] && !c.Op.Does(apimodel.Asks) {
				increment[c.Instance]++
				solved[c.Instance] = false
			}
			if c.Op == apimodel.OpSolve {
				solved[c.Instance] = true
			}
			groups[i] = known.of(span{c.Instance, increment[c.Instance]})
		}
		return groups, len(known)
	})
}

// dropCalls removes calls. It removes the pieces of a clause together.
func dropCalls(r *reducer) error {
	return dropGroups(r, few, func(t *trace.Trace) ([]int, int) {
		open, n := make(map[uint16]int), 0
		groups := make([]int, len(t.Calls))
		for i := range t.Calls {
			c := &t.Calls[i]
			group, begun := open[c.Instance]
			if !begun || c.Op != apimodel.OpClause {
				group = n
				n++
			}
			groups[i] = group
			if c.Op == apimodel.OpClause && c.Flags&trace.Open != 0 {
				open[c.Instance] = group
			} else {
				delete(open, c.Instance)
			}
		}
		for _, x := range relaxationsOf(t) {
			for _, soft := range x.softs {
				groups[soft] = groups[x.clause]
			}
		}
		return byKind(t, groups, n)
	})
}

// dropKinds removes all clauses, or all soft literals and clauses, or all assumptions.
func dropKinds(r *reducer) error {
	if r.running.ran {
		return nil
	}
	others := one
	if r.failsToAnswer() {
		others = 9 // more than there are kinds: each is tried by itself
	}
	return dropGroupsOf(r, others, false, func(t *trace.Trace) ([]int, int) {
		kinds := make([]int, len(t.Calls))
		for i := range t.Calls {
			kinds[i] = kindOf(t.Calls[i].Op)
		}
		for _, x := range relaxationsOf(t) {
			kinds[x.clause] = kindOf(apimodel.OpSoft)
		}
		known := numbering[int]{}
		groups := make([]int, len(t.Calls))
		for i := range t.Calls {
			groups[i] = -1
			if kind := kinds[i]; kind != 0 && t.Calls[i].Op != apimodel.OpSolve {
				groups[i] = known.of(kind)
			}
		}
		return groups, len(known)
	})
}

// byKind renumbers groups so that groups of one kind are neighbours, and within a kind
// those that share variables. Such neighbours are needed, or not needed, together more
// often than adjacent calls.
func byKind(t *trace.Trace, groups []int, n int) ([]int, int) {
	kind, used := make([]int, n), make([]bool, n)
	for i := range t.Calls {
		kind[groups[i]] = max(kind[groups[i]], kindOf(t.Calls[i].Op))
		used[groups[i]] = true
	}
	order := slices.DeleteFunc(identity(n), func(group int) bool { return !used[group] })
	near := nearness(t, groups, n)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(kind[a], kind[b]), cmp.Compare(near[a], near[b]))
	})
	place := make([]int, n)
	for i, group := range order {
		place[group] = i
	}
	for i := range groups {
		groups[i] = place[groups[i]]
	}
	return groups, len(order)
}

func kindOf(op apimodel.Op) int {
	switch {
	case op == apimodel.OpClause:
		return 1
	case op == apimodel.OpAssume:
		return 2
	case op.IsSoft():
		return 3
	case op == apimodel.OpSolve:
		return 4
	}
	return 0
}

// mergeSolves removes solves with their assumptions and queries, which merges the
// increments before and after.
func mergeSolves(r *reducer) error {
	return dropGroupsOf(r, one, false, func(t *trace.Trace) ([]int, int) {
		groups := make([]int, len(t.Calls))
		assumed, last := make(map[uint16][]int), make(map[uint16]int)
		n := 0
		for i := range t.Calls {
			c := &t.Calls[i]
			groups[i] = -1
			switch {
			case c.Op == apimodel.OpAssume:
				assumed[c.Instance] = append(assumed[c.Instance], i)
			case c.Op == apimodel.OpSolve:
				groups[i] = n
				for _, assumption := range assumed[c.Instance] {
					groups[assumption] = n
				}
				assumed[c.Instance], last[c.Instance] = nil, n
				n++
			case c.Op.AsksAnswer():
				if solve, solved := last[c.Instance]; solved {
					groups[i] = solve
				}
			}
		}
		return groups, n
	})
}

func dropWhere(r *reducer, does apimodel.Effect) error {
	return dropGroups(r, one, func(t *trace.Trace) ([]int, int) { return doing(t, does) })
}

// doing numbers the calls with one of the effects. The other calls get -1.
func doing(t *trace.Trace, does apimodel.Effect) (groups []int, n int) {
	groups = make([]int, len(t.Calls))
	for i := range t.Calls {
		groups[i] = -1
		if t.Calls[i].Op.Does(does) {
			groups[i] = n
			n++
		}
	}
	return groups, n
}

// dropQueries removes queries. It first tries to remove all but the failing one at once. It runs
// only once, and early: if a query went later, all candidates would change, and the other passes
// would have to prove everything again. But whole kinds of calls go before, as a run of the given
// trace may take long.
func dropQueries(r *reducer) error {
	if r.running.ran {
		return nil
	}
	groups, n := doing(r.best, apimodel.Asks)
	failing := -1
	if call := r.verdict.Call; call >= 0 && call < len(groups) {
		failing = groups[call]
	}
	guess := guess{others: one, needed: func(group int) bool { return group == failing }}
	return r.guessed(n, guess, func(t *trace.Trace, gone []bool) *trace.Trace {
		return without(t, func(i int) bool { return groups[i] >= 0 && gone[groups[i]] })
	})
}

func dropSettings(r *reducer) error { return dropWhere(r, apimodel.Steers) }

// setDefaults sets options to their default values: a failure may need the call that sets
// an option, but not its value.
func setDefaults(r *reducer) error {
	var off []int
	for i := range r.best.Calls {
		c := &r.best.Calls[i]
		if c.Op != apimodel.OpOption {
			continue
		}
		name, value := r.best.Option(c)
		if o := r.config.Description.Option(name); o != nil && !o.Same(value, o.Default) {
			off = append(off, i)
		}
	}
	return r.items(len(off), func(t *trace.Trace, gone []bool) *trace.Trace {
		next := 0
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			if next < len(off) && off[next] == i {
				next++
				if gone[next-1] {
					name, _ := t.Option(c)
					b.to.SetOption(c.Instance, name, r.config.Description.Option(name).Default)
					b.expect(trace.Answer{})
					return
				}
			}
			b.keep(i)
		})
	})
}
