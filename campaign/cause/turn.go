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

// queryAfter returns the first call that asks that question about the solve, or -1.
func queryAfter(t *trace.Trace, solve int, question apimodel.Op) int {
	for i := solve + 1; i < len(t.Calls); i++ {
		switch c := &t.Calls[i]; {
		case c.Instance != t.Calls[solve].Instance:
		case c.Op == question:
			return i
		case !c.Op.Does(apimodel.Asks):
			return -1
		}
	}
	return -1
}

// solveBefore returns the solve before that one in the same life, or -1.
func solveBefore(t *trace.Trace, solve int) int {
	before := -1
	for i := range t.Calls[:solve] {
		switch c := &t.Calls[i]; {
		case c.Instance != t.Calls[solve].Instance:
		case c.Op == apimodel.OpSolve:
			before = i
		case c.Op == apimodel.OpRelease:
			before = -1
		}
	}
	return before
}
