package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// IPAMIR has only soft literals. A soft clause is a clause with one more literal, the
// relaxation, which is soft and occurs nowhere else. The passes treat both calls as one clause:
// half of it would be another problem, not a simpler one. A clause of just a soft literal is no
// soft clause: the two calls go one by one. Formula files have soft clauses, and there resolve makes one
// of both.

// A relaxation is the literal that makes a clause soft.
type relaxation struct {
	clause int   // the call of the clause
	softs  []int // the calls that set the weight
	lit    int32
}

// A place is a variable of an instance.
type place struct {
	instance uint16
	variable int32
}

func relaxationsOf(t *trace.Trace) map[place]*relaxation {
	found := make(map[place]*relaxation)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSoft {
			at := place{c.Instance, trace.Var(t.Lit(c))}
			r := found[at]
			if r == nil {
				r = &relaxation{clause: -1, lit: t.Lit(c)}
				found[at] = r
			}
			r.softs = append(r.softs, i)
			if r.lit != t.Lit(c) {
				r.lit = 0 // both polarities are soft
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() || c.Op == apimodel.OpSoft {
			continue
		}
		for _, lit := range t.Args(c) {
			at := place{c.Instance, trace.Var(lit)}
			r := found[at]
			if r == nil {
				continue
			}
			if r.lit != lit || r.clause >= 0 || c.Op != apimodel.OpClause || inPieces(t, i) {
				delete(found, at)
				continue
			}
			r.clause = i
		}
	}
	for at, r := range found {
		if r.clause < 0 || r.lit == 0 || t.Calls[r.clause].Len < 2 {
			delete(found, at)
		}
	}
	return found
}

// relaxed returns the relaxation of each soft clause, by call.
func relaxed(relaxations map[place]*relaxation) map[int]*relaxation {
	byClause := make(map[int]*relaxation)
	for _, r := range relaxations {
		if other := byClause[r.clause]; other == nil || r.lit < other.lit {
			byClause[r.clause] = r
		}
	}
	return byClause
}

// inlineSofts turns soft clauses of one literal into soft literals.
func inlineSofts(r *reducer) error {
	t := r.best
	byClause := relaxed(relaxationsOf(t))
	var units []*relaxation
	for i := range t.Calls {
		if x := byClause[i]; x != nil && t.Calls[i].Len == 2 {
			units = append(units, x)
		}
	}
	return r.guessed(len(units), guess{others: one}, func(t *trace.Trace, gone []bool) *trace.Trace {
		dropped, renamed := make(map[int]bool), make(map[int]int32)
		for i, x := range units {
			if !gone[i] {
				continue
			}
			dropped[x.clause] = true
			for _, lit := range t.Args(&t.Calls[x.clause]) {
				if lit != x.lit {
					for _, soft := range x.softs {
						renamed[soft] = -lit
					}
				}
			}
		}
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			lit, soft := renamed[i]
			switch {
			case soft:
				b.call(c.Op, c.Flags, c.Instance, c.Num, lit)
			case !dropped[i]:
				b.keep(i)
			}
		})
	})
}

// dropHalves removes one of the two calls of a soft clause, or the last literal beside a
// relaxation.
func dropHalves(r *reducer) error {
	err := dropGroups(r, one, func(t *trace.Trace) ([]int, int) {
		groups, n := make([]int, len(t.Calls)), 0
		for i := range groups {
			groups[i] = -1
		}
		for _, x := range relaxationsOf(t) {
			groups[x.clause] = 0
			for _, soft := range x.softs {
				groups[soft] = 0
			}
		}
		for i := range groups {
			if groups[i] == 0 {
				groups[i] = n
				n++
			}
		}
		return groups, n
	})
	if err != nil {
		return err
	}
	byClause := relaxed(relaxationsOf(r.best))
	var clauses []int
	for i := range r.best.Calls {
		if byClause[i] != nil && r.best.Calls[i].Len == 2 {
			clauses = append(clauses, i)
		}
	}
	return r.guessed(len(clauses), guess{others: one}, func(t *trace.Trace, gone []bool) *trace.Trace {
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			if n, found := slices.BinarySearch(clauses, i); found && gone[n] {
				b.shorten(i, func(_ int, lit int32) bool { return lit != byClause[i].lit })
				return
			}
			b.keep(i)
		})
	})
}

// harden replaces calls by ones that demand less of the solver: a soft literal by a hard clause that
// forbids it, a soft clause and an assumption by a clause. What is soft and the whole problem stays: with
// a clause in its place, nothing would be left to optimize. So does an empty soft clause.
func harden(r *reducer) error {
	posed := 0
	for i := range r.best.Calls {
		if movable(r.best, i) {
			posed++
		}
	}
	if posed > 1 {
		if err := r.hardened(apimodel.Op.IsSoft); err != nil {
			return err
		}
	}
	return r.hardened(func(op apimodel.Op) bool { return op == apimodel.OpAssume })
}

// hardened replaces calls of some operations by clauses.
func (r *reducer) hardened(turns func(op apimodel.Op) bool) error {
	var places []int
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; turns(c.Op) && c.Len > 0 {
			places = append(places, i)
		}
	}
	return r.items(len(places), func(t *trace.Trace, gone []bool) *trace.Trace {
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			place, found := slices.BinarySearch(places, i)
			switch {
			case !found || !gone[place]:
				b.keep(i)
			case c.Op == apimodel.OpSoft:
				b.call(apimodel.OpClause, 0, c.Instance, 0, -t.Lit(c))
			default:
				b.call(apimodel.OpClause, 0, c.Instance, 0, t.Args(c)...)
			}
		})
	})
}
