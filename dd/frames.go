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

// unitsOf numbers frames and groups. Their calls and, if withClauses, their clauses get the
// number of the unit. Other calls get -1.
func unitsOf(t *trace.Trace, withClauses bool) (units []int, n int) {
	type solver struct {
		units  trace.Units
		pieces []int // calls of the unfinished clause
		number map[int]int
	}
	units = make([]int, len(t.Calls))
	solvers := make(map[uint16]*solver)
	for i := range t.Calls {
		units[i] = -1
		c := &t.Calls[i]
		s := solvers[c.Instance]
		if s == nil || c.Op.Does(apimodel.Renews) {
			s = &solver{number: map[int]int{0: -1}}
			solvers[c.Instance] = s
		}
		unit, _ := s.units.Take(c)
		if _, known := s.number[unit]; !known {
			s.number[unit] = n
			n++
		}
		if c.Op != apimodel.OpClause {
			units[i] = s.number[unit]
			continue
		}
		if s.pieces = append(s.pieces, i); c.Flags&trace.Open == 0 {
			for _, piece := range s.pieces {
				if withClauses {
					units[piece] = s.number[unit]
				}
			}
			s.pieces = s.pieces[:0]
		}
	}
	return units, n
}
