package gen

import (
	"math"
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An inspection reads a trace call by call, by the definitions in the table of
// features and by nothing that the generator does.
type inspection struct {
	found     featureSet
	instances map[uint16]*seen
	maxVars   int    // distinct variables of an instance, at most
	maxWeight uint64 // at most
	maxSum    uint64 // of the current weights of an instance, at most
	overflow  bool   // a sum did not fit 64 bits
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
}

func (s *seen) rebirth() {
	s.mentioned, s.inClause = map[int32]bool{}, map[int32]bool{}
	s.weights = map[int32]uint64{}
	s.assumed = map[int32]bool{}
	s.open, s.isOpen, s.clauses = nil, false, 0
	s.solved, s.changed, s.released = false, false, false
	s.forget()
}

func (s *seen) forget() {
	s.val, s.failed = map[int32]bool{}, map[int32]bool{}
	s.model, s.obj, s.core, s.many = 0, 0, 0, 0
}

func newInspection() *inspection { return &inspection{instances: map[uint16]*seen{}} }

// take inspects the next call.
func (in *inspection) take(t *trace.Trace, c *trace.Call) *seen {
	s := in.instances[c.Instance]
	if s == nil {
		s = &seen{vars: map[int32]bool{}}
		s.rebirth()
		in.instances[c.Instance] = s
	}
	in.call(t, c, s)
	in.maxVars = max(in.maxVars, len(s.vars))
	return s
}

// FeaturesOf names the features that can be seen in a trace, whatever made it.
func FeaturesOf(t *trace.Trace) []string { return inspect(t).found.names() }

func inspect(t *trace.Trace) *inspection {
	in := newInspection()
	for i := range t.Calls {
		in.take(t, &t.Calls[i])
	}
	for _, s := range in.instances {
		in.mark(earlyRelease, s.released)
		in.mark(manySolves, s.solves > usualSolves)
	}
	in.mark(twoInstances, len(in.instances) > 1)
	in.mark(threeInstances, len(in.instances) > 2)
	return in
}

func (in *inspection) mark(f feature, found bool) {
	if found {
		in.found |= 1 << f
	}
}

func (in *inspection) call(t *trace.Trace, c *trace.Call, s *seen) {
	var lits []int32
	if c.Op.HasLits() {
		lits = t.Args(c)
	}
	lit := int32(0)
	if len(lits) == 1 {
		lit = lits[0]
	}
	for _, l := range lits {
		in.mark(maxVariable, trace.Var(l) == math.MaxInt32)
		in.mark(gaps, trace.Var(l) >= leastFar && trace.Var(l) != math.MaxInt32)
	}
	v := trace.Var(lit)
	switch c.Op {
	case apimodel.OpInit:
		in.mark(releaseReinit, s.released)
		s.rebirth()
	case apimodel.OpRelease:
		s.released = true
	case apimodel.OpSignature:
		in.mark(signature, true)
	case apimodel.OpOption:
		in.mark(options, true)
	case apimodel.OpHavoc:
		in.mark(havoc, true)
	case apimodel.OpTerminate:
		in.mark(terminate, true)
	case apimodel.OpLearn:
		in.mark(learn, true)
	case apimodel.OpClause:
		in.clause(c, s, lits)
	case apimodel.OpSoft:
		in.soft(c, s, lit)
	case apimodel.OpAssume:
		in.mark(duplicateAssumptions, s.assumed[lit])
		in.mark(contradictoryAssumptions, s.assumed[-lit])
		in.mark(freshAssumption, !s.mentioned[v])
		_, plain := s.weights[lit]
		_, negated := s.weights[-lit]
		in.mark(assumeSoft, plain || negated)
		s.assumed[lit] = true
	case apimodel.OpSolve:
		in.solve(t, s)
	case apimodel.OpVal:
		in.mark(repeatQuery, s.val[lit] || s.val[-lit])
		in.mark(unseenQuery, !s.mentioned[v])
		s.val[lit] = true
		s.many++
	case apimodel.OpFailed:
		in.mark(repeatQuery, s.failed[lit])
		in.mark(unseenQuery, !s.mentioned[v])
		in.mark(failedOther, !s.last[lit])
		s.failed[lit] = true
		s.many++
	case apimodel.OpModel:
		s.model++
	case apimodel.OpObj:
		s.obj++
	case apimodel.OpCore:
		s.core++
	}
	in.mark(repeatQuery, s.model > 1 || s.obj > 1 || s.core > 1)
	in.mark(manyQueries, s.many >= manyAsked)
	for _, l := range lits {
		s.mentioned[trace.Var(l)] = true
		s.vars[trace.Var(l)] = true
	}
}

func (in *inspection) clause(c *trace.Call, s *seen, lits []int32) {
	in.mark(splitClause, s.isOpen)
	s.open = append(s.open, lits...)
	s.isOpen = c.Flags&trace.Open != 0
	if s.isOpen {
		return
	}
	in.mark(emptyClause, len(s.open) == 0)
	has := map[int32]bool{}
	for _, l := range s.open {
		in.mark(tautology, has[-l])
		in.mark(duplicateLiterals, has[l])
		has[l] = true
		s.inClause[trace.Var(l)] = true
	}
	s.open = nil
	s.clauses++
	s.changed = true
}

func (in *inspection) soft(c *trace.Call, s *seen, lit int32) {
	_, again := s.weights[lit]
	_, negated := s.weights[-lit]
	in.mark(redeclare, again)
	in.mark(bothPolarities, negated)
	in.mark(unusedSoft, !s.inClause[trace.Var(lit)])
	in.mark(zeroWeight, c.Num == 0)
	in.mark(bigWeights, c.Num >= leastBig)
	in.mark(assumeSoft, s.assumed[lit] || s.assumed[-lit])
	s.weights[lit] = c.Num
	s.changed = true
	in.maxWeight = max(in.maxWeight, c.Num)
	sum := uint64(0)
	for _, w := range s.weights {
		var carry uint64
		sum, carry = bits.Add64(sum, w, 0)
		in.overflow = in.overflow || carry != 0
	}
	in.maxSum = max(in.maxSum, sum)
}

func (in *inspection) solve(t *trace.Trace, s *seen) {
	maxSAT := t.Model == apimodel.IPAMIR
	in.mark(onlyHard, maxSAT && len(s.weights) == 0)
	in.mark(noHard, maxSAT && s.clauses == 0)
	in.mark(noClauses, !maxSAT && s.clauses == 0)
	same := len(s.last) == len(s.assumed)
	for l := range s.assumed {
		same = same && s.last[l]
	}
	in.mark(repeatSolve, s.solved && !s.changed && same)
	s.last, s.assumed = s.assumed, map[int32]bool{}
	s.solved, s.changed = true, false
	s.solves++
	s.forget()
}
