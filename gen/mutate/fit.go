package mutate

import (
	"cmp"
	"math"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Fit resets out and fills it with the calls of a trace from elsewhere, as far as the model, the
// target's description, the bounds and the switched-off features allow. It translates traces of
// another model, lowers weights to the bounds, and drops illegal calls. It reports whether out makes
// the same calls as t.
func (m *Mutator) Fit(t, out *trace.Trace) bool {
	most := cmp.Or(m.config.MaxCalls, math.MaxInt32)
	calls := stepsOf(t)
	if m.config.Model.File {
		calls = ofFile(calls)
	}
	m.writeWithout(calls, out, most)
	return sameSteps(stepsOf(t), stepsOf(out))
}
