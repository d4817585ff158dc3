package cause

import (
	"bytes"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mostSteps bounds the search of occurs, which may run for every trace that fails with a known key.
const mostSteps = 5000

// occurs reports whether trace a is trace b without some calls: every call of a corresponds to one of b with the same
// operation, in the same order. Variables, polarities, instances and weights may differ; several variables of a may
// correspond to one of b. Clauses, soft literals, soft clauses and assumptions between two other calls may come in any
// order. Queries do not count, since chance decides which of them survive a reduction.
//
// If the search meets its bound, occurs returns true.
func occurs(a, b *trace.Trace) bool {
	e := embedding{a: a, b: b, left: mostSteps}
	return e.exists() || e.left < 0
}

// exists looks for an embedding.
func (e *embedding) exists() bool {
	if e.a.Model.Interface() != e.b.Model.Interface() {
		return false
	}
	e.as, e.bs = substance(e.a), substance(e.b)
	if len(e.as) == 0 || len(e.as) > len(e.bs) {
		return false
	}
	e.lits, e.instances, e.taken = make(map[int32]int32), make(map[uint16]uint16), make([]bool, len(e.bs))
	return e.call(0, 0, 0)
}

// substance returns the calls of a trace that are neither queries nor init.
func substance(t *trace.Trace) (calls []int) {
	for i := range t.Calls {
		if !t.Calls[i].Op.Does(apimodel.Asks) && t.Calls[i].Op != apimodel.OpInit {
			calls = append(calls, i)
		}
	}
	return calls
}

// An embedding is a partial map from a to b.
type embedding struct {
	a, b      *trace.Trace
	as, bs    []int // calls
	taken     []bool
	lits      map[int32]int32 // of positive literals
	instances map[uint16]uint16
	left      int
}

// movable reports whether a call may change places with neighbours of its kind.
func movable(c *trace.Call) bool {
	switch c.Op {
	case apimodel.OpClause:
		return c.Flags&trace.Open == 0
	case apimodel.OpSoft, apimodel.OpSoftClause, apimodel.OpAssume:
		return true
	}
	return false
}

// call maps call i of a and all later ones. low follows the last mapped call that cannot move, and high
// follows all mapped calls.
func (e *embedding) call(i, low, high int) bool {
	if i == len(e.as) {
		return true
	}
	c := &e.a.Calls[e.as[i]]
	from := high
	if movable(c) {
		from = low
	}
	for j := from; j < len(e.bs); j++ {
		if e.left--; e.left < 0 {
			return false
		}
		if e.taken[j] {
			continue
		}
		nextLow, nextHigh := low, max(high, j+1)
		if !movable(c) {
			nextLow = j + 1
		}
		e.taken[j] = true
		if e.match(c, &e.b.Calls[e.bs[j]], func() bool { return e.call(i+1, nextLow, nextHigh) }) {
			return true
		}
		e.taken[j] = false
	}
	return false
}

// match maps one call to another and goes on with next.
func (e *embedding) match(c, d *trace.Call, next func() bool) bool {
	if c.Op != d.Op || c.Flags != d.Flags {
		return false
	}
	switch c.Op.Form() {
	case apimodel.FormText:
		if !bytes.Equal(e.a.Bytes[c.Pos:c.Pos+c.Len], e.b.Bytes[d.Pos:d.Pos+d.Len]) {
			return false
		}
	case apimodel.FormLits, apimodel.FormWeighted:
		if c.Len != d.Len {
			return false
		}
	case apimodel.FormSoft, apimodel.FormNumber, apimodel.FormLong:
		if (c.Num == 0) != (d.Num == 0) {
			return false
		}
	}
	to, known := e.instances[c.Instance]
	if known {
		return to == d.Instance && e.literals(c, d, 0, nil, next)
	}
	for _, other := range e.instances {
		if other == d.Instance {
			return false
		}
	}
	e.instances[c.Instance] = d.Instance
	if e.literals(c, d, 0, nil, next) {
		return true
	}
	delete(e.instances, c.Instance)
	return false
}

// literals maps the literals of a call from number k on, each to a different one.
func (e *embedding) literals(c, d *trace.Call, k int, used []bool, next func() bool) bool {
	if !c.Op.HasLits() || k == int(c.Len) {
		return next()
	}
	if used == nil {
		used = make([]bool, d.Len)
	}
	for at, to := range e.b.Args(d) {
		if e.left--; e.left < 0 {
			return false
		}
		if used[at] {
			continue
		}
		from, image := e.a.Args(c)[k], to
		if from < 0 {
			from, image = -from, -image
		}
		now, known := e.lits[from]
		if known && now != image {
			continue
		}
		used[at] = true
		e.lits[from] = image
		if e.literals(c, d, k+1, used, next) {
			return true
		}
		used[at] = false
		if !known {
			delete(e.lits, from)
		}
	}
	return false
}
