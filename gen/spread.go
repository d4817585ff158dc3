package gen

import (
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A spread is an instance whose formula comes from a family and whose calls follow a schedule. It
// may have any number of variables, so it keeps a state for each variable, where tiny keeps bits of
// words.
type spread struct {
	instance // number, phase, life, callbacks, questions about whole answers

	f        family.Formula
	schedule family.Schedule
	inOrder  bool // clauses are added in the family's order
	maxVars  int
	todo     work

	shrinking bool // core extraction: fewer assumptions than before

	// The state of this life.
	values   []bool     // values of the variables in the formula's planted assignment
	vars     []varState // by variable, from 1; the formula's first, then fresh ones
	items    []uint32   // the formula's clauses, in the order in which they are added
	next     int        // index of the next item
	softs    []declared // for a SAT solver: literals that stand for soft literals
	assuming []int32    // assumptions for the next solve, in order, with repetitions
	before   []int32    // assumptions of the last solve
	epoch    uint32     // number of the next solve
	active   int32      // the current activation literal, or 0

	step, offset int32 // far variable v has the number offset + step*(v-firstFar) in the trace
	firstFar     int32 // the first far variable
	farthest     int32 // the variable that the trace calls INT32_MAX, or 0
}

// work is what remains to be done in an increment.
type work struct {
	items, assumes, reweighs, hardens int
	softAssumes, actives, hits        int
	blocks                            int
	silence, sweep, falsify           bool
}

// A varState is the state of a variable. Arrays have the positive literal at index 0, the negative
// one at 1.
type varState struct {
	mentioned bool
	inClause  bool
	soft      [2]int32  // 1 + its index in softs; 0: it is not soft
	assumed   [2]uint32 // the epoch of its last assumption
	failing   [2]uint32 // the epoch of the last solve that assumed it
	val       [2]uint32 // the epoch of the last question for its value
	failed    [2]uint32
}

type declared struct {
	lit    int32
	weight uint64
	first  uint64 // the weight that the family gave
	level  int32  // the increment that declared it
}

func sideOf(lit int32) int {
	if lit < 0 {
		return 1
	}
	return 0
}

func (s *spread) state(lit int32) *varState { return &s.vars[max(lit, -lit)] }

// isAssumed reports whether the next solve assumes the literal, and wasAssumed whether the last one did.
func (s *spread) isAssumed(lit int32) bool  { return s.state(lit).assumed[sideOf(lit)] == s.epoch }
func (s *spread) wasAssumed(lit int32) bool { return s.state(lit).failing[sideOf(lit)] == s.epoch-1 }

func (s *spread) isSoft(lit int32) bool { return s.state(lit).soft[sideOf(lit)] != 0 }

func (s *spread) top() int32 { return int32(len(s.vars) - 1) }

// fresh returns a new variable, or 0 if the bound leaves no room.
func (s *spread) fresh() int32 {
	if len(s.vars) > s.maxVars {
		return 0
	}
	s.vars = append(s.vars, varState{})
	s.values = append(s.values, false)
	return s.top()
}

func (s *spread) name(lit int32) int32 {
	v := max(lit, -lit)
	if v == s.farthest {
		v = math.MaxInt32
	} else if v >= s.firstFar {
		v = s.offset + (v-s.firstFar)*s.step
	}
	if lit < 0 {
		return -v
	}
	return v
}

// beginLife forgets the state of the last life.
func (s *spread) beginLife() {
	s.life = life{}
	s.vars = append(s.vars[:0], varState{})
	for range s.f.Vars {
		s.vars = append(s.vars, varState{})
	}
	s.values = append(s.values[:0], s.f.Planted...)
	for len(s.values) < len(s.vars) {
		s.values = append(s.values, false)
	}
	s.next = 0
	s.softs, s.assuming, s.before = s.softs[:0], s.assuming[:0], s.before[:0]
	s.epoch = 2
	s.active = 0
}

func (s *spread) begin(g *emitter) {
	s.phase = building
	unborn := !s.reborn
	s.instance.comeAlive(g)
	if unborn && g.drawn(feature.ReleaseReinit) && g.rand.Chance(300) && g.canSpare(2) && s.instance.release(g) {
		g.t.Plain(s.number, apimodel.OpInit) // a life in which nothing happened
		g.use(feature.ReleaseReinit)
		s.instance.comeAlive(g)
	}
	s.beginLife()
	s.planIncrement(g, true)
}

// build does a piece of the increment's work, or solves if none is left.
func (s *spread) build(g *emitter) {
	w := &s.todo
	if !g.fits(4 + 3*g.plan.instances) {
		*w = work{} // the end is near: solve now
	}
	if *w == (work{}) {
		s.solveSpread(g)
		return
	}
	if g.plan.shuffled && w.assumes > 0 && g.rand.Chance(300) {
		w.assumes--
		s.assumeAny(g)
		return
	}
	switch {
	case w.silence:
		w.silence = false
		s.silence(g)
	case w.items > 0:
		w.items--
		s.addItem(g)
		if w.items == 0 && s.schedule == family.CoreExtraction {
			w.softAssumes = len(s.softs)
		}
	case w.hits > 0:
		w.hits--
		s.hit(g)
	case w.sweep:
		w.sweep = false
		s.sweep(g)
	case w.reweighs > 0:
		w.reweighs--
		s.reweigh(g)
	case w.hardens > 0:
		w.hardens--
		s.harden(g)
	case w.blocks > 0:
		w.blocks--
		s.block(g)
	case w.falsify:
		w.falsify = false
		s.falsify(g)
	case w.actives > 0:
		s.activate(g)
		w.actives = 0
	case w.softAssumes > 0:
		w.softAssumes = 0
		s.assumeSofts(g)
	default:
		w.assumes--
		s.assumeAny(g)
	}
}

// solveSpread solves. Before the solve, it makes the calls that keep out features that were not
// drawn. If these calls do not fit, the instance ends without the solve.
func (s *spread) solveSpread(g *emitter) {
	if s.clauses == 0 && !g.clausesMayLack() {
		s.anyClause(g)
	}
	if g.maxSAT && len(s.softs) == 0 && !g.drawn(feature.OnlyHard) {
		s.anySoft(g)
	}
	if s.spreadRepeats(g) && !g.drawn(feature.RepeatSolve) {
		s.anyClause(g)
	}
	if !s.instance.solveCall(g, g.maxSAT && len(s.softs) == 0, s.spreadRepeats(g)) {
		return
	}
	s.failing = 0
	for _, l := range s.assuming {
		s.state(l).failing[sideOf(l)] = s.epoch
		s.failing = 1
	}
	s.before, s.assuming = s.assuming, s.before[:0]
	s.epoch++
	s.instance.planQuestions(g)
	s.phase = asking
}

// spreadRepeats reports whether a solve now would repeat the last one.
func (s *spread) spreadRepeats(g *emitter) bool {
	if !s.solved || s.changed {
		return false
	}
	for _, l := range s.assuming {
		if !s.wasAssumed(l) {
			return false
		}
	}
	for _, l := range s.before {
		if !s.isAssumed(l) {
			return false
		}
	}
	return true
}

// again makes the assumptions of the last solve and solves.
func (s *spread) again(g *emitter) {
	for _, l := range s.before {
		if !g.fits(2) {
			break
		}
		s.assumeLit(g, l)
	}
	s.todo = work{}
	s.phase = building
	s.solveSpread(g)
}

// increment plans the calls before the next solve.
func (s *spread) increment(g *emitter) {
	s.phase = building
	s.planIncrement(g, false)
}
