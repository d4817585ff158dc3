package trial

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// WithExpectations returns a copy of the trace that expects the right answers: the status of every solve
// that nothing may end early, and the objective of every optimum.
func WithExpectations(t *trace.Trace, right map[int]export.Right) *trace.Trace {
	expecting := t.Clone()
	expecting.Want.Of = make([]trace.Answer, len(t.Calls))
	stops, limited := make(map[uint16]bool), make(map[uint16]bool)
	optimum := make(map[uint16]*export.Right) // by instance: of the last solve, while the trace may ask for it
	for i := range t.Calls {
		c := &t.Calls[i]
		switch {
		case c.Op == apimodel.OpObj:
			if r := optimum[c.Instance]; r != nil {
				expecting.Want.Of[i] = trace.Answer{Kind: trace.Answered, Num: r.Objective}
			}
		case c.Op.Does(apimodel.Asks):
		case c.Op == apimodel.OpLimitConflicts || c.Op == apimodel.OpLimitDecisions:
			limited[c.Instance] = limited[c.Instance] || c.Flags&trace.Off == 0 // turning off one limit leaves the other
		case c.Op == apimodel.OpSimplify:
			limited[c.Instance] = false
		case c.Op == apimodel.OpSolve:
			optimum[c.Instance] = nil
			r, known := right[i]
			known = known && !limited[c.Instance]
			limited[c.Instance] = false
			if known && !stops[c.Instance] {
				expecting.Want.Of[i] = trace.Answer{Kind: trace.Answered, Num: uint64(int64(r.Status))}
				if r.Status == apimodel.Optimum {
					optimum[c.Instance] = &r
				}
			}
		case c.Op == apimodel.OpTerminate:
			stops[c.Instance] = c.Flags&trace.Off == 0 && c.Num > 0
			optimum[c.Instance] = nil
		case c.Op == apimodel.OpRelease:
			stops[c.Instance], limited[c.Instance], optimum[c.Instance] = false, false, nil
		default:
			optimum[c.Instance] = nil
		}
	}
	return expecting
}

// Expecting returns a copy of the trace that expects the right answers, and the number of solves whose
// right answer is unknown. Solves that a callback may end early expect nothing and are not counted.
func Expecting(ctx context.Context, t *trace.Trace) (expecting *trace.Trace, open int, err error) {
	plain := t.Clone()
	plain.Want.Reset()
	plain.Got.Reset()
	right, err := RightAnswers(ctx, plain)
	if err != nil {
		return nil, 0, err
	}
	expecting = WithExpectations(plain, right)
	for i := range plain.Calls {
		if _, known := right[i]; plain.Calls[i].Op == apimodel.OpSolve && !known {
			open++
		}
	}
	return expecting, open, nil
}

// Shown returns the trace to display beside wrong answers: it expects the right answers of the solves that
// findings blame. A trace with expectations stays as it is.
func (result *Replayed) Shown() *trace.Trace {
	t, right := result.Trace, make(map[int]export.Right)
	if len(t.Want.Of) > 0 {
		return t
	}
	for i := range result.Solves {
		s := &result.Solves[i]
		blamed := func(f oracle.Finding) bool { return f.Solve == s.Call && f.Class.IsAboutAnswers() }
		if !slices.ContainsFunc(result.Findings, blamed) {
			continue
		}
		switch weighted := t.Model.Call(apimodel.OpObj) != nil; {
		case s.Infeasible:
			right[s.Call] = export.Right{Status: apimodel.Unsatisfiable}
		case s.Feasible && !weighted:
			right[s.Call] = export.Right{Status: apimodel.Satisfiable}
		case s.Feasible && s.Clear && s.Least.Known:
			right[s.Call] = export.Right{Status: apimodel.Optimum, Objective: s.Least.Value}
		}
	}
	if len(right) == 0 {
		return t
	}
	return WithExpectations(t, right)
}
