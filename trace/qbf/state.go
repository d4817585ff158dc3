package qbf

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A State follows one instance through the calls of a legal trace of model qbf, and knows the
// formula of the next solve. apimodel.QBF says what each call means.
//
//	state := qbf.NewState(instance)
//	for i := range t.Calls {
//		if t.Calls[i].Op == apimodel.OpSolve && t.Calls[i].Instance == instance {
//			judge(state.Formula(), state.Assumptions())
//		}
//		state.Apply(t, i)
//	}
type State struct {
	instance uint16
	prefix   []Block
	levels   Numbers // levels of the variables; 0: free
	free     []int32 // free variables in order of first occurrence
	clauses  []placed
	part     []int32 // literals of the open clause
	units    trace.Units
	pending  []int32
	assumed  []int32
}

// A placed is a clause with the unit, a frame or group, that it belongs to.
type placed struct {
	lits []int32
	unit int // 0: none
}

// NewState returns the state of an instance before its first call.
func NewState(instance uint16) *State {
	s := new(State)
	s.Reset(instance)
	return s
}

// Reset sets the state to that of an instance before its first call.
func (s *State) Reset(instance uint16) {
	s.levels.Reset()
	s.units.Reset()
	*s = State{instance: instance, prefix: s.prefix[:0], levels: s.levels, free: s.free[:0], clauses: s.clauses[:0],
		units: s.units, pending: s.pending[:0], assumed: s.assumed[:0]}
}

// Apply makes call i, unless it belongs to another instance. The state keeps references to the
// literals of the trace, which must not change.
func (s *State) Apply(t *trace.Trace, i int) {
	c := &t.Calls[i]
	if c.Instance != s.instance {
		return
	}
	switch c.Op {
	case apimodel.OpExists, apimodel.OpForall:
		s.prefix = append(s.prefix, Block{Universal: c.Op == apimodel.OpForall})
		s.quantify(len(s.prefix), t.Args(c))
	case apimodel.OpExtend:
		s.quantify(int(c.Num), t.Args(c))
	case apimodel.OpAssume:
		s.pending = append(s.pending, t.Lit(c))
	case apimodel.OpSolve:
		s.pending, s.assumed = s.assumed[:0], s.pending
	case apimodel.OpRelease:
		s.Reset(s.instance)
	default:
		unit, removes := s.units.Take(c)
		if removes {
			s.clauses = slices.DeleteFunc(s.clauses, func(p placed) bool { return p.unit == unit })
		} else if c.Op == apimodel.OpClause {
			s.clause(t.Args(c), c.Flags&trace.Open != 0, unit)
		}
	}
}

func (s *State) quantify(level int, vars []int32) {
	block := &s.prefix[level-1]
	if block.Vars == nil {
		block.Vars = vars[:len(vars):len(vars)]
	} else {
		block.Vars = append(block.Vars[:len(block.Vars):len(block.Vars)], vars...) // a Formula may share the old ones
	}
	for _, v := range vars {
		s.levels.Set(v, int32(level))
	}
}

func (s *State) clause(lits []int32, open bool, unit int) {
	for _, lit := range lits {
		if v := trace.Var(lit); s.levels.Of(v) < 0 {
			s.levels.Set(v, 0)
			s.free = append(s.free, v)
		}
	}
	if open {
		s.part = append(s.part, lits...)
		return
	}
	if len(s.part) > 0 {
		lits = append(s.part, lits...)
		s.part = nil
	}
	s.clauses = append(s.clauses, placed{lits, unit})
}

// Formula returns the formula of a solve at this point, without the assumptions. It shares
// variables and literals with the state and the trace. Later calls do not change them.
func (s *State) Formula() Formula {
	f := Formula{Clauses: make([][]int32, 0, len(s.clauses))}
	s.FormulaInto(&f)
	return f
}

// FormulaInto is like Formula, but reuses the memory of f.
func (s *State) FormulaInto(f *Formula) {
	f.Prefix, f.Clauses = append(f.Prefix[:0], s.prefix...), f.Clauses[:0]
	for i := range s.clauses {
		if c := &s.clauses[i]; s.units.IsActive(c.unit) {
			f.Clauses = append(f.Clauses, c.lits)
		}
	}
}

// Assumptions returns the literals assumed for the next solve. They are valid until the next Apply.
func (s *State) Assumptions() []int32 { return s.pending }

// Assumed returns the assumptions of the last solve, which core asks about.
func (s *State) Assumed() []int32 { return s.assumed }

// Level returns the level of a variable: 1 for the outermost block, 0 if the variable is free,
// and -1 if no call has named it.
func (s *State) Level(v int32) int { return int(s.levels.Of(v)) }

// Outermost returns the quantifier and the variables of the outermost block, like
// Formula.Outermost. It includes the free variables of clauses that are removed by now.
func (s *State) Outermost() (universal bool, vars []int32) {
	return Formula{Prefix: s.prefix}.outermost(s.free)
}

// OutermostLevels returns the quantifier of the outermost block and its innermost level. Variable
// v is in the block if Level(v) is from 0 to last.
func (s *State) OutermostLevels() (universal bool, last int) {
	decided := len(s.free) > 0
	for i := range s.prefix {
		switch block := &s.prefix[i]; {
		case len(block.Vars) == 0:
		case !decided:
			universal, decided = block.Universal, true
		case block.Universal != universal:
			return universal, i
		}
	}
	return universal, len(s.prefix)
}
