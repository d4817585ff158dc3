package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Some versions of formulas with quantifiers need variables that change nothing: existential ones as far inside as
// possible, where they make no other variable less free, and add no free variable in front of universal ones.

// inner gives solvers more existential variables.
type inner struct {
	count map[*life]int
	home  map[int]*life // by the call of the block that gets the variables
	added map[int]*life // by the call before which they get a new block
	vars  map[*life][]int32
}

// newInner prepares so many variables for each of the lives. It returns nil if a block would come too late. A life with
// free variables but no block gets more of them.
func newInner(t *trace.Trace, count map[*life]int) *inner {
	in := &inner{count: count, home: make(map[int]*life), added: make(map[int]*life), vars: make(map[*life][]int32)}
	for l := range count {
		block, after := l.innermost(t)
		switch {
		case after < 0:
			return nil
		case block >= 0:
			in.home[block] = l
		case len(l.free(t)) > 0 && len(l.of(t, apimodel.OpForall)) == 0: // a block would be divided
		case len(l.of(t, apimodel.OpExtend)) > 0: // later blocks would have other numbers
			return nil
		case slices.ContainsFunc(l.of(t, apimodel.OpForall), func(i int) bool { return i > after }):
			return nil // the new block would be outside of it
		default:
			in.added[after] = l
		}
	}
	return in
}

// of returns the variables of a life.
func (in *inner) of(d *draft, l *life) []int32 {
	for len(in.vars[l]) < in.count[l] {
		in.vars[l] = append(in.vars[l], d.fresh())
	}
	return in.vars[l]
}

// at adds the block that belongs before call number i.
func (in *inner) at(d *draft, i int) {
	if l := in.added[i]; l != nil {
		d.to.List(l.instance, apimodel.OpExists, in.of(d, l)...)
		d.origin = append(d.origin, -1)
	}
}

// keep copies call number i. A block gets the variables that belong there.
func (in *inner) keep(d *draft, i int) {
	l := in.home[i]
	if l == nil {
		d.keep(i)
		return
	}
	c := &d.from.Calls[i]
	d.to.List(c.Instance, c.Op, append(slices.Clone(d.from.Args(c)), in.of(d, l)...)...)
	d.origin = append(d.origin, i)
}

// addedBetween adds a clause that changes nothing before the last solve if no other has been added since the solve
// before. The control has the clause at the beginning.
func addedBetween(t *trace.Trace) []*Version {
	if !t.Model.Quantified() {
		return nil
	}
	lives, _ := livesOf(t)
	count := make(map[*life]int)
	between, first := make(map[int]*life), make(map[int]*life)
	for _, l := range lives {
		solves := l.of(t, apimodel.OpSolve)
		if len(solves) < 2 {
			continue
		}
		last := solves[len(solves)-1]
		if slices.ContainsFunc(l.of(t, apimodel.OpClause), func(i int) bool {
			return i > solves[len(solves)-2] && i < last
		}) {
			continue
		}
		_, after := l.innermost(t)
		count[l] = 2
		between[l.beforeAssumptions(t, last)], first[after] = l, l
	}
	if len(count) == 0 || newInner(t, count) == nil {
		return nil
	}
	with := func(at map[int]*life) *draft {
		in := newInner(t, count)
		return edit(t, func(d *draft, i int, _ *trace.Call) {
			in.at(d, i)
			if l := at[i]; l != nil {
				d.clause(l.instance, in.of(d, l)...)
			}
			in.keep(d, i)
		})
	}
	return []*Version{with(first).control(with(between).version(nil))}
}

// solvesWithoutAddition reports whether no clause was added between two solves of one life.
func solvesWithoutAddition(t *trace.Trace) bool {
	if !t.Model.Quantified() {
		return false
	}
	lives, _ := livesOf(t)
	for _, l := range lives {
		same := false // as at the last solve
		for _, i := range l.of(t, apimodel.OpSolve, apimodel.OpClause) {
			solves := t.Calls[i].Op == apimodel.OpSolve
			if solves && same {
				return true
			}
			same = solves
		}
	}
	return false
}

// pairedUniversals gives each universal block with a single variable a second one, which is in no clause. One version
// has it before the other variable, one behind. The control of a solver has one new existential variable instead.
func pairedUniversals(t *trace.Trace) (versions []*Version) {
	if !t.Model.Quantified() {
		return nil
	}
	_, of := livesOf(t)
	lone, count := loneUniversals(t), make(map[*life]int)
	for call := range lone {
		count[of[call]] = 1
	}
	if len(lone) == 0 || newInner(t, count) == nil {
		return nil
	}
	control := func() *draft {
		in := newInner(t, count)
		return edit(t, func(d *draft, i int, _ *trace.Call) {
			in.at(d, i)
			in.keep(d, i)
		})
	}
	for _, before := range []bool{false, true} {
		n := edit(t, func(d *draft, i int, c *trace.Call) {
			if !lone[i] {
				d.keep(i)
				return
			}
			vars := []int32{t.Args(c)[0], d.fresh()}
			if before {
				slices.Reverse(vars)
			}
			d.to.List(c.Instance, c.Op, vars...)
			d.origin = append(d.origin, i)
		}).version(nil)
		versions = append(versions, control().control(n))
	}
	return versions
}

// loneUniversals returns the calls that append a universal block whose only variable they name.
func loneUniversals(t *trace.Trace) map[int]bool {
	lone := make(map[int]bool)
	for _, b := range prefixesOf(t) {
		if c := &t.Calls[b.call]; c.Op == apimodel.OpForall && c.Len == 1 && len(b.extends) == 0 {
			lone[b.call] = true
		}
	}
	return lone
}

func hasLoneUniversals(t *trace.Trace) bool {
	return t.Model.Quantified() && len(loneUniversals(t)) > 0
}
