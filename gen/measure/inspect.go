package measure

import (
	"math"
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An Inspection reads a trace call by call and finds its features. It follows the definitions of the
// features and shares no code with the generators. A trace of a formula file must be complete at its first call.
type Inspection struct {
	Found     feature.Set
	instances map[uint16]*seen
	MaxVars   int    // the largest number of distinct variables of an instance
	MaxWeight uint64 // the largest weight
	MaxSum    uint64 // the largest sum of the current weights of an instance
	Overflow  bool   // a sum does not fit in 64 bits
	lines     *lineSet
}

type seen struct {
	vars                   map[int32]bool // over all lives
	mentioned, inClause    map[int32]bool
	weights                map[int32]uint64
	assumed, last          map[int32]bool
	open                   []int32
	isOpen                 bool
	clauses, solves        int
	solved, changed        bool
	released               bool
	val, failed            map[int32]bool
	model, obj, core, many int
	prefix                 prefix
}

func (s *seen) rebirth() {
	s.mentioned, s.inClause = map[int32]bool{}, map[int32]bool{}
	s.weights = map[int32]uint64{}
	s.assumed = map[int32]bool{}
	s.open, s.isOpen, s.clauses = nil, false, 0
	s.solved, s.changed, s.released = false, false, false
	s.prefix = prefix{}
	s.forget()
}

func (s *seen) forget() {
	s.val, s.failed = map[int32]bool{}, map[int32]bool{}
	s.model, s.obj, s.core, s.many = 0, 0, 0, 0
}

// NewInspection returns an inspection that has seen no call.
func NewInspection() *Inspection { return &Inspection{instances: map[uint16]*seen{}} }

// Next inspects the next call of t and returns the features that it shows.
func (in *Inspection) Next(t *trace.Trace, c *trace.Call) feature.Set {
	before := in.Found
	in.Found = 0
	s := in.take(t, c)
	in.mark(feature.ManySolves, c.Op == apimodel.OpSolve && s.solves > feature.UsualSolves)
	shown := in.Found
	in.Found |= before
	return shown
}

// IsReleased reports whether the last call of an instance released its solver.
func (in *Inspection) IsReleased(instance uint16) bool {
	s := in.instances[instance]
	return s != nil && s.released
}

func (in *Inspection) take(t *trace.Trace, c *trace.Call) *seen {
	s := in.instances[c.Instance]
	if s == nil {
		s = &seen{vars: map[int32]bool{}}
		s.rebirth()
		in.instances[c.Instance] = s
	}
	if t.Model.File {
		in.file(t, c, s)
	} else {
		in.call(t, c, s)
	}
	in.MaxVars = max(in.MaxVars, len(s.vars))
	return s
}

// FeaturesOf returns the names of the features that a trace shows, whatever made it.
func FeaturesOf(t *trace.Trace) []string { return Inspect(t).Found.Names() }

// Inspect inspects all calls of a trace.
func Inspect(t *trace.Trace) *Inspection {
	in := NewInspection()
	for i := range t.Calls {
		in.Next(t, &t.Calls[i])
	}
	for _, s := range in.instances {
		in.mark(feature.EarlyRelease, s.released)
	}
	in.mark(feature.TwoInstances, len(in.instances) > 1)
	in.mark(feature.ThreeInstances, len(in.instances) > 2)
	return in
}

func (in *Inspection) mark(f feature.Feature, found bool) {
	if found && f != feature.None {
		in.Found |= 1 << f
	}
}

func (in *Inspection) call(t *trace.Trace, c *trace.Call, s *seen) {
	var lits []int32
	if c.Op.HasLits() {
		lits = t.Args(c)
	}
	lit := int32(0)
	if len(lits) == 1 {
		lit = lits[0]
	}
	in.names(lits)
	v := trace.Var(lit)
	if t.Model.Quantified() {
		in.quantified(c, s, lits)
	}
	in.mark(feature.Of(c.Op), true)
	switch c.Op {
	case apimodel.OpInit:
		in.mark(feature.ReleaseReinit, s.released)
		s.rebirth()
	case apimodel.OpRelease:
		s.released = true
	case apimodel.OpClause:
		in.clause(c, s, lits)
	case apimodel.OpSoft:
		in.soft(c, s, lit)
	case apimodel.OpAssume:
		in.mark(feature.DuplicateAssumptions, s.assumed[lit])
		in.mark(feature.ContradictoryAssumptions, s.assumed[-lit])
		in.mark(feature.FreshAssumption, !s.mentioned[v])
		_, plain := s.weights[lit]
		_, negated := s.weights[-lit]
		in.mark(feature.AssumeSoft, plain || negated)
		s.assumed[lit] = true
	case apimodel.OpSolve:
		in.solve(t, s)
	case apimodel.OpVal:
		in.mark(feature.RepeatQuery, s.val[lit] || s.val[-lit])
		in.mark(feature.UnseenQuery, !s.mentioned[v])
		s.val[lit] = true
		s.many++
	case apimodel.OpFailed:
		in.mark(feature.RepeatQuery, s.failed[lit])
		in.mark(feature.UnseenQuery, !s.mentioned[v])
		in.mark(feature.FailedOther, !s.last[lit])
		s.failed[lit] = true
		s.many++
	case apimodel.OpModel:
		s.model++
	case apimodel.OpObj:
		s.obj++
	case apimodel.OpCore:
		s.core++
	}
	in.mark(feature.RepeatQuery, s.model > 1 || s.obj > 1 || s.core > 1)
	in.mark(feature.ManyQueries, s.many >= feature.ManyQueriesFrom)
	for _, l := range lits {
		s.mentioned[trace.Var(l)] = true
		s.vars[trace.Var(l)] = true
	}
}

// names finds the features of numbers of variables.
func (in *Inspection) names(lits []int32) {
	for _, l := range lits {
		in.mark(feature.MaxVariable, trace.Var(l) == math.MaxInt32)
		in.mark(feature.Gaps, trace.Var(l) >= feature.LeastFar && trace.Var(l) != math.MaxInt32)
	}
}

func (in *Inspection) clause(c *trace.Call, s *seen, lits []int32) {
	in.mark(feature.SplitClause, s.isOpen)
	s.open = append(s.open, lits...)
	s.isOpen = c.Flags&trace.Open != 0
	if s.isOpen {
		return
	}
	in.mark(feature.EmptyClause, len(s.open) == 0)
	has := map[int32]bool{}
	for _, l := range s.open {
		in.mark(feature.Tautology, has[-l])
		in.mark(feature.DuplicateLiterals, has[l])
		has[l] = true
		s.inClause[trace.Var(l)] = true
	}
	s.open = nil
	s.clauses++
	s.changed = true
}

func (in *Inspection) soft(c *trace.Call, s *seen, lit int32) {
	_, again := s.weights[lit]
	_, negated := s.weights[-lit]
	in.mark(feature.Redeclare, again)
	in.mark(feature.BothPolarities, negated)
	in.mark(feature.UnusedSoft, !s.inClause[trace.Var(lit)])
	in.mark(feature.ZeroWeight, c.Num == 0)
	in.mark(feature.BigWeights, c.Num >= feature.LeastBig)
	in.mark(feature.AssumeSoft, s.assumed[lit] || s.assumed[-lit])
	s.weights[lit] = c.Num
	s.changed = true
	in.MaxWeight = max(in.MaxWeight, c.Num)
	sum := uint64(0)
	for _, w := range s.weights {
		var carry uint64
		sum, carry = bits.Add64(sum, w, 0)
		in.Overflow = in.Overflow || carry != 0
	}
	in.MaxSum = max(in.MaxSum, sum)
}

func (in *Inspection) solve(t *trace.Trace, s *seen) {
	maxSAT := t.Model == apimodel.IPAMIR
	in.mark(feature.OnlyHard, maxSAT && len(s.weights) == 0)
	in.mark(feature.NoHard, maxSAT && s.clauses == 0)
	in.mark(feature.NoClauses, !maxSAT && s.clauses == 0)
	same := len(s.last) == len(s.assumed)
	for l := range s.assumed {
		same = same && s.last[l]
	}
	in.mark(feature.RepeatSolve, s.solved && !s.changed && same)
	s.last, s.assumed = s.assumed, map[int32]bool{}
	s.solved, s.changed = true, false
	s.solves++
	s.forget()
}
