// Package dd makes failing traces smaller. It is a pure function of a trace and
// a test; it knows no targets.
package dd

import "github.com/ipafuzz/ipafuzz/trace"

// A Test reports whether a candidate still fails in the same way. An error is
// no verdict: it ends the reduction.
type Test func(candidate *trace.Trace) (bool, error)

// Cut returns the trace without what follows the failing call. What follows
// may be needed all the same (a crash that an earlier call prepared and a later
// one triggers is blamed on the later one, but a library may also look ahead
// through its callbacks), so the cut is tested, and the trace comes back
// unchanged when it no longer fails.
func Cut(t *trace.Trace, call int, test Test) (*trace.Trace, error) {
	if call+1 >= len(t.Calls) {
		return t, nil
	}
	cut := t.Prefix(call + 1)
	fails, err := test(cut)
	if err != nil || !fails {
		return t, err
	}
	return cut, nil
}
