package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A turn has the calls of one operation that a client made for one solve.
type turn struct {
	life  *life
	solve int   // -1: no solve follows
	last  bool  // no later solve follows
	calls []int // they hold for this solve only
}

// turnsOf returns the turns that have calls of the operation.
func turnsOf(t *trace.Trace, op apimodel.Op) (turns []turn) {
	lives, _ := livesOf(t)
	for _, l := range lives {
		now, last := turn{life: l}, l.lastSolve(t)
		for _, i := range l.calls {
			c := &t.Calls[i]
			if c.Op == op {
				now.calls = append(now.calls, i)
			}
			if c.Op.Does(apimodel.Clears) {
				if len(now.calls) > 0 {
					now.solve, now.last = i, i == last
					turns = append(turns, now)
				}
				now = turn{life: l}
			}
		}
		if len(now.calls) > 0 {
			now.solve = -1
			turns = append(turns, now)
		}
	}
	return turns
}

func anyTurn(turn) bool       { return true }
func lastTurn(u turn) bool    { return u.last || u.solve < 0 }
func earlierTurn(u turn) bool { return !lastTurn(u) }

// assumes returns a function that reports whether a trace has an assumption in one of these turns.
func assumes(in func(turn) bool) func(*trace.Trace) bool {
	return func(t *trace.Trace) bool { return slices.ContainsFunc(turnsOf(t, apimodel.OpAssume), in) }
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

// answers returns the queries about a solve.
func (l *life) answers(t *trace.Trace, solve int) (queries []int) {
	at := slices.Index(l.calls, solve)
	if at < 0 {
		return nil
	}
	for _, i := range l.calls[at+1:] {
		if !t.Calls[i].Op.Does(apimodel.Asks) {
			break
		}
		if t.Calls[i].Op.AsksAnswer() {
			queries = append(queries, i)
		}
	}
	return queries
}

// distinctAssumptions assumes each literal once per solve. A second version assumes an equal variable in
// place of the repeated literal, because the number of assumptions may matter.
func distinctAssumptions(t *trace.Trace) []*Version {
	gone := make(map[int]bool)
	for _, u := range turnsOf(t, apimodel.OpAssume) {
		seen := make(map[int32]bool)
		for _, i := range u.calls {
			lit := t.Lit(&t.Calls[i])
			if seen[lit] {
				gone[i] = true
			}
			seen[lit] = true
		}
	}
	versions := dropping(t, gone, nil)
	if t.Model.Quantified() || len(versions) == 0 {
		return versions
	}
	fill := make(insertions)
	for i := range gone {
		fill.before(i, filler(t.Calls[i].Instance, 2))
	}
	n := edit(t, func(d *draft, i int, c *trace.Call) {
		if !gone[i] {
			d.keep(i)
			return
		}
		fresh := d.fresh()
		d.equal(c.Instance, fresh, t.Lit(c))
		d.keepWith(i, fresh)
	}).version(nil)
	return append(versions, fill.with(t).control(n))
}

// oneAssumedPolarity assumes a fresh variable in place of a literal whose negation is already assumed for
// the same solve, and makes the variable equal to the literal.
func oneAssumedPolarity(t *trace.Trace) []*Version {
	second, asked, fill := make(map[int]bool), make(map[int]bool), make(insertions)
	for _, u := range turnsOf(t, apimodel.OpAssume) {
		seen := make(map[int32]bool)
		for _, i := range u.calls {
			lit := t.Lit(&t.Calls[i])
			if seen[-lit] {
				second[i] = true
				fill.before(i, filler(u.life.instance, 2))
				for _, query := range u.life.answers(t, u.solve) {
					asked[query] = t.Calls[query].Op == apimodel.OpFailed && trace.Var(t.Lit(&t.Calls[query])) == trace.Var(lit)
				}
			}
			seen[lit] = true
		}
	}
	if len(second) == 0 {
		return nil
	}
	n := edit(t, func(d *draft, i int, c *trace.Call) {
		switch {
		case second[i]:
			fresh := d.fresh()
			d.equal(c.Instance, fresh, t.Lit(c))
			d.keepWith(i, fresh)
		case !asked[i]:
			d.keep(i)
		}
	}).version(nil)
	return []*Version{fill.with(t).control(n)}
}

// noConstraints turns the constraint of the last solve into a clause and drops earlier constraints.
func noConstraints(t *trace.Trace) []*Version {
	gone, clause, other := make(map[int]bool), make(map[int]bool), make(map[int]bool)
	for _, u := range turnsOf(t, apimodel.OpConstrain) {
		for at, i := range u.calls {
			if u.last && at == len(u.calls)-1 { // a later constraint replaces the earlier ones
				clause[i] = true
			}
			gone[i] = true
		}
		other[u.solve] = !u.last
		for _, i := range u.life.answers(t, u.solve) {
			gone[i] = t.Calls[i].Op == apimodel.OpConstraintFailed
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		switch {
		case clause[i]:
			d.clause(c.Instance, t.Args(c)...)
		case !gone[i]:
			d.keep(i)
		}
	}).version(func(solve int) (bool, bool) { return !other[solve], !other[solve] })}
}

// positiveQueries asks for the values of variables instead of the values of their negations.
func positiveQueries(t *trace.Trace) []*Version {
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		if c.Op == apimodel.OpVal && t.Lit(c) < 0 {
			d.keepWith(i, -t.Lit(c))
			return
		}
		d.keep(i)
	}).version(nil)}
}

// distinctQueries asks each question about an answer only once.
func distinctQueries(t *trace.Trace) []*Version {
	gone := make(map[int]bool)
	lives, _ := livesOf(t)
	for _, l := range lives {
		asked := make(map[string]bool)
		for _, i := range l.calls {
			if !t.Calls[i].Op.Does(apimodel.Asks) {
				clear(asked)
				continue
			}
			question := string(t.AppendRequest(nil, i))
			if asked[question] {
				gone[i] = true
			}
			asked[question] = true
		}
	}
	return dropping(t, gone, nil)
}
