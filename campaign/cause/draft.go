package cause

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A draft is an unfinished version. It remembers where its calls come from.
type draft struct {
	from, to *trace.Trace
	origin   []int // of each call of to: the call of from, or -1 if it was added
	used     map[int32]bool
	posed    map[int32]bool // used by more than queries
	next     int32          // no lower variable is free
}

func newDraft(t *trace.Trace) *draft {
	d := &draft{from: t, to: &trace.Trace{Model: t.Model, Notes: t.Notes, Planted: t.Planted}, next: 1}
	d.used, d.posed = make(map[int32]bool), make(map[int32]bool)
	for i := range t.Calls {
		if t.Calls[i].Op.HasLits() {
			for _, lit := range t.Args(&t.Calls[i]) {
				d.used[trace.Var(lit)] = true
				d.posed[trace.Var(lit)] = d.posed[trace.Var(lit)] || !t.Calls[i].Op.Does(apimodel.Asks)
			}
		}
	}
	return d
}

// edit makes a draft. It calls each for every call of the trace. each keeps the call, adds others in its
// place, or drops it by doing nothing.
func edit(t *trace.Trace, each func(d *draft, i int, c *trace.Call)) *draft {
	d := newDraft(t)
	for i := range t.Calls {
		each(d, i, &t.Calls[i])
	}
	return d
}

// keep copies call number i.
func (d *draft) keep(i int) {
	d.to.Append(d.from, &d.from.Calls[i])
	d.origin = append(d.origin, i)
}

// keepWith copies call number i with another first literal.
func (d *draft) keepWith(i int, lit int32) {
	d.keep(i)
	d.to.Lits[d.to.Calls[len(d.to.Calls)-1].Pos] = lit
}

// keepWeight copies call number i with another weight.
func (d *draft) keepWeight(i int, weight uint64) {
	d.keep(i)
	d.to.Calls[len(d.to.Calls)-1].Num = weight
}

// clause adds a clause.
func (d *draft) clause(instance uint16, lits ...int32) {
	d.to.Clause(instance, true, lits...)
	d.origin = append(d.origin, -1)
}

// soft adds a soft literal, which costs the weight if it is true. In a formula file, that is a soft clause of its
// negation.
func (d *draft) soft(instance uint16, lit int32, weight uint64) {
	if d.to.Model.File {
		d.softClause(weight, -lit)
		return
	}
	d.to.Soft(instance, lit, weight)
	d.origin = append(d.origin, -1)
}

// softClause adds a soft clause.
func (d *draft) softClause(weight uint64, lits ...int32) {
	d.to.SoftClause(weight, lits...)
	d.origin = append(d.origin, -1)
}

// equal adds the clauses that make two literals equal.
func (d *draft) equal(instance uint16, a, b int32) {
	d.clause(instance, a, -b)
	d.clause(instance, -a, b)
}

// fresh returns the least variable that neither the trace names nor the draft has used and that fills no gap in the
// numbers. A control without the gap could pass because of that.
func (d *draft) fresh() int32 {
	for d.used[d.next] || d.fillsGap(d.next) {
		d.next++
	}
	d.used[d.next], d.posed[d.next] = true, true
	return d.next
}

// fillsGap reports whether v is all that is missing between two variables. What only queries name is above a gap only
// by chance.
func (d *draft) fillsGap(v int32) bool { return (v == 1 || d.used[v-1]) && d.posed[v+1] }

// version finishes the draft. It drops queries that have lost their answer, and returns nil if another call
// became illegal or nothing changed. has reports, for a solve, whether its right answer is the same as in
// the original, and whether its optimum is, too; a nil has means that all are.
func (d *draft) version(has func(solve int) (same, cost bool)) *Version {
	if !d.repair() || d.unchanged() {
		return nil
	}
	n := &Version{Trace: d.to}
	for i, origin := range d.origin {
		if origin < 0 || d.to.Calls[i].Op != apimodel.OpSolve {
			continue
		}
		same, cost := true, true
		if has != nil {
			same, cost = has(origin)
		}
		if same {
			n.Shared = append(n.Shared, Shared{Original: origin, Version: i, Cost: cost})
		}
	}
	d.expect(n.Shared)
	return n
}

// legal finishes the draft as version does, and returns its trace, or nil if that is illegal or the same as the
// original.
func (d *draft) legal(has func(solve int) (same, cost bool)) *trace.Trace {
	n := d.version(has)
	if n == nil || trace.Check(n.Trace) != nil {
		return nil
	}
	return n.Trace
}

// control finishes the draft as the control of a version.
func (d *draft) control(n *Version) *Version {
	if n == nil || !d.repair() {
		return nil
	}
	var same []Shared
	for i, origin := range d.origin {
		if origin >= 0 && d.to.Calls[i].Op == apimodel.OpSolve {
			same = append(same, Shared{Original: origin, Version: i, Cost: true})
		}
	}
	d.expect(same)
	n.Control = d.to
	return n
}

func (d *draft) unchanged() bool {
	bare := *d.from
	bare.Want = trace.Answers{}
	return trace.Equal(&bare, d.to)
}

// repair drops queries that have become illegal.
func (d *draft) repair() bool {
	walker := apimodel.NewWalker(d.to.Model)
	calls, origin := d.to.Calls[:0], d.origin[:0]
	for i := range d.to.Calls {
		c := d.to.Calls[i]
		if walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&trace.Open != 0}) != nil {
			if !c.Op.Does(apimodel.Asks) {
				return false
			}
			continue
		}
		calls, origin = append(calls, c), append(origin, d.origin[i])
	}
	d.to.Calls, d.origin = calls, origin
	return true
}

// expect copies the expectations that still hold: the status of solves with the same right answer, and the
// optimum if obj asks for it.
func (d *draft) expect(same []Shared) {
	if len(d.from.Want.Of) == 0 {
		return
	}
	d.to.Want.Of = make([]trace.Answer, len(d.to.Calls))
	last := make(map[uint16]Shared) // by instance: the answer that queries are about
	for i := range d.to.Calls {
		c := &d.to.Calls[i]
		switch {
		case c.Op == apimodel.OpSolve:
			last[c.Instance] = Shared{}
			if len(same) > 0 && same[0].Version == i {
				last[c.Instance] = same[0]
				d.to.Want.Of[i] = *d.from.Want.At(same[0].Original)
				same = same[1:]
			}
		case c.Op == apimodel.OpObj && last[c.Instance].Cost && d.origin[i] >= 0:
			d.to.Want.Of[i] = *d.from.Want.At(d.origin[i])
		}
	}
}

// A Version is a trace that a variant made from another one.
type Version struct {
	Trace *trace.Trace

	// Control has what the version adds, such as fresh variables, and also the possible cause. If the
	// control passes, too, the additions hide the failure and the version proves nothing. Control is nil if
	// the version adds nothing.
	Control *trace.Trace

	// Shared lists the solves that have the same right answer in both traces.
	Shared []Shared
}

// Shared says that two solves have the same right status and, if Cost is set, the same
// optimum.
type Shared struct {
	Original, Version int // calls
	Cost              bool
}

// then returns the version of a version as one of the original.
func (n *Version) then(next *Version) *Version {
	if next == nil {
		return nil
	}
	whole := &Version{Trace: next.Trace}
	for _, second := range next.Shared {
		for _, first := range n.Shared {
			if first.Version == second.Original {
				whole.Shared = append(whole.Shared, Shared{Original: first.Original, Version: second.Version,
					Cost: first.Cost && second.Cost})
			}
		}
	}
	return whole
}
