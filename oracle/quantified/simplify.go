package quantified

import "github.com/ipafuzz/ipafuzz/trace/qbf"

// A simplifier simplifies a formula by assumptions, tautologies, units, universal reduction and pure literals.
// Universal reduction drops a universal literal from a clause without an existential literal further inside. A
// pure existential literal becomes true, a pure universal one false. The rest is true if and only if the formula
// is.
type simplifier struct {
	rest   qbf.Formula // over the variables that are left; its slices are valid until the next simplify
	blocks *qbf.Numbers
	prefix []qbf.Block
	value  qbf.Numbers // for variables with a value, the sign of the literal that is true
	lits   []int32
	seen   [2]qbf.Numbers // variables whose positive or negative literals occur
}

// mostRounds bounds the work on chains of units. A rest that could become simpler is still right.
const mostRounds = 1000

func (s *simplifier) simplify(f *qbf.Formula, blocks *qbf.Numbers, assumptions []int32) Truth {
	s.blocks, s.prefix = blocks, f.Prefix
	s.value.Reset()
	for _, l := range assumptions {
		s.assign(l)
	}
	s.lits = s.lits[:0]
	for _, clause := range f.Clauses {
		s.lits = append(s.lits, clause...)
	}
	s.rest.Clauses = s.rest.Clauses[:0]
	at := 0
	for _, clause := range f.Clauses {
		s.rest.Clauses = append(s.rest.Clauses, s.lits[at:at+len(clause):at+len(clause)])
		at += len(clause)
	}
	for range mostRounds {
		again, contradiction := s.shorten()
		switch {
		case contradiction:
			return False
		case len(s.rest.Clauses) == 0:
			return True
		}
		if again = s.pure() || again; !again {
			break
		}
	}
	s.left()
	return Unknown
}

func (s *simplifier) assign(l int32) { s.value.Set(variable(l), int32(sign(l))) }

// depth returns how far inside a variable is.
func (s *simplifier) depth(v int32) int32 { return s.blocks.Of(v) }

func (s *simplifier) isUniversal(v int32) bool {
	b := s.blocks.Of(v)
	return b >= 0 && s.prefix[b].Universal
}

// shorten goes over all clauses once. It reports whether units gave variables values, and whether a clause has only
// false literals.
func (s *simplifier) shorten() (again, contradiction bool) {
	kept := s.rest.Clauses[:0]
	for _, clause := range s.rest.Clauses {
		short, fulfilled := s.shortened(clause)
		switch {
		case fulfilled:
		case len(short) == 0:
			return false, true
		case len(short) == 1: // an existential literal: universal reduction drops others
			s.assign(short[0])
			again = true
		default:
			kept = append(kept, short)
		}
	}
	s.rest.Clauses = kept
	return again, false
}

// shortened drops literals from a clause, in place.
func (s *simplifier) shortened(clause []int32) (short []int32, fulfilled bool) {
	short = clause[:0]
	deepest := int32(-2)
next:
	for _, l := range clause {
		v := variable(l)
		switch value := s.value.Of(v); {
		case value == int32(sign(l)):
			return nil, true
		case value >= 0:
			continue
		}
		for _, o := range short {
			if o == l {
				continue next
			}
			if o == -l {
				return nil, true
			}
		}
		short = append(short, l)
		if !s.isUniversal(v) {
			deepest = max(deepest, s.depth(v))
		}
	}
	clause, short = short, short[:0]
	for _, l := range clause {
		if v := variable(l); !s.isUniversal(v) || s.depth(v) < deepest {
			short = append(short, l)
		}
	}
	return short, false
}

// pure gives pure literals their values.
func (s *simplifier) pure() (again bool) {
	s.seen[0].Reset()
	s.seen[1].Reset()
	for _, clause := range s.rest.Clauses {
		for _, l := range clause {
			s.seen[sign(l)].Set(variable(l), 0)
		}
	}
	for _, clause := range s.rest.Clauses {
		for _, l := range clause {
			v := variable(l)
			if s.seen[1-sign(l)].Of(v) >= 0 || s.value.Of(v) >= 0 {
				continue
			}
			if s.isUniversal(v) {
				l = -l
			}
			s.assign(l)
			again = true
		}
	}
	return again
}

// left makes the prefix of the rest, with the variables that remain.
func (s *simplifier) left() {
	s.seen[0].Reset()
	for _, clause := range s.rest.Clauses {
		for _, l := range clause {
			s.seen[0].Set(variable(l), 0)
		}
	}
	s.rest.Prefix = s.rest.Prefix[:0]
	for i := range s.prefix {
		block := qbf.Block{Universal: s.prefix[i].Universal}
		for _, v := range s.prefix[i].Vars {
			if s.seen[0].Of(v) >= 0 {
				block.Vars = append(block.Vars, v)
			}
		}
		if len(block.Vars) > 0 {
			s.rest.Prefix = append(s.rest.Prefix, block)
		}
	}
}
