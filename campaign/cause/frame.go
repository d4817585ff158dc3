package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// noFrames gives each solver only the clauses of its last solve, without push and pop. Earlier solves
// remain as history, but on other formulas.
func noFrames(t *trace.Trace) []*Version { return flat(t, apimodel.OpPush, apimodel.OpPop) }

// noGroups gives each solver only the clauses of its last solve, without groups.
func noGroups(t *trace.Trace) []*Version {
	return flat(t, apimodel.OpOpen, apimodel.OpClose, apimodel.OpActivate, apimodel.OpDeactivate, apimodel.OpDelete)
}

// flat drops the calls of the operations that begin and end frames or groups. It also drops the clauses
// that do not count in the last solve of their solver. A free variable that only such clauses name and that is
// assumed gets a block, also in the control: an outermost one, where free variables are.
func flat(t *trace.Trace, ops ...apimodel.Op) []*Version {
	gone, last, p := make(map[int]bool), make(map[int]bool), newPrefixes(t)
	lives, _ := livesOf(t)
	clauses := clausesOf(t)
	for _, l := range lives {
		calls := l.of(t, ops...)
		if len(calls) == 0 {
			for _, i := range l.of(t, apimodel.OpSolve) {
				last[i] = true // the calls of this life stay as they are
			}
			continue
		}
		solve := l.lastSolve(t)
		last[solve] = true
		for _, i := range calls {
			gone[i] = true
		}
		for _, i := range l.without(t, solve) {
			for _, piece := range clauses[i].pieces {
				gone[piece] = true
			}
		}
		if vars := l.assumedWithout(t, gone); len(vars) > 0 {
			p.begin(l, func(*draft) []int32 { return vars })
		}
	}
	if len(gone) == 0 {
		return nil
	}
	n := edit(t, func(d *draft, i int, _ *trace.Call) {
		if p.at(d, i); !gone[i] {
			p.keepAlone(d, i)
		}
	}).version(only(last))
	if len(p.first) == 0 {
		return []*Version{n}
	}
	return []*Version{edit(t, func(d *draft, i int, _ *trace.Call) { p.keep(d, i) }).control(n)}
}

// assumedWithout returns the variables that the life assumes and that no block has, nor, before the assumption, a
// clause that is left.
func (l *life) assumedWithout(t *trace.Trace, gone map[int]bool) (vars []int32) {
	named := make(map[int32]bool)
	for _, i := range l.calls {
		for _, v := range listedVariables(t, &t.Calls[i]) {
			named[v] = true
		}
	}
	for _, i := range l.calls {
		c := &t.Calls[i]
		switch {
		case c.Op == apimodel.OpClause && !gone[i]:
			for _, lit := range t.Args(c) {
				named[trace.Var(lit)] = true
			}
		case c.Op == apimodel.OpAssume:
			if v := trace.Var(t.Lit(c)); !named[v] {
				vars, named[v] = append(vars, v), true
			}
		}
	}
	return vars
}

// without returns the clauses, by their last calls, that precede a solve but do not count in it.
func (l *life) without(t *trace.Trace, solve int) (absent []int) {
	var units trace.Units
	members := make(map[int][]int)
	for _, i := range l.calls {
		if i >= solve {
			break
		}
		c := &t.Calls[i]
		unit, removes := units.Take(c)
		if removes {
			absent = append(absent, members[unit]...)
			delete(members, unit)
		} else if c.Op == apimodel.OpClause && c.Flags&trace.Open == 0 {
			members[unit] = append(members[unit], i)
		}
	}
	for unit, clauses := range members {
		if !units.IsActive(unit) {
			absent = append(absent, clauses...)
		}
	}
	slices.Sort(absent)
	return absent
}
