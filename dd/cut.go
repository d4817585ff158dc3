package dd

import (
	"bytes"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Test reports whether a candidate still fails in the same way.
type Test func(candidate *trace.Trace) (bool, error)

// Cut returns the trace up to the failing call. If that no longer fails, because the
// library sees calls to come through its callbacks, Cut returns the trace unchanged.
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

// endsBefore reports whether the candidate is a prefix of the best trace that ends before the
// failing call. The run of the best trace has shown that such a prefix does not fail. There is an
// exception: queries in a row are judged together, so the last may get the blame for an answer
// of the first. So there must be another call between the candidate's end and the failing call.
func (r *reducer) endsBefore(candidate *trace.Trace) bool {
	n := len(candidate.Calls)
	_, byChance := r.test.(*repeated)
	if byChance || r.config.Any || n > r.verdict.Call || r.verdict.Call >= len(r.best.Calls) {
		return false
	}
	for i := range n {
		if !bytes.Equal(callText(candidate, i, nil), callText(r.best, i, nil)) {
			return false
		}
	}
	return slices.ContainsFunc(r.best.Calls[n-1:r.verdict.Call+1], func(c trace.Call) bool { return !c.Op.AsksAnswer() })
}
