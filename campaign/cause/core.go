package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A core is wrong for one of two reasons: the search missed a solution, or it lists the wrong assumptions. A solve
// under the assumptions of the core alone tells which: the search misses the solution again, or finds it. But if a
// clause has only literals that are assumed false for the first solve, there was no search. A second solve that misses
// a solution then shows another fault.

// underCores returns, for each wrong core of the trace, the trace up to the core and a solve under its assumptions. It
// leaves out cores that list anything else, and those for which nothing had to be searched.
func underCores(t *trace.Trace, answers *trace.Answers, failures []oracle.Finding) (traces []*trace.Trace) {
	for i := range failures {
		f := &failures[i]
		if f.Class != oracle.WrongCore || f.Solve < 0 || f.Voted {
			continue
		}
		at := queryAfter(t, f.Solve, apimodel.OpCore)
		if at < 0 || !t.Model.Quantified() && isTrivial(t, f.Solve) {
			continue
		}
		if under := underCore(t, f.Solve, at, answers.ListOf(answers.At(at))); under != nil {
			traces = append(traces, under)
		}
	}
	return traces
}

// isTrivial reports whether the solve is the first one of its instance and the assumptions make a clause false.
func isTrivial(t *trace.Trace, solve int) bool {
	instance := t.Calls[solve].Instance
	var assumed []int32
	for i := solve - 1; i >= 0; i-- {
		c := &t.Calls[i]
		switch {
		case c.Instance != instance:
		case c.Op == apimodel.OpSolve:
			return false
		case c.Op == apimodel.OpAssume:
			assumed = append(assumed, t.Lit(c))
		}
	}
	for at, clause := range clausesOf(t) {
		if at < solve && t.Calls[at].Instance == instance &&
			!slices.ContainsFunc(clause.lits, func(lit int32) bool { return !slices.Contains(assumed, -lit) }) {
			return true
		}
	}
	return false
}

// underCore returns the calls up to the core of that solve, followed by a solve under the core. It returns nil if the
// instance has not assumed all of the core. For formulas with quantifiers, the solve itself is under the core: a defect
// of later solves would be another one.
func underCore(t *trace.Trace, solve, at int, core []int32) *trace.Trace {
	if t.Model.Quantified() {
		if _, assumed := posedTo(t, solve); !isWithin(core, assumed) {
			return nil
		}
		return assuming(t, solve, core)
	}
	var assumed []int32
	for i := range t.Calls[:at] {
		if c := &t.Calls[i]; c.Instance == t.Calls[at].Instance && c.Op == apimodel.OpAssume {
			assumed = append(assumed, t.Lit(c))
		}
	}
	if !isWithin(core, assumed) {
		return nil
	}
	d := newDraft(t)
	for i := range t.Calls[:at+1] {
		d.keep(i)
	}
	for _, lit := range core {
		d.to.Literal(t.Calls[at].Instance, apimodel.OpAssume, lit)
		d.origin = append(d.origin, -1)
	}
	d.to.Plain(t.Calls[at].Instance, apimodel.OpSolve)
	d.origin = append(d.origin, -1)
	return d.legal(nil)
}

func isWithin(core, assumed []int32) bool {
	return !slices.ContainsFunc(core, func(lit int32) bool { return !slices.Contains(assumed, lit) })
}
