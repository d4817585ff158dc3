package cause

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A life is one solver, from its init to its release.
type life struct {
	instance uint16
	number   int
	calls    []int
}

// livesOf returns the lives of a trace in the order in which they begin, and the life of each call.
func livesOf(t *trace.Trace) (lives []*life, of []*life) {
	now := make(map[uint16]*life)
	ended := make(map[uint16]int)
	of = make([]*life, len(t.Calls))
	for i := range t.Calls {
		c := &t.Calls[i]
		l := now[c.Instance]
		if l == nil {
			l = &life{instance: c.Instance, number: ended[c.Instance]}
			now[c.Instance] = l
			lives = append(lives, l)
		}
		l.calls = append(l.calls, i)
		of[i] = l
		if c.Op == apimodel.OpRelease {
			delete(now, c.Instance)
			ended[c.Instance]++
		}
	}
	return lives, of
}

// start returns the first call of the life that is about the problem. Versions add calls before it, that is
// after options, which may have to be set first.
func (l *life) start(t *trace.Trace) int {
	for _, i := range l.calls {
		if t.Calls[i].Op.Does(apimodel.Poses | apimodel.Clears | apimodel.Hints) {
			return i
		}
	}
	return -1
}

// of returns the calls of the life with one of the operations.
func (l *life) of(t *trace.Trace, ops ...apimodel.Op) (calls []int) {
	for _, i := range l.calls {
		for _, op := range ops {
			if t.Calls[i].Op == op {
				calls = append(calls, i)
			}
		}
	}
	return calls
}

// lastSolve returns the last solve of the trace, or -1.
func lastSolve(t *trace.Trace) int {
	last := -1
	for i := range t.Calls {
		if t.Calls[i].Op == apimodel.OpSolve {
			last = i
		}
	}
	return last
}

// lastSolve returns the last solve of the life, or another call that ends what holds for one solve; -1 if
// there is none.
func (l *life) lastSolve(t *trace.Trace) int {
	last := -1
	for _, i := range l.calls {
		if t.Calls[i].Op.Does(apimodel.Clears) {
			last = i
		}
	}
	return last
}

// firstSolve returns the first solve of the life, or another call that ends what holds for one solve; -1 if
// there is none.
func (l *life) firstSolve(t *trace.Trace) int {
	for _, i := range l.calls {
		if t.Calls[i].Op.Does(apimodel.Clears) {
			return i
		}
	}
	return -1
}

// forOneSolve reports whether a call holds for the next solve only.
func forOneSolve(op apimodel.Op) bool {
	switch op {
	case apimodel.OpAssume, apimodel.OpConstrain, apimodel.OpLimitConflicts, apimodel.OpLimitDecisions:
		return true
	}
	return false
}

// insertions are functions that add calls, by the call before which they add them.
type insertions map[int]func(d *draft)

// at adds the calls that belong before call number i.
func (in insertions) at(d *draft, i int) {
	if add := in[i]; add != nil {
		add(d)
	}
}

// before adds an insertion before call number i.
func (in insertions) before(i int, add func(d *draft)) {
	if earlier := in[i]; earlier != nil {
		in[i] = func(d *draft) { earlier(d); add(d) }
		return
	}
	in[i] = add
}

// with returns the trace with the insertions.
func (in insertions) with(t *trace.Trace) *draft {
	return edit(t, func(d *draft, i int, _ *trace.Call) {
		in.at(d, i)
		d.keep(i)
	})
}

// filler adds n clauses over fresh variables, which do not constrain other variables. A control has them in
// place of what its version adds.
func filler(instance uint16, n int) func(d *draft) {
	return func(d *draft) {
		if n <= 0 {
			return
		}
		a, b := d.fresh(), d.fresh()
		for k := range n {
			if k%2 == 0 {
				d.clause(instance, a, b)
			} else {
				d.clause(instance, -a, -b)
			}
		}
	}
}
