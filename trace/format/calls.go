package format

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Calls returns the calls of an interface that ask the same as a formula file: a trace of the model that the file's
// model asks, with the right answers that the file has. A soft clause of one literal becomes a soft literal, and
// another gets a fresh variable, above all variables of the file if there are any. from has the call of the file for
// each call of the interface.
func Calls(file *trace.Trace) (calls *trace.Trace, from []int) {
	t := &trace.Trace{Model: file.Model.Asks, Notes: file.Notes, Planted: file.Planted}
	fresh := freshVars{clauses: func(yield func([]int32) bool) { yield(file.Lits) }}
	for _, lit := range file.Lits {
		fresh.greatest = max(fresh.greatest, trace.Var(lit))
	}
	softAt := make(map[int32]int) // the call that declares a literal soft
	declare := func(lit int32, weight uint64) {
		if at, again := softAt[lit]; again {
			t.Calls[at].Num += weight
			return
		}
		softAt[lit] = len(t.Calls)
		t.Soft(0, lit, weight)
	}
	for i := range file.Calls {
		switch c := &file.Calls[i]; {
		case c.Op != apimodel.OpSoftClause:
			t.Append(file, c)
		case c.Len == 1:
			declare(-file.Lit(c), c.Num)
		default:
			relaxation := fresh.next()
			t.Clause(0, true, append(file.Args(c), relaxation)...)
			declare(relaxation, c.Num)
		}
		for len(from) < len(t.Calls) {
			from = append(from, i)
		}
	}
	t.Want = answersOf(&file.Want, from)
	return t, from
}

// answersOf returns the answers of the calls that ask the same as those of a file.
func answersOf(file *trace.Answers, from []int) trace.Answers {
	if len(file.Of) == 0 {
		return trace.Answers{}
	}
	all := file.Clone()
	all.Of = make([]trace.Answer, len(from))
	for i, call := range from {
		all.Of[i] = *file.At(call)
	}
	return all
}
