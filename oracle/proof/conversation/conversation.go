// Package conversation makes of a trace what the proof of a solver is compared with, and compares them.
package conversation

import (
	"cmp"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/idrup"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Of returns what client and solver said in a trace of one instance, with the answers given. Of a
// solve whose answer is not known, any status is right.
func Of(t *trace.Trace, answers *trace.Answers) ([]proof.Event, error) {
	lives := 0
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Instance != t.Calls[0].Instance {
			return nil, unsupported(i, "it has a second instance")
		}
		if c.Op == apimodel.OpInit {
			if lives++; lives > 1 || i > 0 {
				return nil, unsupported(i, "it has a second life of an instance")
			}
		}
	}
	if len(t.Calls) == 0 {
		return []proof.Event{}, nil
	}
	end := len(t.Calls)
	if t.Calls[end-1].Op == apimodel.OpRelease {
		end--
	}
	return Before(t, answers, end, t.Calls[0].Instance)
}

// Before returns what client and solver have said, up to a call, in the life that an instance then
// has.
func Before(t *trace.Trace, answers *trace.Answers, call int, instance uint16) ([]proof.Event, error) {
	events := []proof.Event{}
	var open, assumed []int32
	add := func(kind idrup.EventKind, lits ...int32) {
		events = append(events, proof.Event{Kind: kind, Lits: lits})
	}
	for i := StartOf(t, call, instance); i < call; i++ {
		c := &t.Calls[i]
		a := answers.At(i)
		isAnswered := a.Kind == trace.Answered
		switch {
		case c.Instance != instance:
			continue
		case a.Kind == trace.Withheld || a.Kind == trace.Unsupported:
			continue
		}
		switch c.Op {
		case apimodel.OpSoft, apimodel.OpConstrain, apimodel.OpEnumerate, apimodel.OpSimplify, apimodel.OpHavoc,
			apimodel.OpImport: // the solver may hear of the clause late, or never
			return nil, unsupported(i, "it has more than clauses, assumptions and solves")
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

// StartOf returns the first call of the life that an instance has at a call.
func StartOf(t *trace.Trace, call int, instance uint16) int {
	for i := call - 1; i >= 0; i-- {
		c := &t.Calls[i]
		if c.Instance == instance && (c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease) {
			return i + 1
		}
	}
	return 0
}

// Life returns the calls and answers before a call in the life that its instance then has.
func Life(t *trace.Trace, answers *trace.Answers, call int) *trace.Trace {
	of := t.Calls[call].Instance
	life := new(trace.Trace)
	life.Reset(t.Model)
	got := trace.Answers{Lits: answers.Lits, Text: answers.Text}
	for i := StartOf(t, call, of); i < call; i++ {
		if c := t.Calls[i]; c.Instance == of {
			c.Instance = 0
			life.Append(t, &c)
			got.Of = append(got.Of, *answers.At(i))
		}
	}
	life.Got = got.Clone()
	return life
}

// Interactions writes what client and solver said as public checkers of IDRUP read it. The
// lines v and f, for what the client asked about answers, are empty.
func Interactions(events []proof.Event) []byte {
	text := []byte("p icnf\n")
	for _, e := range events {
		switch e.Kind {
		case idrup.Status:
			lines := map[int32]string{10: "s SATISFIABLE\nv 0\n", 20: "s UNSATISFIABLE\nf 0\n"}[e.Lits[0]]
			text = append(text, cmp.Or(lines, "s UNKNOWN\n")...)
			continue
		case idrup.Input:
			text = append(text, "i "...)
		case idrup.Query:
			text = append(text, "q "...)
		default:
			continue
		}
		for _, lit := range e.Lits {
			text = fmt.Appendf(text, "%d ", lit)
		}
		text = append(text, "0\n"...)
	}
	return text
}

func unsupported(call int, why string) error {
	return fmt.Errorf("%w: call %d: the trace cannot be compared with a proof, since %s",
		proof.ErrUnsupported, call+1, why)
}
