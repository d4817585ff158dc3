package format

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A Formula is the problem of one solve. It shares its slices with the trace and with the
// formulas of other solves.
type Formula struct {
	Clauses     [][]int32
	Softs       []Soft // one for each literal with a weight above 0, in order of first declaration
	Assumptions []int32
	Lines       []Weighted // of a formula file, in its order: clauses, and soft clauses in place of Softs
	MaxVar      int32      // the greatest variable named so far
	Call        int        // the index of the solve; in a trace without solves, the number of calls

	// Prefix holds the quantifier blocks. Assumptions may be literals of a universal block.
	Prefix []qbf.Block
	// Outermost holds the variables of the outermost block, including the free variables of clauses
	// that are removed by now.
	Outermost []int32
}

// A Soft is a soft literal. It costs the weight if it is true.
type Soft struct {
	Lit    int32
	Weight uint64
}

// SoftClauses yields the soft clauses, with those of soft literals.
func (f *Formula) SoftClauses(yield func(Weighted) bool) {
	for _, line := range f.Lines {
		if line.Weight > 0 && !yield(line) {
			return
		}
	}
	for _, s := range f.Softs {
		if !yield(Weighted{[]int32{-s.Lit}, s.Weight}) {
			return
		}
	}
}

// HasSoft reports whether there is a soft clause.
func (f *Formula) HasSoft() bool {
	for range f.SoftClauses {
		return true
	}
	return false
}

// Sum returns the sum of all weights, and false if it does not fit 64 bits.
func (f *Formula) Sum() (sum uint64, fits bool) {
	for s := range f.SoftClauses {
		if sum+s.Weight < sum {
			return 0, false
		}
		sum += s.Weight
	}
	return sum, true
}

// MaxWeight returns the greatest weight, or 0 if there is none.
func (f *Formula) MaxWeight() (greatest uint64) {
	for s := range f.SoftClauses {
		greatest = max(greatest, s.Weight)
	}
	return greatest
}

// Hard yields every clause, and every assumption as a clause.
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

// Solves returns the formulas of all solves of a trace, of all instances, in order. If the trace
// has no solve, Solves returns the formula of a solve after the last call.
func Solves(t *trace.Trace) []*Formula {
	if t.Model.Quantified() {
		return quantifiedSolves(t)
	}
	if t.Model.File {
		return []*Formula{ofFile(t)}
	}
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

// ofFile returns the formula of a formula file.
func ofFile(t *trace.Trace) *Formula {
	f := &Formula{Call: len(t.Calls), Lines: make([]Weighted, 0, len(t.Calls)), MaxVar: t.GivenVars()}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op == apimodel.OpSolve {
			f.Call = i
			break
		}
		lits := t.Args(c)
		for _, lit := range lits {
			f.MaxVar = max(f.MaxVar, trace.Var(lit))
		}
		if c.Op == apimodel.OpClause {
			f.Clauses = append(f.Clauses, lits)
		}
		f.Lines = append(f.Lines, Weighted{lits, c.Num})
	}
	return f
}

// A solver holds the problem that the calls so far have given to one instance.
type solver struct {
	clauses     [][]int32
	open        []int32 // the open clause
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
	case apimodel.OpClause, apimodel.OpImport:
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
	f := &Formula{
		Clauses:     s.clauses[:len(s.clauses):len(s.clauses)],
		Assumptions: s.assumptions,
		MaxVar:      s.maxVar,
		Call:        call,
	}
	for _, soft := range s.softs {
		if soft.Weight > 0 {
			f.Softs = append(f.Softs, soft)
		}
	}
	return f
}

// A CannotSayError reports a trace that a format cannot express.
type CannotSayError struct {
	Format Format
	Call   int // index of the call; -1: the trace as a whole
	Text   string
	Reason string
}

// Error returns the message.
func (e *CannotSayError) Error() string {
	if e.Call < 0 {
		return fmt.Sprintf("the format %s cannot express this trace: %s", e.Format, e.Reason)
	}
	return fmt.Sprintf("the format %s cannot express call %d (%s): %s", e.Format, e.Call+1, e.Text, e.Reason)
}

// cannotSay returns a *CannotSayError for call i or, if there is no call i, for the trace.
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
