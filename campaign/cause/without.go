package cause

import (
	"math/rand/v2"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Explains reports whether a failure of the trace can have this cause: the trace has everything that the
// cause names, anywhere, because a fault may show in the last solve or in an earlier one. A failure that
// needs nothing special explains a trace in which its minimal trace occurs. A failure of unknown cause
// explains all traces.
func (f *Failure) Explains(t *trace.Trace) bool {
	needs := f.Cause.Needs()
	if len(needs) == 0 {
		return f.ExplainsAll() || occurs(f.Minimal, t)
	}
	return !slices.ContainsFunc(needs, func(v *Variant) bool { return !v.broad().In(t) })
}

// ExplainsAll reports whether the known failure explains the failure of every trace.
func (f *Failure) ExplainsAll() bool { return f.Cause == "" || f.Cause == Nothing && f.Minimal == nil }

// At returns the known failures that may explain a crash at the location. A known crash at that location
// explains it whatever the trace has; known crashes at other places do not. If the location is "", At
// returns all.
func At(known []*Failure, location string) []*Failure {
	if location == "" {
		return known
	}
	if slices.ContainsFunc(known, func(f *Failure) bool { return f.Location == location }) {
		return []*Failure{{Location: location}}
	}
	return slices.DeleteFunc(slices.Clone(known), func(f *Failure) bool { return f.Location != "" })
}

// Explain reports whether one of the known failures explains a failure of the trace.
func Explain(known []*Failure, t *trace.Trace) bool {
	return slices.ContainsFunc(known, func(f *Failure) bool { return f.Explains(t) })
}

// mostWithout bounds the versions that Without returns.
const mostWithout = 4

// Without returns versions of the trace whose failure no known failure can explain, all different. It takes out one
// thing of each cause, another one for each version, or, if a cause is nothing, calls until the minimal trace does not
// occur. What is taken out changes what is left: another fault may need it, too.
func Without(t *trace.Trace, known []*Failure) (versions []*trace.Trace) {
	seen := make(map[string]bool)
	for n := range mostWithout {
		if v := withoutAll(t, known, n); v != nil && !seen[v.String()] {
			seen[v.String()] = true
			versions = append(versions, v)
		}
	}
	return versions
}

// withoutAll returns the n-th version, or nil.
func withoutAll(t *trace.Trace, known []*Failure, n int) *trace.Trace {
	r := rand.New(rand.NewPCG(1, uint64(n))) // the same trace gets the same versions
	for i := range known {
		if !known[i].Explains(t) {
			continue
		}
		if t = known[i].without(t, n, r); t == nil {
			return nil
		}
	}
	if Explain(known, t) { // taking out one cause may bring in another
		return nil
	}
	return t
}

// without takes one thing that the cause names out of the trace, if possible the n-th.
func (f *Failure) without(t *trace.Trace, n int, r *rand.Rand) *trace.Trace {
	if f.Cause == Nothing && f.Minimal != nil {
		return f.uprooted(t, r)
	}
	needs := f.Cause.Needs()
	for i := range needs {
		for _, version := range needs[(n+i)%len(needs)].broad().Versions(t) {
			if !f.Explains(version.Trace) {
				return version.Trace
			}
		}
	}
	return nil
}

// mostUprooted bounds the calls that uprooted takes out.
const mostUprooted = 100

// uprooted takes out of the trace, again and again, one call of those to which the minimal trace corresponds, until it
// does not occur. Solves stay. It returns nil if that does not succeed.
func (f *Failure) uprooted(t *trace.Trace, r *rand.Rand) *trace.Trace {
	other := func(int) (same, cost bool) { return false, false }
	for range mostUprooted {
		e := embedding{a: f.Minimal, b: t, left: mostSteps}
		if !e.exists() {
			if e.left < 0 {
				return nil
			}
			return t
		}
		var calls []int
		for j, i := range e.bs {
			if e.taken[j] && t.Calls[i].Op != apimodel.OpSolve {
				calls = append(calls, i)
			}
		}
		if len(calls) == 0 {
			return nil
		}
		out := calls[r.IntN(len(calls))]
		t = edit(t, func(d *draft, i int, _ *trace.Call) {
			if i != out {
				d.keep(i)
			}
		}).legal(other)
		if t == nil {
			return nil
		}
	}
	return nil
}
