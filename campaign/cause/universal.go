package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An assumption about a universal variable fixes its value. As a clause, its literal would make the formula false. So
// a version without such assumptions has, in all clauses, an existential variable in place of the universal one. In a
// second version the variable stays universal, but each clause also has the literal that the assumption made false: the
// other value satisfies all clauses. If the failure comes from the universal variable rather than from the assumption,
// it should show in the second version.

// fixed has the literals of universal variables that are assumed for the last solve of a life.
type fixed struct {
	turn turn
	lits []int32
}

// fixedUniversals returns the turns to change that assume universal variables for the last solve of a life.
func fixedUniversals(t *trace.Trace, change func(turn) bool) (all []*fixed) {
	if !t.Model.Quantified() {
		return nil
	}
	for _, u := range turnsOf(t, apimodel.OpAssume) {
		if !u.last || !change(u) {
			continue
		}
		f, universal := &fixed{turn: u}, u.life.universals(t)
		for _, i := range u.calls {
			if lit := t.Lit(&t.Calls[i]); universal[trace.Var(lit)] {
				f.lits = append(f.lits, lit)
			}
		}
		if len(f.lits) > 0 {
			all = append(all, f)
		}
	}
	return all
}

// universals returns the variables of the life that are universal at its end.
func (l *life) universals(t *trace.Trace) map[int32]bool {
	universal := make(map[int32]bool)
	var blocks []apimodel.Op
	for _, i := range l.calls {
		c := &t.Calls[i]
		if !c.Op.Binds() {
			continue
		}
		op := c.Op
		if op == apimodel.OpExtend {
			op = blocks[c.Num-1]
		} else {
			blocks = append(blocks, op)
		}
		for _, v := range t.Args(c) {
			universal[v] = op == apimodel.OpForall
		}
	}
	return universal
}

// noUniversalAssumptions takes out the assumptions of universal variables for the last solve.
func noUniversalAssumptions(t *trace.Trace) []*Version {
	if fixed := fixedUniversals(t, lastTurn); len(fixed) > 0 {
		return unfixed(t, fixed, nil)
	}
	return nil
}

// assumesUniversals reports whether the trace assumes a universal variable for any solve.
func assumesUniversals(t *trace.Trace) bool {
	if !t.Model.Quantified() {
		return false
	}
	return slices.ContainsFunc(turnsOf(t, apimodel.OpAssume), func(u turn) bool {
		universal := u.life.universals(t)
		return slices.ContainsFunc(u.calls, func(i int) bool { return universal[trace.Var(t.Lit(&t.Calls[i]))] })
	})
}

// unfixed returns the versions without assumptions of a trace that assumes universal variables. If change is nil, other
// assumptions stay.
func unfixed(t *trace.Trace, all []*fixed, change func(turn) bool) (versions []*Version) {
	of := make(map[int]*fixed) // by call of the life
	for _, f := range all {
		for _, i := range f.turn.life.calls {
			of[i] = f
		}
	}
	keepsMeaning := func(solve int) (same, cost bool) {
		same = of[solve] == nil || of[solve].turn.solve == solve
		return same, same
	}
	for _, d := range []*draft{fixedAsExistential(t, all, of), fixedInClauses(t, of)} {
		n := d.version(keepsMeaning)
		if n == nil || trace.Check(n.Trace) != nil { // a clause may name a variable that is not universal yet
			return nil
		}
		var rest []*Version
		if change != nil {
			rest = assumed(n.Trace, change)
		}
		if len(rest) == 0 {
			versions = append(versions, n)
		}
		for _, next := range rest {
			versions = append(versions, n.then(next))
		}
	}
	return versions
}

