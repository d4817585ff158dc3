package format

import (
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Calls returns the calls of an interface that ask the same as a formula file: a trace of the model that the file's
// model asks. A soft clause of one literal becomes a soft literal, and another gets a fresh variable above all
// variables of the file, in the order of the clauses. from has the call of the file for each call of the interface.
// Calls returns a *CannotSayError if there are not enough variables.
func Calls(file *trace.Trace) (calls *trace.Trace, from []int, err error) {
	t := &trace.Trace{Model: file.Model.Asks, Notes: file.Notes, Planted: file.Planted}
	greatest := int32(0)
	for _, lit := range file.Lits {
		greatest = max(greatest, trace.Var(lit))
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
		c := &file.Calls[i]
		switch lits := file.Args; {
		case c.Op != apimodel.OpSoftClause:
			t.Append(file, c)
		case c.Len == 1:
			declare(-lits(c)[0], c.Num)
		case greatest == math.MaxInt32:
			return nil, nil, cannotSay(Trace, file, i, "its relaxation would need a variable above %d", greatest)
		default:
			greatest++
			t.Clause(0, true, append(lits(c), greatest)...)
			declare(greatest, c.Num)
		}
		for len(from) < len(t.Calls) {
			from = append(from, i)
		}
	}
	return t, from, nil
}
