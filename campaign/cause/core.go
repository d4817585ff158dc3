package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A core is wrong for one of two reasons: the search missed a solution, or it lists the wrong assumptions. A solve
// under the assumptions of the core alone tells which: the search misses the solution again, or finds it.

// underCores returns, for each wrong core of the trace, the trace up to the core and a solve under its assumptions. It
// leaves out cores that list anything else.
func underCores(t *trace.Trace, answers *trace.Answers, failures []oracle.Finding) (traces []*trace.Trace) {
	for i := range failures {
		f := &failures[i]
		if f.Class != oracle.WrongCore || f.Solve < 0 || f.Voted {
			continue
		}
		if at := coreAfter(t, f.Solve); at >= 0 {
			if under := underCore(t, at, answers.ListOf(answers.At(at))); under != nil {
				traces = append(traces, under)
			}
		}
	}
	return traces
}

// coreAfter returns the first call that asks for the core of the solve, or -1.
func coreAfter(t *trace.Trace, solve int) int {
	for i := solve + 1; i < len(t.Calls); i++ {
		switch c := &t.Calls[i]; {
		case c.Instance != t.Calls[solve].Instance:
		case c.Op == apimodel.OpCore:
			return i
		case !c.Op.Does(apimodel.Asks):
			return -1
		}
	}
	return -1
}

// underCore returns the calls up to that one, followed by a solve under the assumptions. It returns nil if the last
// solve did not have them.
func underCore(t *trace.Trace, at int, core []int32) *trace.Trace {
	instance := t.Calls[at].Instance
	var assumed []int32
	d := newDraft(t)
	for i := range t.Calls[:at+1] {
		c := &t.Calls[i]
		if c.Instance == instance && c.Op == apimodel.OpAssume {
			assumed = append(assumed, t.Lit(c))
		}
		d.keep(i)
	}
	for _, lit := range core {
		if !slices.Contains(assumed, lit) {
			return nil
		}
		d.to.Literal(instance, apimodel.OpAssume, lit)
		d.origin = append(d.origin, -1)
	}
	d.to.Plain(instance, apimodel.OpSolve)
	d.origin = append(d.origin, -1)
	n := d.version(nil)
	if n == nil || trace.Check(n.Trace) != nil {
		return nil
	}
	return n.Trace
}
