package measure

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A lineSet is what an Inspection knows about a formula file. The order of the lines does not matter, so it reads all
// hard clauses before the first call.
type lineSet struct {
	vars  map[int32]bool  // of hard clauses
	units map[int32]bool  // hard clauses of one literal
	all   map[string]bool // hard clauses, as sets of literals

	// Of the calls so far.
	hard, soft   map[string]bool
	hards, softs int
}

func newLineSet(t *trace.Trace) *lineSet {
	s := &lineSet{vars: map[int32]bool{}, units: map[int32]bool{}, all: map[string]bool{},
		hard: map[string]bool{}, soft: map[string]bool{}}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op != apimodel.OpClause {
			continue
		}
		for _, l := range t.Args(c) {
			s.vars[trace.Var(l)] = true
		}
		literals, key := setOf(t.Args(c)...)
		if len(literals) == 1 {
			s.units[literals[0]] = true
		}
		s.all[key] = true
	}
	return s
}

// setOf returns the literals in ascending order, each once, and a key for them.
func setOf(clause ...int32) (literals []int32, key string) {
	literals = slices.Clone(clause)
	slices.Sort(literals)
	literals = slices.Compact(literals)
	text := make([]byte, 0, 64)
	for _, l := range literals {
		text = binary.LittleEndian.AppendUint32(text, uint32(l))
	}
	return literals, string(text)
}

// file finds the features of formula files.
func (in *Inspection) file(t *trace.Trace, c *trace.Call, instance *seen) {
	if in.lines == nil {
		in.lines = newLineSet(t)
	}
	s := in.lines
	var lits []int32
	if c.Op.HasLits() {
		lits = t.Args(c)
	}
	in.names(lits)
	for _, l := range lits {
		instance.vars[trace.Var(l)] = true
	}
	literals, key := setOf(lits...)
	isTautology := slices.ContainsFunc(literals, func(l int32) bool { return slices.Contains(literals, -l) })
	switch c.Op {
	case apimodel.OpClause:
		s.hards++
		in.mark(feature.EmptyClause, len(lits) == 0)
		in.mark(feature.Tautology, isTautology)
		in.mark(feature.DuplicateLiterals, len(literals) < len(lits))
		in.mark(feature.RepeatedHard, s.hard[key])
		s.hard[key] = true
	case apimodel.OpSoftClause:
		s.softs++
		in.mark(feature.EmptySoft, len(lits) == 0)
		in.mark(feature.SoftTautology, isTautology)
		in.mark(feature.DuplicateLiterals, len(literals) < len(lits))
		in.mark(feature.WideSoft, len(lits) > 1)
		in.mark(feature.Redeclare, s.soft[key])
		s.soft[key] = true
		if len(literals) == 1 {
			_, opposite := setOf(-literals[0])
			in.mark(feature.BothPolarities, s.soft[opposite])
		}
		in.decided(s, lits, key)
		in.mark(feature.BigWeights, c.Num >= feature.LeastBig)
		in.MaxWeight = max(in.MaxWeight, c.Num)
		var carry uint64
		in.MaxSum, carry = bits.Add64(in.MaxSum, c.Num, 0)
		in.Overflow = in.Overflow || carry != 0
	case apimodel.OpSolve:
		in.mark(feature.OnlyHard, s.softs == 0 && t.Model.Optimizes())
		in.mark(feature.NoHard, s.hards == 0 && t.Model.Optimizes())
		in.mark(feature.NoClauses, s.softs+s.hards == 0)
	}
}

// decided finds features of a soft clause that are about the hard clauses, too.
func (in *Inspection) decided(s *lineSet, lits []int32, key string) {
	if len(lits) == 0 {
		return
	}
	isFalse, isUnused := true, true
	for _, l := range lits {
		isFalse = isFalse && s.units[-l]
		isUnused = isUnused && !s.vars[trace.Var(l)]
	}
	in.mark(feature.UnusedSoft, isUnused)
	in.mark(feature.HardenSoft, isFalse || s.all[key])
}
