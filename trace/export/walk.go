package export

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A solver is one life of one instance: what its calls so far tell about the problem of the next
// solve.
type solver struct {
	instance uint16
	name     string // name of the list of its clauses
	clauses  []int32
	softs    map[int32]uint64
	order    []int32 // soft literals in order
	pending  []int32
	asked    *solve // the solve about which queries are legal now
	solves   []*solve
	stopAt   uint32
	stops    bool
	listens  bool
	longest  uint32
}

// A solve is a call of solve with its problem and the right answer.
type solve struct {
	call    int
	solver  *solver
	words   int // length of the list of clauses
	softs   []softLit
	assumed []int32
	right   Right
	isRight bool // the right status is known
	priced  bool // the cost of an optimum is known, too
	same    *solve
	formula *qbf.Formula // without the assumptions; nil without quantifiers

	mayStop bool // a callback may end it early
	sum     bool // the sum of the weights is below 2^64
}

type softLit struct {
	lit    int32
	weight uint64
}

func newSolver(c *trace.Call, name string) *solver {
	return &solver{instance: c.Instance, name: name, softs: make(map[int32]uint64)}
}

func (s *solver) take(t *trace.Trace, c *trace.Call) {
	if take := forms[c.Op].take; take != nil {
		take(s, t, c)
	} else if c.Op.Does(apimodel.Clears) {
		s.pending = nil
	}
}

func (s *solver) clause(t *trace.Trace, c *trace.Call) {
	s.clauses = append(s.clauses, t.Args(c)...)
	if c.Flags&trace.Open == 0 {
		s.clauses = append(s.clauses, 0)
	}
}

func (s *solver) soft(t *trace.Trace, c *trace.Call) {
	lit := t.Lit(c)
	if _, known := s.softs[lit]; !known {
		s.order = append(s.order, lit)
	}
	s.softs[lit] = c.Num
}

func (s *solver) assume(t *trace.Trace, c *trace.Call) { s.pending = append(s.pending, t.Lit(c)) }

func (s *solver) terminate(_ *trace.Trace, c *trace.Call) {
	s.stops = c.Flags&trace.Off == 0
	s.stopAt = uint32(c.Num)
}

func (s *solver) learn(_ *trace.Trace, c *trace.Call) {
	s.listens = c.Flags&trace.Off == 0
	s.longest = uint32(c.Num)
}

// solve updates the solver for a solve, and returns the solve with its problem.
func (s *solver) solve(t *trace.Trace, call int, o *Options) *solve {
	v := &solve{call: call, solver: s, words: len(s.clauses), assumed: s.pending, mayStop: s.stops && s.stopAt > 0,
		sum: true}
	s.pending = nil
	total := uint64(0)
	for _, lit := range s.order {
		if weight := s.softs[lit]; weight > 0 {
			v.softs = append(v.softs, softLit{lit, weight})
			v.sum = v.sum && total+weight >= total
			total += weight
		}
	}
	for _, earlier := range s.solves {
		if earlier.sameProblem(v) {
			v.same = earlier
		}
	}
	s.solves = append(s.solves, v)
	s.asked = v
	v.find(t, o)
	return v
}

func (v *solve) sameProblem(other *solve) bool {
	return v.words == other.words && slices.Equal(sorted(v.assumed), sorted(other.assumed)) &&
		maps.Equal(weights(v.softs), weights(other.softs))
}

func sorted(lits []int32) []int32 {
	lits = slices.Clone(lits)
	slices.Sort(lits)
	return slices.Compact(lits)
}

func weights(softs []softLit) map[int32]uint64 {
	m := make(map[int32]uint64, len(softs))
	for _, s := range softs {
		m[s.lit] = s.weight
	}
	return m
}

// find looks up the right answer in the trace, or else in the options.
func (v *solve) find(t *trace.Trace, o *Options) {
	found, known := o.Right[v.call]
	want := t.Want.At(v.call)
	expected := want.Kind == trace.Answered
	v.isRight, v.right.Status = expected || known, found.Status
	if expected {
		v.right.Status = int32(want.Num)
	}
	if known && found.Status == v.right.Status {
		v.right, v.priced = found, true
	}
	for i := v.call + 1; i < len(t.Calls) && !changes(t, i, v.solver.instance); i++ {
		c, want := &t.Calls[i], t.Want.At(i)
		if c.Instance == v.solver.instance && c.Op == apimodel.OpObj && want.Kind == trace.Answered &&
			(!v.isRight || v.right.Status == apimodel.Optimum) {
			v.right.Objective, v.priced = want.Num, true
		}
	}
}

// changes reports whether a call makes queries about the last answer of the instance illegal.
func changes(t *trace.Trace, call int, instance uint16) bool {
	c := &t.Calls[call]
	return c.Instance == instance && !c.Op.Does(apimodel.Asks)
}

// place returns a name of a call for people, with the number that ipafuzz gives it.
func place(t *trace.Trace, call int) string {
	return fmt.Sprintf("call %d (%s)", call+1, t.AppendRequest(nil, call))
}
