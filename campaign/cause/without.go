package cause

import "github.com/ipafuzz/ipafuzz/trace"

// Explains reports whether a failure of the trace can have the cause: the trace has all
// that the cause names, at whatever place: the same fault may show in the last solve and
// in an earlier one. An unknown cause explains everything, and so does Nothing.
func (c Cause) Explains(t *trace.Trace) bool {
	for _, v := range c.Needs() {
		if len(v.broad().Versions(t)) == 0 {
			return false
		}
	}
	return true
}

// Without returns a version of the trace in which none of the causes can explain a
// failure; nil if there is none. It takes out one thing of each cause.
func Without(t *trace.Trace, causes []Cause) *trace.Trace {
	for _, c := range causes {
		if !c.Explains(t) {
			continue
		}
		if t = c.without(t); t == nil {
			return nil
		}
	}
	for _, c := range causes {
		if c.Explains(t) { // what was taken out for one cause may bring in another
			return nil
		}
	}
	return t
}

// without takes one thing out that the cause names.
func (c Cause) without(t *trace.Trace) *trace.Trace {
	for _, v := range c.Needs() {
		for _, n := range v.broad().Versions(t) {
			if !c.Explains(n.Trace) {
				return n.Trace
			}
		}
	}
	return nil
}
