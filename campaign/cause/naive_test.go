package cause

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A problem is what one solve asks about.
type problem struct {
	clauses [][]int32
	weights map[int32]uint64
}

// A right is the right answer of a solve.
type right struct {
	feasible bool
	cost     uint64
}

// problemsOf returns the problem of every solve.
func problemsOf(t *trace.Trace) map[int]problem {
	type state struct {
		problem
		open      []int32
		units     []int32
		constrain []int32
		limited   bool
	}
	states, all := make(map[uint16]*state), make(map[int]problem)
	for i := range t.Calls {
		c := &t.Calls[i]
		s := states[c.Instance]
		if s == nil || c.Op == apimodel.OpRelease {
			s = &state{problem: problem{weights: make(map[int32]uint64)}}
			states[c.Instance] = s
		}
		switch c.Op {
		case apimodel.OpClause:
			s.open = append(s.open, t.Args(c)...)
			if c.Flags&trace.Open == 0 {
				s.clauses, s.open = append(s.clauses, s.open), nil
			}
		case apimodel.OpImport: // it counts in the next solve and all later ones
			s.clauses = append(s.clauses, t.Args(c))
		case apimodel.OpSoft:
			s.weights[t.Lit(c)] = c.Num
		case apimodel.OpSoftClause: // a fresh literal costs the weight
			fresh := int32(1_000_000 + i)
			s.clauses = append(s.clauses, append([]int32{fresh}, t.Args(c)...))
			s.weights[fresh] = c.Num
		case apimodel.OpAssume:
			s.units = append(s.units, t.Lit(c))
		case apimodel.OpConstrain:
			s.constrain, s.limited = append([]int32{}, t.Args(c)...), true
		case apimodel.OpSolve, apimodel.OpSimplify, apimodel.OpEnumerate:
			if c.Op == apimodel.OpSolve {
				p := problem{weights: make(map[int32]uint64)}
				p.clauses = append(p.clauses, s.clauses...)
				for _, lit := range s.units {
					p.clauses = append(p.clauses, []int32{lit})
				}
				if s.limited {
					p.clauses = append(p.clauses, s.constrain)
				}
				for lit, w := range s.weights {
					p.weights[lit] = w
				}
				all[i] = p
			}
			s.units, s.constrain, s.limited = nil, nil, false
		}
	}
	return all
}

// solve searches for the cheapest solution. It returns false if the search takes too long.
func (p *problem) solve() (right, bool) {
	s := search{problem: p, value: make(map[int32]bool), left: 200_000}
	total, carry := uint64(0), uint64(0)
	for _, w := range p.weights {
		if total, carry = bits.Add64(total, w, 0); carry > 0 {
			return right{}, false
		}
	}
	s.run(0)
	return s.best, s.left > 0
}

type search struct {
	*problem
	value map[int32]bool // of literals: true if the literal is
	best  right
	left  int // steps
}

func (s *search) set(lit int32, known bool) {
	if known {
		s.value[lit], s.value[-lit] = true, false
		return
	}
	delete(s.value, lit)
	delete(s.value, -lit)
}

func (s *search) cost() (sum uint64) {
	for lit, w := range s.weights {
		if s.value[lit] {
			sum += w
		}
	}
	return sum
}

func (s *search) run(depth int) {
	if s.left--; s.left <= 0 {
		return
	}
	var assigned []int32
	defer func() {
		for _, lit := range assigned {
			s.set(lit, false)
		}
	}()
	branch := int32(0)
	for again := true; again; {
		again, branch = false, 0
		for _, clause := range s.clauses {
			free, satisfied, n := int32(0), false, 0
			for _, lit := range clause {
				if v, known := s.value[lit]; known {
					satisfied = satisfied || v
				} else if free != lit {
					free, n = lit, n+1
				}
			}
			switch {
			case satisfied:
			case n == 0:
				return
			case n == 1:
				s.set(free, true)
				assigned = append(assigned, free)
				again = true
			default:
				branch = free
			}
		}
	}
	if s.best.feasible && s.cost() >= s.best.cost {
		return
	}
	if branch == 0 {
		for lit := range s.weights {
			if _, known := s.value[lit]; !known && (branch == 0 || lit < branch) {
				branch = lit
			}
		}
	}
	if branch == 0 {
		s.best = right{true, s.cost()}
		return
	}
	if s.weights[branch] > s.weights[-branch] {
		branch = -branch
	}
	for _, lit := range []int32{branch, -branch} {
		s.set(lit, true)
		s.run(depth + 1)
		s.set(lit, false)
	}
}
