package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// only returns a function for version: the given solves have the same answers and optima.
func only(solves map[int]bool) func(solve int) (same, cost bool) {
	return func(solve int) (bool, bool) { return solves[solve], solves[solve] }
}

// oneInstance keeps one of several instances; each version keeps a different one.
func oneInstance(t *trace.Trace) []*Version {
	var instances []uint16
	for i := range t.Calls {
		if instance := t.Calls[i].Instance; !slices.Contains(instances, instance) {
			instances = append(instances, instance)
		}
	}
	if len(instances) < 2 {
		return nil
	}
	var versions []*Version
	for _, instance := range slices.Backward(instances) { // the last instance is the most likely to fail
		gone := make(map[int]bool)
		for i := range t.Calls {
			gone[i] = t.Calls[i].Instance != instance
		}
		versions = append(versions, edit(t, func(d *draft, i int, _ *trace.Call) {
			if !gone[i] {
				d.keep(i)
			}
		}).version(nil))
	}
	return versions
}

// oneLife drops all solvers of an instance but the last.
func oneLife(t *trace.Trace) []*Version {
	gone, last := make(map[int]bool), make(map[uint16]*life)
	lives, _ := livesOf(t)
	for _, l := range lives {
		if earlier := last[l.instance]; earlier != nil {
			for _, i := range earlier.calls {
				gone[i] = true
			}
		}
		last[l.instance] = l
	}
	return dropping(t, gone, nil)
}

// freshInstance gives each solver only its last solve, on the same formula, as if a fresh solver had got it
// all at once.
func freshInstance(t *trace.Trace) []*Version {
	gone, solves := make(map[int]bool), make(map[int]bool)
	lives, _ := livesOf(t)
	changed := false
	for _, l := range lives {
		last := l.lastSolve(t)
		solves[last] = true
		var pending []int
		for _, i := range l.calls {
			c := &t.Calls[i]
			switch {
			case i >= last:
			case forOneSolve(c.Op):
				pending = append(pending, i)
			case c.Op.Does(apimodel.Clears):
				changed, gone[i] = true, true
				for _, p := range pending {
					gone[p] = true
				}
				pending = nil
			case c.Op.AsksAnswer():
				gone[i] = true
			}
		}
	}
	if !changed {
		return nil
	}
	return dropping(t, gone, only(solves))
}

// separatedSolves inserts a clause that changes nothing between two solves that only queries separate. The
// control has the clause at the beginning.
func separatedSolves(t *trace.Trace) []*Version {
	between, fill := make(insertions), make(insertions)
	for _, l := range immediateSolves(t) {
		between.before(l.solve, filler(l.life.instance, 1))
		fill.before(l.life.start(t), filler(l.life.instance, 1))
	}
	if len(between) == 0 {
		return nil
	}
	return []*Version{fill.with(t).control(between.with(t).version(nil))}
}

// immediateSolves returns the solves after another one with only queries in between.
func immediateSolves(t *trace.Trace) (immediate []immediateSolve) {
	lives, _ := livesOf(t)
	for _, l := range lives {
		solved := false
		for _, i := range l.calls {
			op := t.Calls[i].Op
			switch {
			case op.Does(apimodel.Clears):
				if solved {
					immediate = append(immediate, immediateSolve{l, i})
				}
				solved = true
			case !op.Does(apimodel.Asks):
				solved = false
			}
		}
	}
	return immediate
}

type immediateSolve struct {
	life  *life
	solve int
}

func hasImmediateSolves(t *trace.Trace) bool { return len(immediateSolves(t)) > 0 }

// moved moves the calls of an operation to before the first solve of their solver. The solves that they
// skip are then on another formula.
func moved(t *trace.Trace, op apimodel.Op) []*Version {
	lives, _ := livesOf(t)
	early, gone, spans := make(insertions), make(map[int]bool), []span(nil)
	for _, l := range lives {
		first := l.firstSolve(t)
		if first < 0 {
			continue
		}
		at, pieces := l.beforeAssumptions(t, first), false
		for _, i := range l.calls {
			c := &t.Calls[i]
			pieces = pieces || c.Flags&trace.Open != 0
			if i > first && c.Op == op {
				gone[i] = true
				spans = append(spans, span{l.instance, first - 1, i})
				early.before(at, func(d *draft) { d.keep(i) })
			}
		}
		if pieces {
			return nil // moving whole clauses is not worth the trouble
		}
	}
	if len(gone) == 0 {
		return nil
	}
	same := func(solve int) (bool, bool) {
		outside := !within(t, spans, solve)
		return outside, outside
	}
	return []*Version{edit(t, func(d *draft, i int, _ *trace.Call) {
		early.at(d, i)
		if !gone[i] {
			d.keep(i)
		}
	}).version(same)}
}

// beforeAssumptions returns the first of the calls directly before a solve that hold for this solve only.
// Callers insert before it, so that these calls stay next to the solve.
func (l *life) beforeAssumptions(t *trace.Trace, solve int) int {
	at := slices.Index(l.calls, solve)
	for at > 0 && forOneSolve(t.Calls[l.calls[at-1]].Op) {
		at--
	}
	return l.calls[at]
}

func earlyClauses(t *trace.Trace) []*Version { return moved(t, apimodel.OpClause) }

// earlySofts declares all soft literals before the first solve, in their order: the last weight counts.
func earlySofts(t *trace.Trace) []*Version { return moved(t, apimodel.OpSoft) }

// lastQueries asks only about the last answer of each solver.
func lastQueries(t *trace.Trace) []*Version {
	gone := make(map[int]bool)
	lives, _ := livesOf(t)
	for _, l := range lives {
		last := l.lastSolve(t)
		for _, i := range l.calls {
			if i < last && t.Calls[i].Op.AsksAnswer() {
				gone[i] = true
			}
		}
	}
	return dropping(t, gone, nil)
}

// without returns a variant that drops all calls of some operations. With a call that ends what holds for
// one solve, such as enumerate, it drops the assumptions and limits for that call.
func without(ops ...apimodel.Op) func(t *trace.Trace) []*Version {
	return func(t *trace.Trace) []*Version {
		gone := make(map[int]bool)
		lives, _ := livesOf(t)
		for _, l := range lives {
			var pending []int
			for _, i := range l.calls {
				op := t.Calls[i].Op
				drop := slices.Contains(ops, op)
				gone[i] = drop
				switch {
				case forOneSolve(op):
					pending = append(pending, i)
				case op.Does(apimodel.Clears):
					for _, p := range pending {
						gone[p] = gone[p] || drop
					}
					pending = nil
				}
			}
		}
		for i, drop := range gone {
			if !drop {
				delete(gone, i)
			}
		}
		return dropping(t, gone, nil)
	}
}

func detailOption(t *trace.Trace) string {
	var names []string
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpOption {
			name, value := t.Option(c)
			if name == apimodel.ProofOption {
				name += "=" + value
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 1 {
		return "the option " + names[0]
	}
	return "the options " + listed(names)
}
