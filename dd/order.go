package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// putInOrder sorts the literals of clauses, and the calls between two solves:
// clauses, soft literals, assumptions.
func putInOrder(r *reducer) error {
	if err := sortLiterals(r); err != nil {
		return err
	}
	return sortCalls(r)
}

func sortLiterals(r *reducer) error {
	var unsorted []int
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op.IsClause() && !slices.IsSortedFunc(r.best.Args(c), compareLits) {
			unsorted = append(unsorted, i)
		}
	}
	return r.items(len(unsorted), func(t *trace.Trace, gone []bool) *trace.Trace {
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			b.keep(i)
			if place, found := slices.BinarySearch(unsorted, i); found && gone[place] {
				slices.SortFunc(b.to.Args(&b.to.Calls[len(b.to.Calls)-1]), compareLits)
			}
		})
	})
}

func sortCalls(r *reducer) error {
	var runs [][2]int
	for from := 0; from < len(r.best.Calls); {
		to := endOfRun(r.best, from)
		if to-from > 1 {
			runs = append(runs, [2]int{from, to})
		}
		from = max(to, from+1)
	}
	return r.items(len(runs), func(t *trace.Trace, gone []bool) *trace.Trace {
		order := identity(len(t.Calls))
		for i, run := range runs {
			if gone[i] {
				slices.SortStableFunc(order[run[0]:run[1]], func(a, b int) int { return compareCalls(t, a, b) })
			}
		}
		return reordered(t, order)
	})
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func reordered(t *trace.Trace, order []int) *trace.Trace {
	return rewrite(t, func(b *builder, i int, _ *trace.Call) { b.keep(order[i]) })
}

// normalForm does in one test what the cosmetic passes do in several: it makes most literals
// positive, removes gaps in numbers, and sorts everything. Later candidates then already have
// these names, and need no second test after a renaming.
func normalForm(r *reducer) error {
	t := r.best
	_, err := r.try(func() *trace.Trace {
		balance := balanceOf(t)
		n := renamed(t, func(lit int32) int32 {
			if balance[trace.Var(lit)] < 0 {
				return -lit
			}
			return lit
		})
		instances := numbering[uint16]{}
		n = reinstanced(n, func(instance uint16) uint16 { return uint16(instances.of(instance)) })
		vars := numbering[int32]{}
		number := func(lit int32) int32 {
			v := int32(vars.of(trace.Var(lit))) + 1
			if lit < 0 {
				return -v
			}
			return v
		}
		n = renamed(n, number)
		const settled = 4 // rounds: sorting by new names may change the order of first occurrence
		for range settled {
			before := keyOf(n)
			n = sorted(n)
			clear(vars)
			n = renamed(n, number)
			if keyOf(n) == before {
				break
			}
		}
		return n
	})
	return err
}

// sorted sorts all movable calls and literals.
func sorted(t *trace.Trace) *trace.Trace {
	to := rewrite(t, func(b *builder, i int, c *trace.Call) {
		b.keep(i)
		if c.Op.IsClause() {
			slices.SortFunc(b.to.Args(&b.to.Calls[len(b.to.Calls)-1]), compareLits)
		}
	})
	order := identity(len(to.Calls))
	for from := 0; from < len(order); {
		end := endOfRun(to, from)
		if end > from {
			slices.SortStableFunc(order[from:end], func(a, b int) int { return compareCalls(to, a, b) })
		}
		from = max(end, from+1)
	}
	return reordered(to, order)
}
