// Package conversation makes of a trace what the proof of a solver is compared with.
package conversation

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/idrup"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Of returns what client and solver said in a trace of one instance, with the answers given. Of a
// solve whose answer is not known, any status is right.
func Of(t *trace.Trace, answers *trace.Answers) ([]proof.Event, error) {
	events := []proof.Event{}
	var open, assumed []int32
	add := func(kind idrup.EventKind, lits ...int32) {
		events = append(events, proof.Event{Kind: kind, Lits: lits})
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		a := answers.At(i)
		isAnswered := a.Kind == trace.Answered
		switch {
		case c.Instance != t.Calls[0].Instance:
			return nil, unsupported(i, "it has a second instance")
		case a.Kind == trace.Withheld || a.Kind == trace.Unsupported:
			continue
		}
		switch c.Op {
		case apimodel.OpInit, apimodel.OpRelease:
			if len(events) > 0 && c.Op == apimodel.OpInit {
				return nil, unsupported(i, "it has a second life of an instance")
			}
		case apimodel.OpSoft, apimodel.OpConstrain, apimodel.OpEnumerate:
			return nil, unsupported(i, "it has more than clauses and assumptions")
		case apimodel.OpClause:
			if open = append(open, t.Args(c)...); c.Flags&trace.Open == 0 {
				add(idrup.Input, open...)
				open = nil
			}
		case apimodel.OpAssume:
			assumed = append(assumed, t.Lit(c))
		case apimodel.OpSolve:
			add(idrup.Query, assumed...)
			status := int32(idrup.AnyStatus)
			if isAnswered {
				status = int32(a.Int())
			}
			add(idrup.Status, status)
			assumed = nil
		case apimodel.OpVal:
			if isAnswered && int32(a.Int()) != 0 {
				add(idrup.Values, int32(a.Int()))
			}
		case apimodel.OpModel:
			if isAnswered {
				add(idrup.Values, answers.ListOf(a)...)
			}
		case apimodel.OpFailed:
			if isAnswered && a.Int() != 0 {
				add(idrup.Failed, t.Lit(c))
			} else if isAnswered {
				add(idrup.NotFailed, t.Lit(c))
			}
		case apimodel.OpCore:
			if isAnswered {
				add(idrup.Failed, answers.ListOf(a)...)
			}
		}
	}
	return events, nil
}

func unsupported(call int, why string) error {
	return fmt.Errorf("%w: call %d: the trace cannot be compared with a proof, since %s",
		proof.ErrUnsupported, call+1, why)
}
