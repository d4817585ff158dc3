package format

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Formula is what one solve is asked. Its slices belong to the trace that it
// was taken from, and to the formulas of other solves of it.
type Formula struct {
	Clauses     [][]int32
	Softs       []Soft // one a literal, in the order of first declaration, without those of weight 0
	Assumptions []int32
	MaxVar      int32 // the greatest variable that was named so far
	Call        int   // the solve; of a trace without one, the number of calls
}

// A Soft is a soft literal: setting it true costs the weight.
type Soft struct {
	Lit    int32
	Weight uint64
}

// Sum returns the sum of all weights, false when it does not fit 64 bits.
func (f *Formula) Sum() (sum uint64, fits bool) {
	for _, s := range f.Softs {
		if sum+s.Weight < sum {
			return 0, false
		}
		sum += s.Weight
	}
	return sum, true
}

// MaxWeight returns the greatest weight, 0 when there is none.
func (f *Formula) MaxWeight() (greatest uint64) {
	for _, s := range f.Softs {
		greatest = max(greatest, s.Weight)
	}
	return greatest
}

// Hard calls yield with every clause, and with every assumption as a clause.
func (f *Formula) Hard(yield func([]int32) bool) {
	for _, clause := range f.Clauses {
		if !yield(clause) {
			return
		}
	}
	for i := range f.Assumptions {
		if !yield(f.Assumptions[i : i+1 : i+1]) {
			return
		}
	}
}

// Solves returns what each solve of a trace is asked, in order; of a trace
// without solves, the one that could follow its last call. All instances are
// seen: Formula.Call tells which solve a formula is of.
func Solves(t *trace.Trace) []*Formula {
	var formulas []*Formula
	solvers := make(map[uint16]*solver)
	for i := range t.Calls {
		c := &t.Calls[i]
		s := solvers[c.Instance]
		if s == nil || c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease {
			s = newSolver()
			solvers[c.Instance] = s
		}
		s.take(t, c)
		if c.Op == apimodel.OpSolve {
			formulas = append(formulas, s.formula(i))
			s.assumptions = nil
		}
	}
	if len(formulas) == 0 {
		s := newSolver()
		if len(t.Calls) > 0 {
			s = solvers[t.Calls[len(t.Calls)-1].Instance]
		}
		formulas = append(formulas, s.formula(len(t.Calls)))
	}
	return formulas
}

// A solver is what was said to one instance so far.
type solver struct {
	clauses     [][]int32
	open        []int32 // the clause that is not ended
	softs       []Soft
	softAt      map[int32]int
	assumptions []int32
	maxVar      int32
}

func newSolver() *solver { return &solver{softAt: make(map[int32]int)} }

func (s *solver) take(t *trace.Trace, c *trace.Call) {
	if !c.Op.HasLits() {
		return
	}
	lits := t.Args(c)
	for _, lit := range lits {
		s.maxVar = max(s.maxVar, trace.Var(lit))
	}
	switch c.Op {
	case apimodel.OpClause:
		switch {
		case c.Flags&trace.Open != 0:
			s.open = append(s.open, lits...)
		case s.open != nil:
			s.clauses, s.open = append(s.clauses, append(s.open, lits...)), nil
		default:
			s.clauses = append(s.clauses, lits)
		}
	case apimodel.OpSoft:
		at, again := s.softAt[lits[0]]
		if !again {
			at = len(s.softs)
			s.softAt[lits[0]] = at
			s.softs = append(s.softs, Soft{Lit: lits[0]})
		}
		s.softs[at].Weight = c.Num
	case apimodel.OpAssume:
		s.assumptions = append(s.assumptions, lits[0])
	}
}

func (s *solver) formula(call int) *Formula {
	f := &Formula{Clauses: s.clauses[:len(s.clauses):len(s.clauses)], Assumptions: s.assumptions, MaxVar: s.maxVar, Call: call}
	for _, soft := range s.softs {
		if soft.Weight > 0 {
			f.Softs = append(f.Softs, soft)
		}
	}
	return f
}

// A CannotSayError is a trace that a format has no words for.
type CannotSayError struct {
	Format Format
	Call   int // from 0; -1: no call in particular
	Text   string
	Reason string
}

func (e *CannotSayError) Error() string {
	if e.Call < 0 {
		return fmt.Sprintf("the format %s cannot say this trace: %s", e.Format, e.Reason)
	}
	return fmt.Sprintf("the format %s cannot say call %d (%s): %s", e.Format, e.Call+1, e.Text, e.Reason)
}

// cannotSay is the error for call i of the trace; behind its end, for the trace.
func cannotSay(f Format, t *trace.Trace, i int, format string, args ...any) error {
	e := &CannotSayError{Format: f, Call: -1, Reason: fmt.Sprintf(format, args...)}
	if i >= 0 && i < len(t.Calls) {
		const most = 60
		text := t.AppendRequest(nil, i)
		if len(text) > most {
			text = append(text[:most], "..."...)
		}
		e.Call, e.Text = i, string(text)
	}
	return e
}
