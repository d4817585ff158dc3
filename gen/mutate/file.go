package mutate

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// fileMutations are all mutations of formula files, in the order in which Mutate makes them.
var fileMutations = []mutation{
	{"splice", "the beginning of one file and the end of another", 300, 0, (*Mutator).spliceFiles},
	{"delete-clauses", "some clauses go", 300, 0, (*Mutator).deleteClauses},
	{"repeat-clauses", "clauses come again, perhaps with another weight or order of literals", 300, 0,
		(*Mutator).repeatClauses},
	{"shuffle-clauses", "clauses change places", 250, 0, (*Mutator).shuffleClauses},
	{"move-clauses", "hard clauses become soft, and soft ones hard", 250, 0, (*Mutator).moveClauses},
	{"change-literals", "clauses lose, get or exchange literals", 300, 0, (*Mutator).changeLiterals},
	{"perturb-weights", "weights change by a little or by a lot", 400, 0, (*Mutator).perturbWeights},
	{"perturb-polarity", "a variable, or a single literal, is negated", 300, 0, (*Mutator).perturbPolarity},
	{"permute", "variables change places, and neighbouring hard clauses", 200, 0, (*Mutator).permute},
	{"rename", "variables get numbers that are far apart", 150, 1 << feature.Gaps, (*Mutator).rename},
}

// satMutations are those of files without soft clauses.
var satMutations = slices.DeleteFunc(slices.Clone(fileMutations), func(one mutation) bool {
	return one.name == "move-clauses" || one.name == "perturb-weights"
})

// ofFile returns the steps of a trace as those of a formula file: a soft literal becomes a soft clause, its negation.
func ofFile(calls []step) []step {
	for i := range calls {
		if s := &calls[i]; s.call.Op == apimodel.OpSoft {
			s.call.Op, s.lits = apimodel.OpSoftClause, []int32{-s.lits[0]}
		}
	}
	return calls
}

// isLine reports whether a call is a clause of a formula file.
func isLine(s *step) bool {
	return s.call.Op == apimodel.OpClause || s.call.Op == apimodel.OpSoftClause
}

// lines returns the indices of clauses. The chance that a clause is among them is the same for all, at most half.
func (m *Mutator) lines(calls []step) (some []int) {
	often := uint32(m.rand.Between(20, 500))
	for i := range calls {
		if isLine(&calls[i]) && m.rand.Chance(often) {
			some = append(some, i)
		}
	}
	return some
}

// spliceFiles replaces the last clauses of the file by those of another one.
func (m *Mutator) spliceFiles(calls []step, parents []*trace.Trace) []step {
	if len(parents) < 2 {
		return calls
	}
	other := stepsOf(parents[1+m.rand.Below(uint32(len(parents)-1))])
	end, otherEnd := closing(calls), closing(other)
	from := m.rand.Between(0, otherEnd)
	return slices.Concat(calls[:m.rand.Between(0, end)], other[from:otherEnd], calls[end:])
}

// closing returns the index of the first call after the clauses.
func closing(calls []step) int {
	if i := slices.IndexFunc(calls, func(s step) bool { return !isLine(&s) }); i >= 0 {
		return i
	}
	return len(calls)
}

func (m *Mutator) deleteClauses(calls []step, _ []*trace.Trace) []step {
	for _, i := range slices.Backward(m.lines(calls)) {
		calls = slices.Delete(calls, i, i+1)
	}
	return calls
}

func (m *Mutator) repeatClauses(calls []step, _ []*trace.Trace) []step {
	r := &m.rand
	for _, i := range slices.Backward(m.lines(calls)) {
		again := calls[i]
		if r.Flip() {
			again.lits = slices.Clone(again.lits)
			draw.Shuffle(r, again.lits)
		}
		if again.call.Op == apimodel.OpSoftClause && r.Flip() {
			again.call.Num = 1 + uint64(r.Below(draw.SmallWeight))
		}
		calls = slices.Insert(calls, r.Between(0, i+1), again)
	}
	return calls
}

func (m *Mutator) shuffleClauses(calls []step, _ []*trace.Trace) []step {
	some := m.lines(calls)
	moved := make([]step, len(some))
	for k, i := range some {
		moved[k] = calls[i]
	}
	draw.Shuffle(&m.rand, moved)
	for k, i := range some {
		calls[i] = moved[k]
	}
	return calls
}

func (m *Mutator) moveClauses(calls []step, _ []*trace.Trace) []step {
	for _, i := range m.lines(calls) {
		if c := &calls[i].call; c.Op == apimodel.OpClause {
			c.Op, c.Num = apimodel.OpSoftClause, 1+uint64(m.rand.Below(draw.SmallWeight))
		} else {
			c.Op, c.Num = apimodel.OpClause, 0
		}
	}
	return calls
}

func (m *Mutator) changeLiterals(calls []step, _ []*trace.Trace) []step {
	r := &m.rand
	vars := variablesOf(calls)
	if len(vars) == 0 {
		return calls
	}
	for _, i := range m.lines(calls) {
		lits := slices.Clone(calls[i].lits)
		lit := vars[r.Below(uint32(len(vars)))]
		if r.Flip() {
			lit = -lit
		}
		at := r.Between(0, len(lits))
		switch {
		case at == len(lits) || r.OneIn(3):
			lits = slices.Insert(lits, at, lit)
		case r.Flip():
			lits = slices.Delete(lits, at, at+1)
		default:
			lits[at] = lit
		}
		calls[i].lits = lits
	}
	return calls
}

// mutationsOf returns all mutations of traces of a model.
func mutationsOf(m *apimodel.Model) []mutation {
	switch {
	case !m.File:
		return mutations
	case m.Optimizes():
		return fileMutations
	}
	return satMutations
}
