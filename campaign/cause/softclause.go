package cause

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Formula files have soft clauses of any number of literals. A trace has one file, so these variants need no lives.

// hasSoftClause returns a function that reports whether a trace has a soft clause with such literals.
func hasSoftClause(fits func(lits []int32) bool) func(t *trace.Trace) bool {
	return func(t *trace.Trace) bool {
		return slices.ContainsFunc(t.Calls, func(c trace.Call) bool {
			return c.Op == apimodel.OpSoftClause && fits(t.Args(&c))
		})
	}
}

// softClauses makes a draft in which change adds what takes the place of the soft clauses with such literals.
func softClauses(t *trace.Trace, fits func(lits []int32) bool, change func(d *draft, i int, c *trace.Call)) *draft {
	return edit(t, func(d *draft, i int, c *trace.Call) {
		if c.Op == apimodel.OpSoftClause && fits(t.Args(c)) {
			change(d, i, c)
			return
		}
		d.keep(i)
	})
}

func isEmpty(lits []int32) bool { return len(lits) == 0 }

func isTautology(lits []int32) bool {
	return slices.ContainsFunc(lits, func(lit int32) bool { return slices.Contains(lits, -lit) })
}

// isWide reports whether a clause needs one of several literals.
func isWide(lits []int32) bool { return len(distinct(lits)) > 1 && !isTautology(lits) }

func repeatsLiteral(lits []int32) bool { return len(distinct(lits)) < len(lits) }

// distinct returns each literal once.
func distinct(lits []int32) (once []int32) {
	for _, lit := range lits {
		if !slices.Contains(once, lit) {
			once = append(once, lit)
		}
	}
	return once
}

// dropSoft puts nothing in the place of a soft clause.
func dropSoft(*draft, int, *trace.Call) {}

// noEmptySofts drops empty soft clauses. The optimum gets smaller by their weights.
func noEmptySofts(t *trace.Trace) []*Version {
	return []*Version{softClauses(t, isEmpty, dropSoft).version(func(int) (same, cost bool) { return true, false })}
}

// noSoftTautologies drops soft clauses that have a literal and its negation. They never cost anything.
func noSoftTautologies(t *trace.Trace) []*Version {
	return []*Version{softClauses(t, isTautology, dropSoft).version(nil)}
}

// distinctSoftLiterals gives each literal of a soft clause only once.
func distinctSoftLiterals(t *trace.Trace) []*Version {
	return []*Version{softClauses(t, repeatsLiteral, func(d *draft, _ int, c *trace.Call) {
		d.softClause(c.Num, distinct(t.Args(c))...)
	}).version(nil)}
}

// distinctSofts gives each soft clause only once, whatever the order of its literals, with the sum of the weights.
func distinctSofts(t *trace.Trace) []*Version {
	first, sums, carry := make(map[string]int), make(map[int]uint64), uint64(0)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSoftClause {
			at := firstOf(first, t.Args(c), i)
			if sums[at], carry = bits.Add64(sums[at], c.Num, 0); carry > 0 {
				return nil
			}
		}
	}
	all := func([]int32) bool { return true }
	return []*Version{softClauses(t, all, func(d *draft, i int, _ *trace.Call) {
		if sum, stays := sums[i]; stays {
			d.keepWeight(i, sum)
		}
	}).version(nil)}
}

// firstOf returns the first call with the literals, which is i if there was none.
func firstOf(first map[string]int, lits []int32, i int) int {
	set := fmt.Sprint(slices.Compact(slices.Sorted(slices.Values(lits))))
	if at, met := first[set]; met {
		return at
	}
	first[set] = i
	return i
}

// hasRepeatedSofts reports whether a trace has a soft clause twice.
func hasRepeatedSofts(t *trace.Trace) bool {
	first := make(map[string]int)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSoftClause && firstOf(first, t.Args(c), i) != i {
			return true
		}
	}
	return false
}

// narrowSofts makes a hard clause of each soft clause of several literals, with a fresh literal whose negation is soft.
func narrowSofts(t *trace.Trace) []*Version {
	n := softClauses(t, isWide, func(d *draft, _ int, c *trace.Call) {
		fresh := d.fresh()
		d.clause(c.Instance, append(slices.Clone(t.Args(c)), fresh)...)
		d.soft(c.Instance, fresh, c.Num)
	}).version(nil)
	return []*Version{softClauses(t, isWide, func(d *draft, i int, c *trace.Call) {
		filler(c.Instance, 1)(d)
		d.keep(i)
	}).control(n)}
}

// unitSofts replaces a heavier soft clause by several of weight 1: all but one are fresh literals that imply it.
func unitSofts(t *trace.Trace) []*Version {
	copies := 0
	for i := range t.Calls {
		c := &t.Calls[i]
		switch {
		case c.Op != apimodel.OpSoftClause || c.Num <= 1 || isTautology(t.Args(c)):
		case c.Num > splittable || c.Len == 0:
			return nil
		default:
			copies += int(c.Num) - 1
		}
	}
	if copies > mostCopies {
		return nil
	}
	split := func(d *draft, c *trace.Call, lits []int32) {
		for range c.Num - 1 {
			fresh := d.fresh()
			d.clause(c.Instance, append(slices.Clone(lits), -fresh)...)
			d.soft(c.Instance, -fresh, 1)
		}
	}
	whole := func(lits []int32) bool { return !isTautology(lits) }
	n := softClauses(t, whole, func(d *draft, i int, c *trace.Call) {
		split(d, c, t.Args(c))
		d.keepWeight(i, 1)
	})
	for i := range n.to.Calls { // what is left are tautologies
		if c := &n.to.Calls[i]; c.Op == apimodel.OpSoftClause {
			c.Num = 1
		}
	}
	return []*Version{softClauses(t, whole, func(d *draft, i int, c *trace.Call) {
		others := make([]int32, c.Len)
		for k := range others {
			if c.Num > 1 {
				others[k] = d.fresh()
			}
		}
		split(d, c, others)
		d.keep(i)
	}).control(n.version(nil))}
}
