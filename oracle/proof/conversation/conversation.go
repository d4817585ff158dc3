// Package conversation extracts from a trace what client and solver said, and compares
// proofs with it.
package conversation

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/idrup"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Of returns what client and solver said in a trace of one instance with these answers. The status of a solve without
// answer is idrup.AnyStatus.
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

// Before returns what client and solver said before a call, in the life of the instance at that call.
func Before(t *trace.Trace, answers *trace.Answers, call int, instance uint16) ([]proof.Event, error) {
	events := []proof.Event{}
	var open, assumed, query []int32
	named := make(map[int32]bool) // variables of clauses and assumptions; a proof need not have values of others
	name := func(lits []int32) {
		for _, lit := range lits {
			named[trace.Var(lit)] = true
		}
	}
	add := func(kind idrup.EventKind, lits ...int32) {
		events = append(events, proof.Event{Kind: kind, Lits: lits})
	}
	for i := startOf(t, call, instance); i < call; i++ {
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
		case apimodel.OpSoft, apimodel.OpSoftClause, apimodel.OpConstrain, apimodel.OpEnumerate, apimodel.OpSimplify,
			apimodel.OpHavoc, apimodel.OpImport: // the solver may get the clause late, or never
			return nil, unsupported(i, "it has more than clauses, assumptions and solves")
		case apimodel.OpClause:
			name(t.Args(c))
			if open = append(open, t.Args(c)...); c.Flags&trace.Open == 0 {
				add(idrup.Input, open...)
				open = nil
			}
		case apimodel.OpAssume:
			name(t.Args(c))
			assumed = append(assumed, t.Lit(c))
		case apimodel.OpSolve:
			add(idrup.Query, assumed...)
			status := int32(idrup.AnyStatus)
			if isAnswered {
				status = int32(a.Int())
			}
			add(idrup.Status, status)
			query, assumed = assumed, nil
		case apimodel.OpVal:
			if isAnswered && named[trace.Var(t.Lit(c))] && int32(a.Int()) != 0 {
				add(idrup.Values, int32(a.Int()))
			}
		case apimodel.OpModel:
			if isAnswered {
				add(idrup.Values, slices.DeleteFunc(slices.Clone(answers.ListOf(a)),
					func(lit int32) bool { return !named[trace.Var(lit)] })...)
			}
		case apimodel.OpFailed:
			kind := idrup.NotFailed
			if a.Int() != 0 {
				kind = idrup.Failed
			}
			if isAnswered && slices.Contains(query, t.Lit(c)) { // a proof says nothing about literals that are no assumptions
				add(kind, t.Lit(c))
			}
		case apimodel.OpCore:
			if isAnswered {
				add(idrup.Failed, answers.ListOf(a)...)
			}
		}
	}
	return events, nil
}

// startOf returns the first call of the life of the instance at a call.
func startOf(t *trace.Trace, call int, instance uint16) int {
	for i := call - 1; i >= 0; i-- {
		c := &t.Calls[i]
		if c.Instance == instance && (c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease) {
			return i + 1
		}
	}
	return 0
}

// callsBefore returns the calls before a call, in the life of its instance, with their indices.
func callsBefore(t *trace.Trace, call int) iter.Seq2[int, *trace.Call] {
	return func(visit func(int, *trace.Call) bool) {
		instance := t.Calls[call].Instance
		for i := startOf(t, call, instance); i < call; i++ {
			if c := &t.Calls[i]; c.Instance == instance && !visit(i, c) {
				return
			}
		}
	}
}

// lifeBefore returns a trace of the calls and answers before a call, in the life of its instance.
func lifeBefore(t *trace.Trace, answers *trace.Answers, call int) *trace.Trace {
	life := new(trace.Trace)
	life.Reset(t.Model)
	got := trace.Answers{Lits: answers.Lits, Text: answers.Text}
	for i, c := range callsBefore(t, call) {
		renamed := *c
		renamed.Instance = 0
		life.Append(t, &renamed)
		got.Of = append(got.Of, *answers.At(i))
	}
	life.Got = got.Clone()
	return life
}

// interactionsOf returns what client and solver said in the form that public checkers of IDRUP read. The lines v and
// f, for queries, are empty.
func interactionsOf(events []proof.Event) []byte {
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
