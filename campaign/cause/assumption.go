package cause

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

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
