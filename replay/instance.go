package replay

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An Instance follows one solver of a trace, for targets that the executor does not drive.
// It knows the solver's state, and the variables and assumptions that the calls model and core
// ask about.
type Instance struct {
	State   apimodel.State
	Vars    []int32 // the variables that calls have named, in order of first occurrence
	Assumed []int32 // assumptions of the last solve

	seen    map[int32]struct{}
	pending []int32 // assumptions since the last solve
}

// NewInstance returns an instance before its init.
func NewInstance() Instance { return Instance{seen: make(map[int32]struct{})} }

// Name records the variables and assumptions of a call, whether or not the call is made.
func (s *Instance) Name(t *trace.Trace, c *trace.Call) {
	switch {
	case c.Op == apimodel.OpSolve:
		s.Assumed, s.pending = s.pending, nil
	case c.Op.Does(apimodel.Clears):
		s.pending = nil
	case c.Op == apimodel.OpRelease:
		s.pending, s.Assumed, s.Vars = nil, nil, nil
		clear(s.seen)
	case c.Op.HasLits():
		for _, lit := range t.Args(c) {
			v := trace.Var(lit)
			if _, known := s.seen[v]; !known {
				s.seen[v] = struct{}{}
				s.Vars = append(s.Vars, v)
			}
		}
		if c.Op == apimodel.OpAssume {
			s.pending = append(s.pending, t.Lit(c))
		}
	}
}

// Made moves the instance to its state after a call other than solve.
func (s *Instance) Made(m *apimodel.Model, c *trace.Call) {
	row := m.Call(c.Op)
	if len(row.Steps) == 0 {
		return
	}
	condition := apimodel.Always
	if c.Op == apimodel.OpClause {
		condition = apimodel.ClauseClosed
		if c.Flags&trace.Open != 0 {
			condition = apimodel.ClauseOpen
		}
	}
	s.State, _ = row.Leads(s.State, condition)
}

// Solved moves the instance to its state after a solve. A status that the interface does
// not know leads to INPUT, in which no query is legal.
func (s *Instance) Solved(m *apimodel.Model, status int64) {
	s.State = apimodel.Input
	if condition, known := apimodel.AnswerCondition(int(status)); known {
		if state, leads := m.Call(apimodel.OpSolve).Leads(apimodel.Input, condition); leads {
			s.State = state
		}
	}
}
