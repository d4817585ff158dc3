package gen

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// An instance is what the generator knows about one instance of the trace. Variables are numbered
// from 0, and a literal is 2*variable, plus 1 if negated, so that a set of variables or literals
// fits in a word.
type instance struct {
	number uint16
	names  [mostVars]int32 // the variables' numbers in the trace
	size   int             // number of variables for clauses
	all    int             // the same plus those that only assumptions, soft literals and queries use
	active int             // number of the first variables that clauses may use so far

	phase      phase
	increments int // increments that remain
	rebirths   int // releases followed by init that remain
	reborn     bool
	solves     int
	retries    int    // repetitions of a solve that a callback may have stopped
	left       counts // calls that remain in the increment
	life
}

// A life is the state of an instance between init and release.
type life struct {
	mentioned uint32 // variables that a call has named
	inClause  uint32 // variables that a closed clause holds
	soft      uint32 // soft literals declared
	weight    [2 * mostVars]uint64
	sum       uint64 // sum of the current weights
	clauses   int

	assumed    uint32                // literals assumed for the next solve
	list       [maxAssumptions]uint8 // the same literals in order, with repetitions
	listed     int
	failing    uint32 // literals assumed for the last solve
	previous   [maxAssumptions]uint8
	previously int
	solved     bool
	changed    bool // a clause or soft literal was added since the last solve
	armed      bool // a terminate callback will say stop

	pending     questions // questions to ask about the last solve
	askedWhole  questions // questions asked about it so far
	askedVal    uint32
	askedFailed uint32
	asked       int
}

const maxAssumptions = 8

// counts are the numbers of calls that an increment has yet to make.
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

// pickFrom returns a random element of the set, which must not be empty.
func pickFrom(r *draw.Rand, set uint32) uint8 {
	return nth(set, r.Below(uint32(bits.OnesCount32(set))))
}

// nth returns the element of the set that has n elements below it, or 32 if there is none.
func nth(set, n uint32) uint8 {
	below := uint8(0)
	for below < 24 {
		count := uint32(bits.OnesCount8(uint8(set)))
		if n < count {
			break
		}
		set, n, below = set>>8, n-count, below+8
	}
	return below + nthOfByte[uint8(set)][min(n, 7)]
}

// nthOfByte is nth for sets of 8 elements. A loop over the elements would end after a random number of rounds, which no
// processor predicts.
var nthOfByte = func() (table [256][8]uint8) {
	for set := range table {
		rest := uint8(set)
		for n := range table[set] {
			table[set][n] = uint8(bits.TrailingZeros8(rest)) // 8 for none
			rest &= rest - 1
		}
	}
	return table
}()

// literalOf picks a literal of one of the variables in the set.
func (g *emitter) literalOf(vars uint32) uint8 {
	n, random := g.rand.BelowAndBits(uint32(bits.OnesCount32(vars)))
	negative := (g.plan.positive - 1 - random&1023) >> 31 // 1 if random&1023 >= g.plan.positive, without a branch
	return 2*nth(vars, n) + uint8(negative)
}

// A player makes the calls of an instance: *instance in the family tiny, *spread in families with
// schedules.
type player interface {
	core() *instance
	begin(g *emitter)     // makes the first calls of a life
	build(g *emitter)     // makes the next call of the increment, or solves if none is left
	askOne(g *emitter)    // asks about one literal
	again(g *emitter)     // solves once more under the last assumptions
	increment(g *emitter) // plans the calls before the next solve
}

func (s *instance) core() *instance { return s }

// takeTurns makes the calls of the trace: the instances take turns until all have ended or the trace
// is full.
func (g *emitter) takeTurns(players []player) {
	running, p := len(players), players[0]
	s := p.core()
	for running > 0 && g.fits(1) {
		if running > 1 && g.rand.Chance(400) || s.phase == ended {
			for again := true; again; again = s.phase == ended {
				p = players[g.rand.Below(uint32(len(players)))]
				s = p.core()
			}
		}
		g.step(p, s)
		if s.phase == ended {
			running--
		}
	}
	if g.family != nil || g.drawn(feature.Gaps) || g.drawn(feature.MaxVariable) {
		g.noteNames()
	}
}