// fixedAsExistential returns a draft with fresh existential variables in place of the universal ones in clauses and in
// the assumptions for the last solve. It has no control: only variables of the outermost block may be assumed, and
// fixedInClauses adds no block.
func fixedAsExistential(t *trace.Trace, all []*fixed, of map[int]*fixed) *draft {
	in := make(map[*fixed]map[int32]int32) // the fresh variable of each universal one
	p := newPrefixes(t)
	for _, f := range all {
		p.begin(f.turn.life, func(d *draft) (fresh []int32) {
			in[f] = make(map[int32]int32)
			for _, lit := range f.lits { // each variable is assumed only once
				x := d.fresh()
				in[f][trace.Var(lit)], fresh = x, append(fresh, x)
			}
			return fresh
		})
	}
	return edit(t, func(d *draft, i int, c *trace.Call) {
		p.keep(d, i)
		f := of[i]
		if f == nil || c.Op != apimodel.OpClause && !slices.Contains(f.turn.calls, i) {
			return
		}
		kept := &d.to.Calls[len(d.to.Calls)-1]
		for k, lit := range d.to.Args(kept) {
			if x := in[f][trace.Var(lit)]; x != 0 {
				if lit < 0 {
					x = -x
				}
				d.to.Args(kept)[k] = x
			}
		}
	})
}

// fixedInClauses returns a draft without the assumptions about universal variables. Clauses that they satisfy are gone,
// and all others also have the literals that they make false.
func fixedInClauses(t *trace.Trace, of map[int]*fixed) *draft {
	satisfied, last := make(map[int]bool), make(map[int][]int32)
	for i, w := range clausesOf(t) {
		f := of[i]
		if f == nil {
			continue
		}
		if slices.ContainsFunc(w.lits, func(lit int32) bool { return slices.Contains(f.lits, lit) }) {
			for _, piece := range w.pieces {
				satisfied[piece] = true
			}
			continue
		}
		for _, lit := range f.lits {
			if !slices.Contains(w.lits, -lit) {
				last[i] = append(last[i], -lit)
			}
		}
	}
	queries := make(map[int]bool) // about literals that are no longer assumed
	for _, f := range of {
		for _, i := range f.turn.life.answers(t, f.turn.solve) {
			queries[i] = t.Calls[i].Op == apimodel.OpFailed
		}
	}
	return edit(t, func(d *draft, i int, c *trace.Call) {
		f := of[i]
		switch {
		case satisfied[i] || queries[i]:
		case f != nil && slices.Contains(f.turn.calls, i) && slices.Contains(f.lits, t.Lit(c)):
		case len(last[i]) > 0:
			d.clause(c.Instance, append(slices.Clone(t.Args(c)), last[i]...)...)
		default:
			d.keep(i)
		}
	})
}

// noAssumptions turns the assumptions of the last solve into clauses and drops all earlier assumptions.
// Earlier solves remain as history, but on other problems.
func noAssumptions(t *trace.Trace) []*Version { return assumed(t, anyTurn) }

// noLastAssumptions turns the assumptions of the last solve into clauses.
func noLastAssumptions(t *trace.Trace) []*Version { return assumed(t, lastTurn) }

// noEarlierAssumptions drops the assumptions of all solves but the last.
func noEarlierAssumptions(t *trace.Trace) []*Version { return assumed(t, earlierTurn) }

func assumed(t *trace.Trace, change func(turn) bool) []*Version {
	if fixed := fixedUniversals(t, change); len(fixed) > 0 {
		return unfixed(t, fixed, change)
	}
	gone, unit, other, asked := make(map[int]bool), make(map[int]bool), make(map[int]bool), make(map[int]bool)
	late := make(map[int][]int32)
	for _, u := range turnsOf(t, apimodel.OpAssume) {
		if !change(u) {
			continue
		}
		for _, i := range u.calls {
			unit[i] = u.last
			gone[i] = !u.last
			if u.last && t.Model.Quantified() { // the solve may come after a pop, which would drop the clause
				unit[i], gone[i] = false, true
				late[u.solve] = append(late[u.solve], t.Lit(&t.Calls[i]))
			}
		}
		other[u.solve] = !u.last
		for _, i := range u.life.answers(t, u.solve) {
			asked[i] = t.Calls[i].Op == apimodel.OpFailed // the query is about a literal that is no longer assumed
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		for _, lit := range late[i] {
			d.clause(c.Instance, lit)
		}
		switch {
		case unit[i]:
			d.clause(c.Instance, t.Lit(c))
		case !gone[i] && !asked[i]:
			d.keep(i)
		}
	}).version(func(solve int) (bool, bool) { return !other[solve], !other[solve] })}
}
