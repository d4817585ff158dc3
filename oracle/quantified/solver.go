package quantified

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A Solver follows one instance of model qbf: the calls, and the answers.
type Solver struct {
	qbf.State
	Decider
	History History
	Verdict Verdict // on the last solve
	Blind   bool    // the target did not get a call, so nobody knows what it solves
	source  int     // the earlier solve that Verdict follows from; -1: none
	formula qbf.Formula
}

// NewSolver returns the solver of an instance in its first life.
func NewSolver(config Config, instance uint16) *Solver {
	s := &Solver{Decider: *New(config)}
	s.Reset(instance)
	return s
}

// Reset prepares the solver for another trace.
func (s *Solver) Reset(instance uint16) {
	s.Begin()
	s.Renew(instance)
}

// Renew begins a new life.
func (s *Solver) Renew(instance uint16) {
	s.State.Reset(instance)
	s.History.Reset()
	s.Blind = false
}

// Apply follows a call that was made.
func (s *Solver) Apply(t *trace.Trace, i int) {
	if !s.Blind { // after a call that the target did not get, later ones may be illegal
		s.State.Apply(t, i)
	}
}

// NotMade notes a call that the target did not get. What it solves afterwards is unknown.
func (s *Solver) NotMade(c *trace.Call) {
	s.Blind = s.Blind || c.Op.Does(apimodel.Poses) && c.Op != apimodel.OpSolve
}

// Judge decides the question of the last solve, by itself or by earlier answers, and sets Verdict. It returns the
// answer that History.Keep will add. Known is not set in it yet.
func (s *Solver) Judge(call int, claimed Truth) *Answer {
	s.FormulaInto(&s.formula)
	s.Pose(&s.formula)
	answer := s.History.Next()
	answer.Set(&s.formula, s.Assumed())
	answer.Call, answer.Claimed, answer.Known = call, claimed, Unknown
	s.source = -1
	s.Verdict = s.Under(s.Assumed())
	if s.Verdict.Truth == Unknown {
		var by *Answer
		if s.Verdict.Truth, by = s.History.Implied(); by != nil {
			s.source = by.Call
		}
	}
	return answer
}

// Explain says how Verdict is known.
func (s *Solver) Explain() string {
	if s.source >= 0 {
		return fmt.Sprintf("the answer to call %d, which is proven; of the two formulas one implies the other", s.source+1)
	}
	return s.Verdict.String()
}
