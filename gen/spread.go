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

func (w *work) empty() bool { return *w == work{} }

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

// top returns the highest variable.
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

// name returns the literal as the trace names it.
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

func (s *spread) begin(g *Generator) {
	s.phase = building
	unborn := !s.reborn
	g.comeAlive(&s.instance)
	if unborn && g.drawn(feature.ReleaseReinit) && g.rand.Chance(300) && g.canSpare(2) && g.release(&s.instance) {
		g.t.Plain(s.number, apimodel.OpInit) // a life in which nothing happened
		g.use(feature.ReleaseReinit)
		g.comeAlive(&s.instance)
	}
	s.beginLife()
	g.planIncrement(s, true)
}

// build does a piece of the increment's work, or solves if none is left.
func (s *spread) build(g *Generator) {
	w := &s.todo
	if !g.fits(4 + 3*g.plan.instances) {
		*w = work{} // the end is near: solve now
	}
	if w.empty() {
		g.solveSpread(s)
		return
	}
	if g.plan.shuffled && w.assumes > 0 && g.rand.Chance(300) {
		w.assumes--
		g.assumeAny(s)
		return
	}
	switch {
	case w.silence:
		w.silence = false
		g.silence(s)
	case w.items > 0:
		w.items--
		g.addItem(s)
		if w.items == 0 && s.schedule == family.CoreExtraction {
			w.softAssumes = len(s.softs)
		}
	case w.hits > 0:
		w.hits--
		g.hit(s)
	case w.sweep:
		w.sweep = false
		g.sweep(s)
	case w.reweighs > 0:
		w.reweighs--
		g.reweigh(s)
	case w.hardens > 0:
		w.hardens--
		g.harden(s)
	case w.blocks > 0:
		w.blocks--
		g.block(s)
	case w.falsify:
		w.falsify = false
		g.falsify(s)
	case w.actives > 0:
		g.activate(s)
		w.actives = 0
	case w.softAssumes > 0:
		w.softAssumes = 0
		g.assumeSofts(s)
	default:
		w.assumes--
		g.assumeAny(s)
	}
}

// solveSpread solves. Before the solve, it makes the calls that keep out features that were not
// drawn. If these calls do not fit, the instance ends without the solve.
func (g *Generator) solveSpread(s *spread) {
	if s.clauses == 0 && !g.clausesMayLack() {
		g.anyClause(s)
	}
	if g.maxSAT && len(s.softs) == 0 && !g.drawn(feature.OnlyHard) {
		g.anySoft(s)
	}
	if g.spreadRepeats(s) && !g.drawn(feature.RepeatSolve) {
		g.anyClause(s)
	}
	if !g.solveCall(&s.instance, g.maxSAT && len(s.softs) == 0, g.spreadRepeats(s)) {
		return
	}
	s.failing = 0
	for _, l := range s.assuming {
		s.state(l).failing[sideOf(l)] = s.epoch
		s.failing = 1
	}
	s.before, s.assuming = s.assuming, s.before[:0]
	s.epoch++
	g.planQuestions(&s.instance)
	s.phase = asking
}

// spreadRepeats reports whether a solve now would repeat the last one.
func (g *Generator) spreadRepeats(s *spread) bool {
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
func (s *spread) again(g *Generator) {
	for _, l := range s.before {
		if !g.fits(2) {
			break
		}
		g.assumeLit(s, l)
	}
	s.todo = work{}
	s.phase = building
	g.solveSpread(s)
}

// increment plans the calls before the next solve.
func (s *spread) increment(g *Generator) {
	s.phase = building
	g.planIncrement(s, false)
}
