package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// dropVariables removes all literals of some variables, and the calls that lose all their
// literals. These calls may be clauses: to keep an empty clause would change the problem
// completely.
func dropVariables(r *reducer) error {
	relaxations := relaxationsOf(r.best)
	vars := unrelaxed(r.best, relaxations)
	number := make(map[int32]int, len(vars))
	for i, v := range vars {
		number[v] = i
	}
	byClause := relaxed(relaxations)
	return r.items(len(vars), func(t *trace.Trace, gone []bool) *trace.Trace {
		return dropLits(t, byClause, func(_ int, _ int, lit int32) bool {
			i, known := number[trace.Var(lit)]
			return known && gone[i]
		})
	})
}

func unrelaxed(t *trace.Trace, relaxations map[place]*relaxation) []int32 {
	relaxing := make(map[int32]bool)
	for at := range relaxations {
		relaxing[at.variable] = true
	}
	return slices.DeleteFunc(t.Variables(), func(v int32) bool { return relaxing[v] })
}

// fewLiterals is how many literals of a small formula are assumed to be needed.
const fewLiterals = 4

func dropLiterals(r *reducer) error {
	byClause := relaxed(relaxationsOf(r.best))
	n, first := 0, make([]int, len(r.best.Calls))
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op.IsClause() {
			first[i] = n
			n += int(c.Len)
		}
	}
	var places []int // the places of literals that are not relaxations
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op.IsClause() {
			for at, lit := range r.best.Args(c) {
				if x := byClause[i]; x == nil || x.lit != lit {
					places = append(places, first[i]+at)
				}
			}
		}
	}
	// At least a quarter of the literals of those clauses that are left is mostly needed.
	guess := guess{others: max(fewLiterals, len(places)/4)}
	return r.guessed(len(places), guess, func(t *trace.Trace, gone []bool) *trace.Trace {
		dropped := make([]bool, n)
		for i, at := range places {
			dropped[at] = gone[i]
		}
		return dropLits(t, byClause, func(call, at int, _ int32) bool {
			return t.Calls[call].Op.IsClause() && dropped[first[call]+at]
		})
	})
}

// dropLits removes literals from all calls. A soft clause that loses all literals but its
// relaxation loses that, too.
func dropLits(t *trace.Trace, byClause map[int]*relaxation, gone func(call, at int, lit int32) bool) *trace.Trace {
	dead := make(map[int]bool)
	for i, x := range byClause {
		left := 0
		for at, lit := range t.Args(&t.Calls[i]) {
			if lit != x.lit && !gone(i, at, lit) {
				left++
			}
		}
		if left == 0 && t.Calls[i].Len > 1 {
			dead[i] = true
			for _, soft := range x.softs {
				dead[soft] = true
			}
		}
	}
	return rewrite(t, func(b *builder, i int, c *trace.Call) {
		switch {
		case dead[i]:
		case c.Op.Binds():
			b.unbind(i, func(at int, v int32) bool { return gone(i, at, v) })
		case c.Op.Form().HasList(): // a clause of any kind, which may be empty
			b.shorten(i, func(at int, lit int32) bool { return gone(i, at, lit) })
		case !c.Op.HasLits() || !gone(i, 0, t.Lit(c)):
			b.keep(i)
		}
	})
}

// shorten keeps clause i without some of its literals. If the clause loses all of them,
// shorten drops it, unless it is a last piece, which ends a clause.
func (b *builder) shorten(i int, gone func(place int, lit int32) bool) {
	c := &b.from.Calls[i]
	all := b.from.Args(c)
	lits := make([]int32, 0, len(all))
	for place, lit := range all {
		if !gone(place, lit) {
			lits = append(lits, lit)
		}
	}
	switch {
	case len(lits) == len(all):
		b.keep(i)
	case len(lits) > 0 || b.isOpen(c.Instance) && c.Flags&trace.Open == 0:
		b.call(c.Op, c.Flags, c.Instance, c.Num, lits...)
	}
}

// isOpen reports whether the instance has an unfinished clause.
func (b *builder) isOpen(instance uint16) bool {
	for i := len(b.to.Calls) - 1; i >= 0; i-- {
		if c := &b.to.Calls[i]; c.Instance == instance {
			return c.Op == apimodel.OpClause && c.Flags&trace.Open != 0
		}
	}
	return false
}

// emptyClauses empties unit clauses: one empty clause may replace two clauses that
// contradict each other.
func emptyClauses(r *reducer) error {
	var units []int
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op.IsClause() && c.Len == 1 && c.Flags&trace.Open == 0 {
			units = append(units, i)
		}
	}
	return r.items(len(units), func(t *trace.Trace, gone []bool) *trace.Trace {
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			if place, unit := slices.BinarySearch(units, i); unit && gone[place] {
				b.call(c.Op, c.Flags, c.Instance, c.Num)
				return
			}
			b.keep(i)
		})
	})
}

// joinPieces removes single pieces of clauses that take several calls, or joins the
// pieces.
func joinPieces(r *reducer) error {
	err := dropGroups(r, few, func(t *trace.Trace) ([]int, int) {
		groups, n := make([]int, len(t.Calls)), 0
		for i := range t.Calls {
			groups[i] = -1
			if inPieces(t, i) {
				groups[i] = n
				n++
			}
		}
		return groups, n
	})
	if err != nil {
		return err
	}
	var pieces []int
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op == apimodel.OpClause && c.Flags&trace.Open != 0 {
			pieces = append(pieces, i)
		}
	}
	return r.items(len(pieces), func(t *trace.Trace, gone []bool) *trace.Trace {
		carried := make(map[uint16][]int32)
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			if c.Op != apimodel.OpClause {
				b.keep(i)
				return
			}
			lits := slices.Concat(carried[c.Instance], t.Args(c))
			carried[c.Instance] = nil
			if place, piece := slices.BinarySearch(pieces, i); piece && gone[place] {
				carried[c.Instance] = lits
				return
			}
			if len(lits) == int(c.Len) {
				b.keep(i)
				return
			}
			b.call(c.Op, c.Flags, c.Instance, 0, lits...)
		})
	})
}
