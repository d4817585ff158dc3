package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Known failure may explain other failures.
type Known struct {
	Cause    Cause
	Minimal  *trace.Trace // nil: unknown
	Location string       // where it crashes; "" if it does not crash or the place is unknown
}

// Explains reports whether a failure of the trace can have this cause: the trace has everything that the
// cause names, anywhere, because a fault may show in the last solve or in an earlier one. A failure that
// needs nothing special explains a trace in which its minimal trace occurs. A failure of unknown cause
// explains all traces.
func (k *Known) Explains(t *trace.Trace) bool {
	needs := k.Cause.Needs()
	if len(needs) == 0 {
		return k.ExplainsAll() || Occurs(k.Minimal, t)
	}
	return !slices.ContainsFunc(needs, func(v *Variant) bool { return !v.broad().In(t) })
}

// ExplainsAll reports whether the known failure explains the failure of every trace.
func (k *Known) ExplainsAll() bool { return k.Cause == "" || k.Cause == Nothing && k.Minimal == nil }

// At returns the known failures that may explain a crash at the location. A known crash at that location
// explains it whatever the trace has; known crashes at other places do not. If the location is "", At
// returns all.
func At(known []Known, location string) []Known {
	if location == "" {
		return known
	}
	if slices.ContainsFunc(known, func(k Known) bool { return k.Location == location }) {
		return []Known{{Location: location}}
	}
	return slices.DeleteFunc(slices.Clone(known), func(k Known) bool { return k.Location != "" })
}

// Explain reports whether one of the known failures explains a failure of the trace.
func Explain(known []Known, t *trace.Trace) bool {
	return slices.ContainsFunc(known, func(k Known) bool { return k.Explains(t) })
}

// Without returns a version of the trace whose failure no known failure can explain, or nil. It takes out
// one thing of each cause.
func Without(t *trace.Trace, known []Known) *trace.Trace {
	for i := range known {
		if !known[i].Explains(t) {
			continue
		}
		if t = known[i].without(t); t == nil {
			return nil
		}
	}
	if Explain(known, t) { // taking out one cause may bring in another
		return nil
	}
	return t
}

// without takes one thing that the cause names out of the trace.
func (k *Known) without(t *trace.Trace) *trace.Trace {
	for _, v := range k.Cause.Needs() {
		for _, n := range v.broad().Versions(t) {
			if !k.Explains(n.Trace) {
				return n.Trace
			}
		}
	}
	return nil
}