// step lets the instance of the player make its next call, or a few that belong together.
func (g *emitter) step(p player, s *instance) {
	if g.drawn(feature.Havoc) && s.phase != beginning && g.rand.Chance(g.plan.havoc) {
		s.havoc(g)
	}
	switch {
	case s.phase == beginning:
		p.begin(g)
	case s.phase == building:
		p.build(g)
	case s.pending != 0 && (s.left.queries <= 0 || g.rand.Chance(700)):
		s.askWhole(g, s.pending&-s.pending)
	case s.left.queries > 0:
		s.left.queries--
		p.askOne(g)
	default:
		g.next(p)
	}
}

// solveCall makes the solve call and returns true. If the call would have a feature that was not
// drawn, or does not fit into the trace, the instance ends instead.
func (s *instance) solveCall(g *emitter, lacksSoft, repeats bool) bool {
	lacksClause := s.clauses == 0
	if !g.fits(1) || lacksClause && !g.clausesMayLack() || lacksSoft && !g.drawn(feature.OnlyHard) ||
		repeats && !g.drawn(feature.RepeatSolve) {
		s.phase = ended
		return false
	}
	if lacksClause && g.maxSAT {
		g.use(feature.NoHard)
	} else if lacksClause {
		g.use(feature.NoClauses)
	}
	if lacksSoft {
		g.use(feature.OnlyHard)
	}
	if repeats {
		g.use(feature.RepeatSolve)
	}
	g.t.Plain(s.number, apimodel.OpSolve)
	s.solved, s.changed = true, false
	if s.solves++; s.solves > feature.UsualSolves {
		g.use(feature.ManySolves)
	}
	return true
}

// mostSolves is the maximum number of solves of an instance with the feature many-solves, unless the profile has
// another one.
const mostSolves = 10

// manySolves draws the number of solves of an instance with the feature many-solves. If a profile allows hundreds,
// half of the instances have leastOfMany to twice as many, half of the others twice as many again, and so on.
func (g *emitter) manySolves() int {
	if g.current.Solves <= mostSolves {
		return g.rand.Between(feature.UsualSolves+1, mostSolves)
	}
	return g.doubled(leastOfMany, g.current.Solves)
}

// leastOfMany is the least number of solves that profiles with hundreds of them draw.
const leastOfMany = 16

// doubled draws a number from least to most. Every doubling of least is half as likely as the one before.
func (g *emitter) doubled(least, most int) int {
	for 2*least < most && g.rand.Flip() {
		least *= 2
	}
	return g.rand.Between(least, min(2*least, most))
}

// next decides what follows the questions about a solve: the same solve again, another
// increment, another life, or the end.
func (g *emitter) next(p player) {
	s, r := p.core(), &g.rand
	most := feature.UsualSolves
	if g.drawn(feature.ManySolves) {
		most = max(mostSolves, g.current.Solves)
	}
	if s.solves < most && s.armed && g.drawn(feature.RepeatSolve) && s.retries < 3 && r.Chance(700) {
		s.retries++
		s.disarm(g)
		p.again(g)
		return
	}
	s.retries = 0
	s.increments--
	switch {
	case s.increments <= 0 || s.solves >= most:
		s.phase = ended
		if g.drawn(feature.EarlyRelease) && r.Chance(700) && s.release(g) {
			g.use(feature.EarlyRelease)
		}
	case s.rebirths > 0 && (s.increments <= s.rebirths || r.Chance(400)):
		s.rebirths--
		s.rebirth(g)
	case g.drawn(feature.RepeatSolve) && r.Chance(g.plan.again):
		p.again(g)
	default:
		p.increment(g)
	}
}

// rebirth releases the solver and makes a new one. In tiny traces, it sometimes adds a clause and an
// assumption just before the release.
func (s *instance) rebirth(g *emitter) {
	if g.family == nil && g.rand.Chance(300) {
		s.clause(g)
		s.assumption(g)
	}
	if !g.fits(2) || !s.release(g) {
		s.phase = ended
		return
	}
	g.t.Plain(s.number, apimodel.OpInit)
	g.use(feature.ReleaseReinit)
	s.phase = beginning
}

// release ends the solver's life.
func (s *instance) release(g *emitter) bool {
	if !g.fits(1) {
		return false
	}
	g.t.Plain(s.number, apimodel.OpRelease)
	s.life = life{}
	return true
}
