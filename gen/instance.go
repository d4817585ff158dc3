package gen

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// An instance is what the generator knows of one solver of the trace. Its variables
// are numbered from 0 here, and a literal is 2*variable, plus 1 if it is negated, so
// that a set of either is a word.
type instance struct {
	number uint16
	names  [mostVars]int32 // the variables' numbers in the trace
	size   int             // variables for clauses
	all    int             // and those that only assumptions, soft literals and queries have
	active int             // of size, those that clauses may use so far

	phase      phase
	increments int // that remain
	rebirths   int // releases followed by init that remain
	reborn     bool
	solves     int
	retries    int    // of a solve that a callback may have stopped
	left       counts // of the increment
	life
}

// A life is what a release ends.
type life struct {
	mentioned uint32 // variables that a call has named
	inClause  uint32 // variables that a closed clause holds
	soft      uint32 // soft literals declared
	weight    [2 * mostVars]uint64
	sum       uint64 // of the current weights
	clauses   int

	assumed    uint32                // literals assumed for the next solve
	list       [maxAssumptions]uint8 // the same in order, with repetitions
	listed     int
	failing    uint32 // those of the last solve
	previous   [maxAssumptions]uint8
	previously int
	solved     bool
	changed    bool // there is a new clause or soft literal since the last solve
	armed      bool // a terminate callback will say stop

	pending     questions // still to be asked about the last solve
	askedWhole  questions // asked since then
	askedVal    uint32
	askedFailed uint32
	asked       int
}

const maxAssumptions = 8

// counts are the calls that the increment still makes.
type counts struct{ clauses, softs, assumptions, queries int }

type phase uint8

const (
	beginning phase = iota
	building
	asking
	ended
)

func negate(l uint8) uint8         { return l ^ 1 }
func variable(l uint8) uint8       { return l >> 1 }
func bit(n uint8) uint32           { return 1 << n }
func literals(v uint8) uint32      { return 3 << (2 * v) }
func below(n int) uint32           { return 1<<n - 1 }
func has(set uint32, n uint8) bool { return set>>n&1 != 0 }

// lit returns the literal as the trace names it.
func (s *instance) lit(l uint8) int32 {
	name := s.names[variable(l)]
	if l&1 != 0 {
		return -name
	}
	return name
}

// pickFrom returns one of the set's elements; the set must not be empty.
func pickFrom(r *draw.Rand, set uint32) uint8 {
	return nth(set, r.Below(uint32(bits.OnesCount32(set))))
}

// nth returns the element of the set that has n elements below it.
func nth(set, n uint32) uint8 {
	for ; n > 0; n-- {
		set &= set - 1
	}
	return uint8(bits.TrailingZeros32(set))
}

// literalOf picks a literal of one of the variables in the set.
func (g *Generator) literalOf(vars uint32) uint8 {
	n, random := g.rand.BelowAndBits(uint32(bits.OnesCount32(vars)))
	l := 2 * nth(vars, n)
	if random&1023 >= g.plan.positive {
		l++
	}
	return l
}

// release ends the solver's life.
func (g *Generator) release(s *instance) bool {
	if !g.fits(1) {
		return false
	}
	g.t.Plain(s.number, apimodel.OpRelease)
	s.life = life{}
	return true
}
