package campaign

import (
	"context"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// mostExpected bounds the traces whose right answers are looked for: a large one
// was not made small, and proofs for all its solves take their time.
const mostExpected = 2000 // calls

// expect finds out what is right for a result and writes it behind its calls, so
// that the minimal trace is a test. A result that expects something already keeps
// what it has, and so does one whose expectations would change what is blamed.
func (m *Minimizer) expect(ctx context.Context, result *Minimized) error {
	result.Expecting = result.Trace
	if len(result.Trace.Calls) > mostExpected {
		return nil
	}
	var err error
	if result.Right, err = trial.RightAnswers(ctx, result.Trace); err != nil {
		return err
	}
	if len(result.Trace.Want.Of) > 0 || len(result.Right) == 0 || !aboutAnswers(result.Finding.Class) {
		return nil
	}
	referee := trial.NewJudge(oracle.Config{Policies: m.Description.Policies, CrossCheck: true}, trial.Thorough)
	defer referee.Close()
	keys := func(t *trace.Trace) ([]oracle.Key, error) {
		var keys []oracle.Key
		findings, err := referee.Judge(t, &result.Run)
		for i := range findings {
			keys = append(keys, findings[i].Key(m.Target.Name))
		}
		return keys, err
	}
	before, err := keys(result.Trace)
	if err != nil {
		return err
	}
	expecting := withExpectations(result.Trace, result.Right)
	after, err := keys(expecting)
	if err == nil && slices.Equal(before, after) {
		result.Expecting = expecting
	}
	return err
}

// aboutAnswers reports whether a fault of the class is one of answers that a
// trace can expect.
func aboutAnswers(class oracle.Class) bool {
	switch class {
	case oracle.WrongStatus, oracle.GaveUp, oracle.AnswersDiffer, oracle.InstancesMix:
		return true
	}
	return strings.HasPrefix(string(class), "2.")
}

// withExpectations returns a copy of the trace that expects what is right: of
// every solve that nothing may end early, and of every objective of an optimum.
func withExpectations(t *trace.Trace, right map[int]export.Right) *trace.Trace {
	expecting := t.Clone()
	expecting.Want.Of = make([]trace.Answer, len(t.Calls))
	stops, limited := make(map[uint16]bool), make(map[uint16]bool)
	optimum := make(map[uint16]*export.Right) // of the answer that can be asked about
	for i := range t.Calls {
		c := &t.Calls[i]
		switch {
		case c.Op == apimodel.OpObj:
			if r := optimum[c.Instance]; r != nil {
				expecting.Want.Of[i] = trace.Answer{Kind: trace.Answered, Num: r.Objective}
			}
		case c.Op.Does(apimodel.Asks):
		case c.Op == apimodel.OpLimitConflicts || c.Op == apimodel.OpLimitDecisions:
			limited[c.Instance] = limited[c.Instance] || c.Flags&trace.Off == 0 // the other limit may stay
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

// Expecting returns a copy of the trace that expects what is right of it, and how
// many solves it has whose answer is not known for certain, those aside that a
// callback may end early.
func Expecting(ctx context.Context, t *trace.Trace) (expecting *trace.Trace, open int, err error) {
	plain := t.Clone()
	plain.Want.Reset()
	right, err := trial.RightAnswers(ctx, plain)
	if err != nil {
		return nil, 0, err
	}
	expecting = withExpectations(plain, right)
	for i := range plain.Calls {
		if _, known := right[i]; plain.Calls[i].Op == apimodel.OpSolve && !known {
			open++
		}
	}
	return expecting, open, nil
}
