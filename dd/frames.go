package dd

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// dropFrames removes frames, from push to pop, and groups, both with their clauses. Solves,
// assumptions and blocks inside a frame stay, and so do the frames inside it.
func dropFrames(r *reducer) error {
	return dropGroups(r, few, func(t *trace.Trace) ([]int, int) { return unitsOf(t, true) })
}

// dropBrackets removes frames and groups but not their clauses.
func dropBrackets(r *reducer) error {
	return dropGroups(r, one, func(t *trace.Trace) ([]int, int) { return unitsOf(t, false) })
}

// A nesting tracks where the clauses of one instance belong.
type nesting struct {
	frames []int          // units of the frames that no pop has ended
	groups map[uint64]int // units of the groups, by number
	open   int            // unit of the open group, or -1
	pieces []int          // calls of the unfinished clause
}

// unit returns the unit to which a clause would belong now, or -1.
func (n *nesting) unit() int {
	if n.open >= 0 {
		return n.open
	}
	if len(n.frames) > 0 {
		return n.frames[len(n.frames)-1]
	}
	return -1
}

// unitsOf numbers frames and groups. Their calls and, if withClauses, their clauses get the
// number of the unit. Other calls get -1.
func unitsOf(t *trace.Trace, withClauses bool) (units []int, n int) {
	units = make([]int, len(t.Calls))
	of := make(map[uint16]*nesting)
	begin := func() int {
		n++
		return n - 1
	}
	for i := range t.Calls {
		units[i] = -1
		c := &t.Calls[i]
		s := of[c.Instance]
		if s == nil || c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease {
			s = &nesting{groups: make(map[uint64]int), open: -1}
			of[c.Instance] = s
		}
		switch c.Op {
		case apimodel.OpPush:
			units[i] = begin()
			s.frames = append(s.frames, units[i])
		case apimodel.OpPop:
			if last := len(s.frames) - 1; last >= 0 {
				units[i], s.frames = s.frames[last], s.frames[:last]
			}
		case apimodel.OpOpen:
			if _, known := s.groups[c.Num]; !known {
				s.groups[c.Num] = begin()
			}
			units[i], s.open = s.groups[c.Num], s.groups[c.Num]
		case apimodel.OpClose, apimodel.OpActivate, apimodel.OpDeactivate, apimodel.OpDelete:
			if unit, known := s.groups[c.Num]; known {
				units[i] = unit
			}
			switch c.Op {
			case apimodel.OpClose:
				s.open = -1
			case apimodel.OpDelete:
				delete(s.groups, c.Num)
			}
		case apimodel.OpClause:
			if s.pieces = append(s.pieces, i); withClauses && c.Flags&trace.Open == 0 {
				for _, piece := range s.pieces {
					units[piece] = s.unit()
				}
			}
			if c.Flags&trace.Open == 0 {
				s.pieces = s.pieces[:0]
			}
		}
	}
	return units, n
}
