package cause

import (
	"fmt"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A whole is a clause that one or more calls of an instance give; the last of them closes it.
type whole struct {
	lits   []int32
	pieces []int // calls; the last one is the key in clausesOf
}

// clausesOf returns the closed clauses of a trace, each by its last call.
func clausesOf(t *trace.Trace) map[int]*whole {
	open, all := make(map[uint16]*whole), make(map[int]*whole)
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Op {
		case apimodel.OpClause:
			w := open[c.Instance]
			if w == nil {
				w = &whole{}
			}
			w.lits, w.pieces = append(w.lits, t.Args(c)...), append(w.pieces, i)
			open[c.Instance] = w
			if c.Flags&trace.Open == 0 {
				all[i] = w
				delete(open, c.Instance)
			}
		case apimodel.OpRelease:
			delete(open, c.Instance)
		}
	}
	return all
}

// hasTautology reports whether the trace has a clause with a literal and its negation.
func hasTautology(t *trace.Trace) bool {
	for _, w := range clausesOf(t) {
		if isTautology(w.lits) {
			return true
		}
	}
	return false
}

// addedImports adds the clauses that a callback would give as ordinary clauses.
func addedImports(t *trace.Trace) []*Version {
	if !slices.ContainsFunc(t.Calls, func(c trace.Call) bool { return c.Op == apimodel.OpImport }) {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		if c.Op == apimodel.OpImport {
			d.clause(c.Instance, t.Args(c)...)
			return
		}
		d.keep(i)
	}).version(nil)}
}

// rewriteClauses makes a version with other clauses. It calls change for each clause; change adds the
// replacement and reports whether it differs. A changed clause that several calls gave comes in one call,
// also in the control.
func rewriteClauses(t *trace.Trace, change func(d *draft, instance uint16, lits []int32) bool,
	filling func(lits []int32) int) []*Version {
	clauses, piece := clausesOf(t), make(map[int]int)
	for last, w := range clauses {
		for _, i := range w.pieces {
			piece[i] = last
		}
	}
	changed, joined := make(map[int]bool), false
	probe := newDraft(t)
	for last, w := range clauses {
		if change(probe, 0, w.lits) {
			changed[last] = true
			joined = joined || len(w.pieces) > 1
		}
	}
	if len(changed) == 0 {
		return nil
	}
	n := edit(t, func(d *draft, i int, c *trace.Call) {
		if last, found := piece[i]; !found || !changed[last] {
			d.keep(i)
		} else if i == last {
			change(d, c.Instance, clauses[i].lits)
		}
	}).version(nil)
	if !joined && filling == nil {
		return []*Version{n}
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		last, found := piece[i]
		switch {
		case !found || !changed[last]:
			d.keep(i)
		case i == last:
			if filling != nil {
				filler(c.Instance, filling(clauses[i].lits))(d)
			}
			d.clause(c.Instance, clauses[i].lits...)
		}
	}).control(n)}
}

// noEmptyClauses replaces each empty clause by two clauses that contradict each other.
func noEmptyClauses(t *trace.Trace) []*Version {
	return rewriteClauses(t, func(d *draft, instance uint16, lits []int32) bool {
		if len(lits) > 0 {
			return false
		}
		fresh := d.fresh()
		d.clause(instance, fresh)
		d.clause(instance, -fresh)
		return true
	}, func([]int32) int { return 1 })
}

// noTautologies drops clauses that have a literal and its negation.
func noTautologies(t *trace.Trace) []*Version {
	return rewriteClauses(t, func(_ *draft, _ uint16, lits []int32) bool { return isTautology(lits) }, nil)
}

// distinctLiterals gives each literal of a clause only once.
func distinctLiterals(t *trace.Trace) []*Version {
	return rewriteClauses(t, func(d *draft, instance uint16, lits []int32) bool {
		if repeatsLiteral(lits) {
			d.clause(instance, distinct(lits)...)
		}
		return repeatsLiteral(lits)
	}, nil)
}

// shortest is the length of the shortest clauses that shortClauses splits.
const shortest = 4

// shortClauses splits clauses into clauses of at most three literals.
func shortClauses(t *trace.Trace) []*Version {
	return rewriteClauses(t, func(d *draft, instance uint16, lits []int32) bool {
		if len(lits) < shortest {
			return false
		}
		link := d.fresh()
		d.clause(instance, lits[0], lits[1], link)
		for lits = lits[2:]; len(lits) > 2; lits = lits[1:] {
			next := d.fresh()
			d.clause(instance, -link, lits[0], next)
			link = next
		}
		d.clause(instance, -link, lits[0], lits[1])
		return true
	}, func(lits []int32) int { return len(lits) - 3 })
}

func detailLongClause(t *trace.Trace) string {
	longest := 0
	for _, w := range clausesOf(t) {
		longest = max(longest, len(w.lits))
	}
	return fmt.Sprintf("a clause of more than three literals (%d)", longest)
}

