package mutate

import (
	"math"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Fit resets out and fills it with the calls of a trace that is not ours, as
// far as the model, the target's description, the bounds and the features that must
// not happen allow: a trace of another model is made one of this, a weight beyond a
// bound is cut, and what is not legal is left out. It reports whether out says the
// same as the trace.
func (m *Mutator) Fit(t, out *trace.Trace) bool {
	most := m.config.MaxCalls
	if most == 0 {
		most = math.MaxInt32
	}
	calls := stepsOf(t)
	m.writeWithout(calls, out, most)
	return sameSteps(stepsOf(t), stepsOf(out))
}
