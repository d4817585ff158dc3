package cause

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The clauses of a group stop counting in two ways, and one of them lets the clauses count again. Three variants tell
// which of these a failure needs: each does without one, in another way.

// noDeletions deactivates groups instead of deleting them. A new group with the number of a deleted one gets another.
func noDeletions(t *trace.Trace) []*Version {
	return regrouped(t, func(r *regrouping, d *draft, i int, c *trace.Call) bool {
		if c.Op != apimodel.OpDelete {
			return false
		}
		d.to.Count(c.Instance, apimodel.OpDeactivate, uint32(r.number(i)))
		d.origin = append(d.origin, i)
		r.renumber(i)
		return true
	})
}

// noDeactivations deletes groups instead of deactivating them, except those that are activated again.
func noDeactivations(t *trace.Trace) []*Version {
	stays := deactivatedForGood(t)
	return regrouped(t, func(_ *regrouping, d *draft, i int, c *trace.Call) bool {
		if !stays[i] {
			return false
		}
		d.to.Count(c.Instance, apimodel.OpDelete, uint32(c.Num))
		d.origin = append(d.origin, i)
		return true
	})
}

// deactivatedForGood returns the calls that deactivate groups that are not activated again.
func deactivatedForGood(t *trace.Trace) map[int]bool {
	stays := make(map[int]bool)
	lives, _ := livesOf(t)
	for _, l := range lives {
		off := make(map[uint64]int) // by group: the call that deactivates it
		for _, i := range l.of(t, apimodel.OpDeactivate, apimodel.OpActivate) {
			if c := &t.Calls[i]; c.Op == apimodel.OpDeactivate {
				off[c.Num], stays[i] = i, true
			} else {
				delete(stays, off[c.Num])
			}
		}
	}
	return stays
}

func staysDeactivated(t *trace.Trace) bool { return len(deactivatedForGood(t)) > 0 }

// noActivations deletes groups instead of deactivating them, and adds their clauses again instead of activating them.
// The control only adds a clause there, which changes nothing. While another group is open, no group can be opened, so
// then there is no version.
func noActivations(t *trace.Trace) []*Version {
	clauses := clausesOf(t)
	for _, clause := range clauses {
		if len(clause.pieces) > 1 {
			return nil // as rare as it is much work
		}
	}
	count := make(map[*life]int)
	_, of := livesOf(t)
	for i := range t.Calls {
		if t.Calls[i].Op == apimodel.OpActivate {
			count[of[i]] = 2
		}
	}
	in, beside := groupsOf(t), newInner(t, count)
	if len(count) == 0 || beside == nil {
		return nil
	}
	versions := regrouped(t, func(r *regrouping, d *draft, i int, c *trace.Call) bool {
		switch c.Op {
		case apimodel.OpDeactivate:
			d.to.Count(c.Instance, apimodel.OpDelete, uint32(r.number(i)))
			d.origin = append(d.origin, i)
			return true
		case apimodel.OpActivate:
			r.renumber(i)
			d.to.Count(c.Instance, apimodel.OpOpen, uint32(r.number(i)))
			d.origin = append(d.origin, -1)
			for _, at := range in[i] {
				d.clause(c.Instance, clauses[at].lits...)
			}
			d.to.Count(c.Instance, apimodel.OpClose, uint32(r.number(i)))
			d.origin = append(d.origin, i)
			return true
		}
		return false
	})
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		beside.at(d, i)
		beside.keep(d, i)
		if c.Op == apimodel.OpActivate {
			d.clause(c.Instance, beside.of(d, of[i])...)
		}
	}).control(versions[0])}
}

// A regrouping gives groups other numbers.
type regrouping struct {
	t    *trace.Trace
	now  map[groupName]uint64
	used map[uint64]bool
	next uint64 // no lower number is unused
}

// A groupName is the number of a group in the original.
type groupName struct {
	instance uint16
	number   uint64
}

func (r *regrouping) name(i int) groupName {
	return groupName{r.t.Calls[i].Instance, r.t.Calls[i].Num}
}

// number returns the number that the group of call number i has now.
func (r *regrouping) number(i int) uint64 {
	if number, ok := r.now[r.name(i)]; ok {
		return number
	}
	return r.t.Calls[i].Num
}

// renumber gives the group of call number i an unused number.
func (r *regrouping) renumber(i int) {
	for r.used[r.next] {
		r.next++
	}
	r.now[r.name(i)], r.used[r.next] = r.next, true
}

func isGroupCall(op apimodel.Op) bool {
	switch op {
	case apimodel.OpOpen, apimodel.OpClose, apimodel.OpActivate, apimodel.OpDeactivate, apimodel.OpDelete:
		return true
	}
	return false
}

// regrouped returns the version in which replace has replaced some calls about groups. replace reports whether it has
// replaced the call.
func regrouped(t *trace.Trace, replace func(r *regrouping, d *draft, i int, c *trace.Call) bool) []*Version {
	r := &regrouping{t: t, now: make(map[groupName]uint64), used: make(map[uint64]bool)}
	for i := range t.Calls {
		if isGroupCall(t.Calls[i].Op) {
			r.used[t.Calls[i].Num] = true
		}
	}
	if len(r.used) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		switch {
		case !isGroupCall(c.Op):
			d.keep(i)
		case !replace(r, d, i, c):
			d.keepWeight(i, r.number(i))
		}
		if c.Op == apimodel.OpRelease {
			for name := range r.now {
				if name.instance == c.Instance {
					delete(r.now, name)
				}
			}
		}
	}).version(nil)}
}

// groupsOf returns, for each call that activates a group again, the clauses of the group, by their last calls.
func groupsOf(t *trace.Trace) map[int][]int {
	in := make(map[int][]int)
	lives, _ := livesOf(t)
	for _, l := range lives {
		of := make(map[uint64][]int)
		open, isOpen := uint64(0), false
		for _, i := range l.calls {
			switch c := &t.Calls[i]; c.Op {
			case apimodel.OpOpen:
				open, isOpen = c.Num, true
			case apimodel.OpClose:
				isOpen = false
			case apimodel.OpDelete:
				delete(of, c.Num)
			case apimodel.OpActivate:
				in[i] = of[c.Num]
			case apimodel.OpClause:
				if isOpen {
					of[open] = append(of[open], i)
				}
			}
		}
	}
	return in
}