// distinctClauses gives each clause of a solver only once, whatever the order of its literals.
func distinctClauses(t *trace.Trace) []*Version {
	gone := make(map[int]bool)
	_, of := livesOf(t)
	clauses := clausesOf(t)
	seen := make(map[*life]map[string]bool)
	for i := range t.Calls {
		w := clauses[i]
		if w == nil {
			continue
		}
		set := slices.Compact(slices.Sorted(slices.Values(w.lits)))
		if seen[of[i]] == nil {
			seen[of[i]] = make(map[string]bool)
		}
		if text := fmt.Sprint(set); !seen[of[i]][text] {
			seen[of[i]][text] = true
			continue
		}
		for _, piece := range w.pieces {
			gone[piece] = true
		}
	}
	return dropping(t, gone, nil)
}

// wholeClauses gives each clause in one call, in place of the call that closes it.
func wholeClauses(t *trace.Trace) []*Version {
	clauses, piece := clausesOf(t), make(map[int]bool)
	for _, w := range clauses {
		for _, i := range w.pieces[:len(w.pieces)-1] {
			piece[i] = true
		}
	}
	if len(piece) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		if w := clauses[i]; w != nil && len(w.pieces) > 1 {
			d.clause(c.Instance, w.lits...)
		} else if !piece[i] {
			d.keep(i)
		}
	}).version(nil)}
}

// usedVariables adds a clause for every variable that another call names before a clause does. A fresh
// variable lets the clause be satisfied.
func usedVariables(t *trace.Trace) []*Version {
	lives, _ := livesOf(t)
	use, fill := make(insertions), make(insertions)
	for _, l := range lives {
		start := l.start(t)
		if start < 0 {
			continue
		}
		for _, v := range l.unused(t) {
			use.before(start, func(d *draft) { d.clause(l.instance, v, d.fresh()) })
			fill.before(start, filler(l.instance, 1))
		}
	}
	if len(use) == 0 {
		return nil
	}
	return []*Version{fill.with(t).control(use.with(t).version(nil))}
}

// unused returns the variables of a life that another call names before a clause does.
func (l *life) unused(t *trace.Trace) (vars []int32) {
	seen := make(map[int32]bool)
	for _, i := range l.calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() {
			continue
		}
		for _, lit := range t.Args(c) {
			v := trace.Var(lit)
			if !seen[v] && !c.Op.IsClause() {
				vars = append(vars, v)
			}
			seen[v] = true
		}
	}
	return vars
}

// queriesWithin begins each life that queries a variable above all that other calls have named so far with
// a clause of two larger variables. The control has two new variables below all others in that clause.
func queriesWithin(t *trace.Trace) []*Version {
	vars := variablesOf(t)
	if len(vars) == 0 || vars[len(vars)-1] > math.MaxInt32-2 {
		return nil
	}
	top := vars[len(vars)-1]
	lives, _ := livesOf(t)
	above := make(insertions)
	for _, l := range lives {
		if start := l.start(t); start >= 0 && l.asksBeyond(t) {
			above.before(start, func(d *draft) { d.clause(l.instance, top+1, top+2) })
		}
	}
	if len(above) == 0 {
		return nil
	}
	below := above.with(t)
	name := func(lit int32) int32 {
		v := trace.Var(lit)
		if v += 2; v > top+2 {
			v -= top + 2
		}
		if lit < 0 {
			return -v
		}
		return v
	}
	for i, lit := range below.to.Lits {
		below.to.Lits[i] = name(lit)
	}
	below.to.Planted = t.RenamePlanted(name)
	return []*Version{below.control(above.with(t).version(nil))}
}

// asksBeyond reports whether a query of the life is about a variable above all that other calls have named
// so far.
func (l *life) asksBeyond(t *trace.Trace) bool {
	largest := int32(0)
	for _, i := range l.calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() {
			continue
		}
		for _, lit := range t.Args(c) {
			switch v := trace.Var(lit); {
			case !c.Op.Does(apimodel.Asks):
				largest = max(largest, v)
			case v > largest:
				return true
			}
		}
	}
	return false
}

// denseVariables renumbers the variables from 1, without gaps and in the same order.
func denseVariables(t *trace.Trace) []*Version {
	vars := variablesOf(t)
	if len(vars) == 0 || int(vars[len(vars)-1]) == len(vars) {
		return nil
	}
	number := make(map[int32]int32)
	for i, v := range vars {
		number[v] = int32(i) + 1
	}
	name := func(lit int32) int32 {
		if lit < 0 {
			return -number[-lit]
		}
		return number[lit]
	}
	d := edit(t, func(d *draft, i int, _ *trace.Call) { d.keep(i) })
	for i, lit := range d.to.Lits {
		d.to.Lits[i] = name(lit)
	}
	d.to.Planted = t.RenamePlanted(name)
	return []*Version{d.version(nil)}
}

// variablesOf returns the variables of a trace in order of their numbers.
func variablesOf(t *trace.Trace) []int32 { return slices.Sorted(slices.Values(t.Variables())) }

func detailGap(t *trace.Trace) string {
	vars := variablesOf(t)
	if len(vars) == 0 {
		return "a gap in the numbers of variables"
	}
	return fmt.Sprintf("a gap in the numbers of variables (variable %d among %d)", vars[len(vars)-1], len(vars))
}
