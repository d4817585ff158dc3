package trace

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// Units tracks the frames and groups of one solver of model qbf. Both are units of clauses, and numbered from 1 in the
// order in which they begin. The zero Units has none.
type Units struct {
	frames []int          // those that no pop has ended
	groups map[uint64]int // those that no delete has removed, by the number in the calls
	off    []int          // deactivated groups
	open   int            // the open group, or 0
	begun  int
}

// Reset forgets all units.
func (u *Units) Reset() {
	clear(u.groups)
	*u = Units{frames: u.frames[:0], groups: u.groups, off: u.off[:0]}
}

// Take makes a call and returns the unit that it is about, and whether it removes the unit with its clauses. A clause
// that ends now is about the unit that it belongs to. Other calls are about no unit, which is 0.
func (u *Units) Take(c *Call) (unit int, removes bool) {
	switch c.Op {
	case apimodel.OpPush:
		u.begun++
		u.frames = append(u.frames, u.begun)
		return u.begun, false
	case apimodel.OpPop:
		if last := len(u.frames) - 1; last >= 0 {
			unit, u.frames = u.frames[last], u.frames[:last]
		}
		return unit, unit != 0
	case apimodel.OpClause:
		if u.open == 0 && len(u.frames) > 0 {
			return u.frames[len(u.frames)-1], false
		}
		return u.open, false
	case apimodel.OpOpen:
		if u.groups == nil {
			u.groups = make(map[uint64]int)
		}
		if u.groups[c.Num] == 0 {
			u.begun++
			u.groups[c.Num] = u.begun
		}
		u.open = u.groups[c.Num]
		return u.open, false
	case apimodel.OpClose:
		u.open = 0
	case apimodel.OpDeactivate:
		u.off = append(u.off, u.groups[c.Num])
	case apimodel.OpActivate, apimodel.OpDelete:
		u.off = slices.DeleteFunc(u.off, func(off int) bool { return off == u.groups[c.Num] })
	default:
		return 0, false
	}
	unit, removes = u.groups[c.Num], c.Op == apimodel.OpDelete
	if removes {
		delete(u.groups, c.Num)
	}
	return unit, removes
}

// IsActive reports whether the clauses of a unit count: it is no deactivated group.
func (u *Units) IsActive(unit int) bool { return !slices.Contains(u.off, unit) }
