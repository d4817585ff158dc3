package mutate

import (
	"errors"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// repair removes from calls the first illegal call of out, such as a pop without a push or an
// assumption of an inner variable. If a block has an illegal variable, repair removes only the
// variable. again is false if all calls are legal.
func (m *Mutator) repair(calls []step, out *trace.Trace) (repaired []step, again bool) {
	wrong, ok := errors.AsType[*trace.CheckError](trace.Check(out))
	if !ok || wrong.Call < 0 || wrong.Call >= len(m.origin) {
		return calls, false
	}
	at := m.origin[wrong.Call]
	s := &calls[at]
	place := -1
	if misuse, ok := errors.AsType[*trace.Misuse](wrong.Err); ok && s.call.Op.Binds() {
		place = misuse.Arg - 1
		if s.call.Op == apimodel.OpExtend {
			place--
		}
	}
	if place < 0 {
		return slices.Delete(calls, at, at+1), true
	}
	v := out.Args(&out.Calls[wrong.Call])[place]
	last := len(s.lits) - 1
	for last >= 0 && trace.Var(s.lits[last]) != v {
		last--
	}
	s.lits = slices.Delete(slices.Clone(s.lits), last, last+1)
	return calls, true
}
