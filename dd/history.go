package dd

import (
	"bytes"
	"slices"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A history holds the candidates that the search has tested and that did not fail.
type history struct {
	keys  map[engine.Key]bool
	forms map[engine.Key]bool // of light traces
	light []*trace.Trace
}

func newHistory() history {
	return history{keys: make(map[engine.Key]bool), forms: make(map[engine.Key]bool)}
}

func (h *history) add(t *trace.Trace) {
	h.keys[keyOf(t)] = true
	if isComparable(t) {
		h.forms[formOf(t)] = true
		h.light = append(h.light, t)
	}
}

// isComparable reports whether a trace is small, and fails or not by its calls alone.
func isComparable(t *trace.Trace) bool { return len(t.Calls) <= light && len(t.Want.Of) == 0 }

// has reports whether the trace did not fail.
func (h *history) has(t *trace.Trace) bool {
	return h.keys[keyOf(t)]
}

// hasForm reports whether a light trace of that form did not fail.
func (h *history) hasForm(form engine.Key) bool {
	return h.forms[form]
}

// formOf returns the same key for traces that differ only in the numbers and signs of variables.
func formOf(t *trace.Trace) engine.Key {
	names := make(map[int32]int32)
	return keyOf(renamed(t, func(lit int32) int32 {
		name, known := names[trace.Var(lit)]
		if !known { // the first literal of a variable gets a positive one
			name = int32(len(names) + 1)
			if lit < 0 {
				name = -name
			}
			names[trace.Var(lit)] = name
		}
		if lit < 0 {
			return -name
		}
		return name
	}))
}

// hasMore reports whether a light trace did not fail from which t lacks some calls. If shorter, it may lack literals
// of other calls, too.
func (h *history) hasMore(t *trace.Trace, shorter bool) bool {
	return slices.ContainsFunc(h.light, func(larger *trace.Trace) bool { return isPart(t, larger, shorter) })
}

// isPart reports whether the calls of part are calls of t, in their order. If shorter, they may have fewer literals
// there.
func isPart(part, t *trace.Trace, shorter bool) bool {
	next := 0
	for i := range t.Calls {
		if next < len(part.Calls) && isPartOfCall(part, next, t, i, shorter) {
			next++
		}
	}
	return next == len(part.Calls)
}

func isPartOfCall(part *trace.Trace, i int, t *trace.Trace, j int, shorter bool) bool {
	c, whole := &part.Calls[i], &t.Calls[j]
	if bytes.Equal(callText(part, i, nil), callText(t, j, nil)) {
		return true
	}
	if !shorter || !c.Op.HasLits() || c.Len == 0 || c.Op != whole.Op || c.Flags != whole.Flags ||
		c.Instance != whole.Instance || c.Num != whole.Num {
		return false
	}
	lits := part.Args(c)
	for _, lit := range t.Args(whole) {
		if len(lits) > 0 && lits[0] == lit {
			lits = lits[1:]
		}
	}
	return len(lits) == 0
}

// hopeless reports whether a search that proves nothing leaves the candidate out, since one did not fail that had
// other numbers and signs of variables, or more.
//
// Of the candidates with other numbers and signs, 1% fail nevertheless (2 of 195), of those that lack calls 8%, of
// those that lack literals 22%, and of all others 36% (the files of BenchmarkReductionPublished in package shrink, in
// two orders of the clauses). So only quick passes leave out those that lack literals.
func (r *reducer) hopeless(candidate *trace.Trace) bool {
	proves := !r.unproven && !r.running.quick
	if proves || r.running.renames || r.running.shuffles || !isComparable(candidate) {
		return false
	}
	return r.history.hasForm(formOf(candidate)) || !r.running.weighs && r.history.hasMore(candidate, r.running.quick)
}

// knows reports whether the search has already shown that none of the items can go from the best trace by
// itself. without returns the trace without an item.
func (r *reducer) knows(items []int, without func(item int) *trace.Trace) bool {
	return !slices.ContainsFunc(items, func(item int) bool {
		candidate := without(item)
		if candidate == nil || r.history.has(candidate) {
			return false
		}
		_, worthTesting := r.trial(func() *trace.Trace { return candidate })()
		return worthTesting
	})
}
