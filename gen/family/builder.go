package family

import (
	"math"

	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// A Builder makes one formula after the other, in the same memory. It makes no clause or variable for
// which there is no room, so that each formula keeps its limits and none needs to be thrown away.
type Builder struct {
	draw.Rand
	f      *Formula
	limits Limits

	lits   []int32 // of the clause being made
	layers []layer
	unused []int32 // literals that no clause of their layer has had
	ints   []int32 // literals of a constraint
	queue  []int32 // of a totalizer's sums
	nodes  []node  // of a circuit
	spans  []span  // of disjoint cores
	truth  []bool

	initial, built []fragment // the pools of a planted formula
	Plant          *Formula   // the seed of planted formulas; nil: they draw one
	allHard        bool       // soften does nothing

	q prefixing
}

// SetCosts says whether families that are not about costs get soft clauses.
func (b *Builder) SetCosts(has bool) { b.allHard = !has }

// Limits bound a formula. Calls bounds the calls that the clauses take: a clause takes one, but a soft
// clause of several literals takes two, because it needs a relaxation variable.
type Limits struct {
	Vars              int
	Calls             int
	MaxWeight, MaxSum uint64
}

var noLimits = Limits{math.MaxInt32, math.MaxInt32, math.MaxInt64, math.MaxUint64 - 1}

func (b *Builder) begin(r draw.Rand, f *Formula, limits Limits) {
	f.Reset()
	b.Rand, b.f, b.limits = r, f, limits
	b.lits, b.layers, b.unused = b.lits[:0], b.layers[:0], b.unused[:0]
	b.ints, b.truth = b.ints[:0], b.truth[:0]
}

// variables makes n new variables, or as many as fit, and returns the first and the last of them.
func (b *Builder) variables(n int) (low, high int32) {
	n = min(n, b.limits.Vars-b.f.Vars)
	low = int32(b.f.Vars + 1)
	b.f.Vars += max(n, 0)
	return low, int32(b.f.Vars)
}

// fresh returns a new variable, or 0 if none fits.
func (b *Builder) fresh() int32 {
	if b.f.Vars >= b.limits.Vars {
		return 0
	}
	b.f.Vars++
	return int32(b.f.Vars)
}

// full reports whether not even a hard clause fits.
func (b *Builder) full() bool { return b.limits.Calls < 1 }

// holds reports whether the clause being made has the variable.
func (b *Builder) holds(v int32) bool {
	for _, l := range b.lits {
		if l == v || l == -v {
			return true
		}
	}
	return false
}

// sign negates the literal half the time.
func (b *Builder) sign(l int32) int32 {
	if b.Flip() {
		return -l
	}
	return l
}

// among returns a number from low to high, both included.
func (b *Builder) among(low, high int32) int32 { return low + int32(b.Below(uint32(high-low+1))) }

// anyVar returns one of the variables made so far.
func (b *Builder) anyVar() int32 { return b.among(1, int32(b.f.Vars)) }

// end closes the clause being made, as a hard clause or as a soft one that gets its weight later. It
// reports whether there was room for the clause.
func (b *Builder) end(soft bool) bool {
	cost := 1
	if soft && len(b.lits) > 1 {
		cost = 2
	}
	fits := b.limits.Calls >= cost
	if fits {
		b.limits.Calls -= cost
		weight := uint64(0)
		if soft {
			weight = 1
		}
		b.f.clauses = append(b.f.clauses, flatClause{uint32(len(b.f.lits)), uint32(len(b.lits)), weight})
		b.f.lits = append(b.f.lits, b.lits...)
	}
	b.lits = b.lits[:0]
	return fits
}

func (b *Builder) hard(lits ...int32) bool {
	b.lits = append(b.lits[:0], lits...)
	return b.end(false)
}

func (b *Builder) soft(lits ...int32) bool {
	b.lits = append(b.lits[:0], lits...)
	return b.end(true)
}

// randomClause makes a clause of distinct variables from low to high.
func (b *Builder) randomClause(length int, low, high int32, soft bool) bool {
	length = min(length, int(high-low+1))
	for len(b.lits) < length {
		if v := b.among(low, high); !b.holds(v) {
			b.lits = append(b.lits, b.sign(v))
		}
	}
	return b.end(soft)
}

// growing returns a number from low to high: it begins with low, and adds 1 as long as a chance of 1/n
// holds.
func (b *Builder) growing(low, high, n int) int {
	for low < high && b.Below(uint32(n)) == 0 {
		low++
	}
	return low
}
