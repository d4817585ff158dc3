package oracle

import (
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/reuse"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An instance is the state of one solver instance: the formula, the assumptions for the next solve, the
// callbacks, and the answer that the client may query now.
type instance struct {
	id   uint16
	vars variables
	life uint32 // the number of solvers so far; the formula has no variables of an earlier life

	clauses     []lit
	ends        []uint32 // of the closed clauses in clauses; the open clause follows the last end
	emptyClause bool

	weightVersion uint32   // changes whenever a weight does
	softs         []uint32 // indices of the variables that ever had a weight
	sumHi, sumLo  uint64   // of all weights
	zeroWeight    bool     // a weight of 0 was given
	redeclared    bool     // the literals of some variable were declared soft more than once

	pending []lit // assumptions for the next solve
	assumed []lit // assumptions of the last solve, each once
	epoch   uint32

	selector int32 // the hidden variable of the constraint for the next solve; 0: no constraint

	limits uint8 // limits of the next solve, a bit for each: 1 conflicts, 2 decisions

	terminate   callback
	learn       callback
	stoppedCall int // the last solve that the callback stopped; -1: none

	falsified  cube.Condition // falsifies all literals of the open clause
	feasible   cube.Set       // the assignments that fulfil all closed clauses, while !beyond
	beyond     bool           // too many variables for feasible, or too much effort
	costs      cube.Costs
	costsStale bool

	now     solved
	models  modelStore
	history history

	quantified *quantified.Solver // nil until a trace has quantifiers
}

// A callback is a terminate or learn callback as the client last set it.
type callback struct {
	installed bool
	takenAway bool // was installed, and is removed
	count     uint32
}

func (c *callback) set(call *trace.Call) {
	if call.Flags&trace.Off != 0 {
		*c = callback{takenAway: c.installed || c.takenAway}
		return
	}
	*c = callback{installed: true, count: uint32(call.Num)}
}

// saidStop reports whether a terminate callback has said stop after that many calls.
func (c *callback) saidStop(polls uint32) bool {
	return c.installed && c.count > 0 && polls >= c.count
}

// reset prepares the instance for another trace.
func (in *instance) reset(id uint16) {
	in.id = id
	in.vars.reset()
	in.life, in.epoch = 0, 1
	in.renew()
	if in.quantified != nil {
		in.quantified.Reset(id)
	}
}

// renew begins a new life, after init or release. The instance keeps its variables, because the call model
// may still list them, but nothing constrains them.
func (in *instance) renew() {
	in.life++
	for i := range in.vars.all {
		v := &in.vars.all[i]
		v.weight = [2]uint64{}
		v.assumed = [2]uint32{}
		v.soft, v.dim = false, -1
	}
	in.clauses = reuse.Empty(in.clauses)
	in.ends = reuse.Empty(in.ends)
	in.softs = reuse.Empty(in.softs)
	in.sumHi, in.sumLo = 0, 0
	in.zeroWeight, in.redeclared, in.emptyClause = false, false, false
	in.pending = in.pending[:0]
	in.selector, in.limits = 0, 0
	in.assumed = in.assumed[:0]
	in.epoch++
	in.terminate, in.learn = callback{}, callback{}
	in.stoppedCall = -1
	in.feasible.Reset()
	in.falsified = cube.Anything()
	in.beyond = false
	in.costsStale = true
	in.now.open = false
	in.models.reset()
	in.history.reset()
}

// name registers the literals of a call that was not made. The call model asks for their variables, too.
func (in *instance) name(lits []int32) {
	for _, l := range lits {
		in.vars.literal(l)
	}
}

// use registers a literal of a call that was made.
func (in *instance) use(number int32) lit {
	l, known := in.vars.known(number)
	if !known {
		l = in.vars.lookUp(number)
	}
	in.vars.all[l.index()].life = in.life
	return l
}

// addClause adds the literals of one clause call. A clause may come in several calls, so the condition that
// falsifies it grows literal by literal.
func (in *instance) addClause(lits []int32, closed bool, b *cube.Budget) {
	for _, number := range lits {
		l, known := in.vars.known(number)
		if !known {
			l = in.vars.lookUp(number)
		}
		in.clauses = append(in.clauses, l)
		v := &in.vars.all[l.index()]
		v.life = in.life
		if v.dim >= 0 || in.makeDim(v, b) {
			in.falsified.Require(v.dim, 1-l.sign())
		}
	}
	if !closed {
		return
	}
	in.emptyClause = in.emptyClause || uint32(len(in.clauses)) == in.closedLits()
	in.ends = append(in.ends, uint32(len(in.clauses)))
	if in.beyond = in.beyond || !b.Spend(in.feasible.Words()); !in.beyond {
		in.feasible.Remove(&in.falsified)
	}
	in.falsified = cube.Anything()
}

func (in *instance) closedLits() uint32 {
	if len(in.ends) == 0 {
		return 0
	}
	return in.ends[len(in.ends)-1]
}

// clause returns closed clause number i.
func (in *instance) clause(i int) []lit {
	from := uint32(0)
	if i > 0 {
		from = in.ends[i-1]
	}
	return in.clauses[from:in.ends[i]]
}

// makeDim gives a variable a dimension in the cube. It returns false if there are too many variables. From
// then on, the instance does not use the cube.
func (in *instance) makeDim(v *variable, b *cube.Budget) bool {
	if in.beyond || in.feasible.Dims() >= b.MaxVars || !b.Spend(in.feasible.Words()) {
		in.beyond = true
		return false
	}
	v.dim = int8(in.feasible.Dims())
	in.feasible.Grow()
	return true
}

// addSoft declares a soft literal. Declaring a literal again replaces its weight.
func (in *instance) addSoft(number int32, weight uint64, b *cube.Budget) {
	l := in.use(number)
	v := &in.vars.all[l.index()]
	in.redeclared = in.redeclared || v.soft
	if !v.soft {
		v.soft = true
		in.softs = append(in.softs, uint32(l.index()))
	}
	old := &v.weight[l.sign()]
	in.zeroWeight = in.zeroWeight || weight == 0
	if *old == weight {
		return
	}
	var carry uint64
	in.sumLo, carry = bits.Sub64(in.sumLo, *old, 0)
	in.sumHi -= carry
	in.sumLo, carry = bits.Add64(in.sumLo, weight, 0)
	in.sumHi += carry
	*old = weight
	in.costsStale = true
	in.weightVersion++
	if v.dim < 0 {
		in.makeDim(v, b)
	}
}

// assume adds an assumption for the next solve, unless it has it.
func (in *instance) assume(number int32) {
	l := in.use(number)
	v := &in.vars.all[l.index()]
	if v.assumed[l.sign()] == in.epoch+1 {
		return
	}
	v.assumed[l.sign()] = in.epoch + 1
	in.pending = append(in.pending, l)
}

// isAssumed reports whether the literal was assumed for the last solve.
func (in *instance) isAssumed(l lit) bool {
	return in.vars.all[l.index()].assumed[l.sign()] == in.epoch
}

// valueOf returns the value of a variable in the current solution, or unasked if no answer has told it.
func (in *instance) valueOf(index int) value {
	if v := &in.vars.all[index]; v.epoch == in.epoch {
		return v.value
	}
	return unasked
}

func (in *instance) setValue(index int, val value) {
	v := &in.vars.all[index]
	v.epoch, v.value = in.epoch, val
}

// weightClass returns the class of the weights as they are now.
func (in *instance) weightClass() WeightClass {
	switch {
	case in.sumHi == 0 && in.sumLo < 1<<32:
		return SmallWeights
	case in.sumHi == 0 && in.sumLo < 1<<62:
		return BigWeights
	}
	return HugeWeights
}

// objectiveOf returns the costs over the dimensions of the cube, or nil if they could overflow.
func (in *instance) objectiveOf() *cube.Costs {
	if in.sumHi != 0 {
		return nil
	}
	if in.costsStale {
		in.costs.Reset()
		for _, index := range in.softs {
			v := &in.vars.all[index]
			in.costs.Add(v.dim, v.weight)
		}
		in.costs.Finish()
		in.costsStale = false
	}
	return &in.costs
}

// assumptions returns the assumptions of the last solve as a condition on the cube, without those that skip
// selects. A variable without clause and weight has no dimension: only assuming both of its literals
// is a contradiction.
func (in *instance) assumptions(skip func(v *variable, sign int) bool) cube.Condition {
	k := cube.Anything()
	for _, l := range in.assumed {
		v := &in.vars.all[l.index()]
		if skip != nil && skip(v, l.sign()) {
			continue
		}
		if v.dim >= 0 {
			k.Require(v.dim, l.sign())
		} else if other := 1 - l.sign(); v.assumed[other] == in.epoch && (skip == nil || !skip(v, other)) {
			k.Contradict()
		}
	}
	return k
}

// constrain replaces the constraint, a clause that holds in the next solve only. It stores the clause "not s,
// or the constraint" over a variable s that no call names, and the next solve assumes s. So every check that
// handles clauses and assumptions handles constraints. If the client does not ask for s (constraint-failed),
// s counts as an assumption that may have failed.
func (j *Judge) constrain(in *instance, lits []int32) {
	number := j.unnamed(in)
	in.vars.literal(number)
	in.vars.all[in.vars.find(number)].hidden = true
	in.addClause(append([]int32{-number}, lits...), true, &j.budget)
	in.selector = number
}

// unnamed returns a variable that occurs neither in the trace nor in an earlier constraint. Constraints are
// rare in large traces, so it may search each time.
func (j *Judge) unnamed(in *instance) int32 {
	for number := int32(1<<31 - 1); ; number-- {
		if in.vars.find(number) < 0 && !slices.Contains(j.t.Lits, number) && !slices.Contains(j.t.Lits, -number) {
			return number
		}
	}
}

// assumeConstraint makes the constraint an assumption of the solve that begins.
func (in *instance) assumeConstraint() {
	if in.selector != 0 {
		in.assume(in.selector)
		in.selector = 0
	}
}

// limit allows the next solve to give up.
func (in *instance) limit(c *trace.Call) {
	bit := uint8(1)
	if c.Op == apimodel.OpLimitDecisions {
		bit = 2
	}
	if in.limits |= bit; c.Flags&trace.Off != 0 {
		in.limits &^= bit
	}
}

// simplify treats the answer of simplify like one of solve: 20 denies that the clauses have a solution under
// the assumptions and the constraint, and 10 claims at least that the clauses have one. No query may follow.
func (j *Judge) simplify(i int, in *instance, a *trace.Answer) {
	status := int32(a.Num)
	if status == apimodel.Satisfiable || a.Kind == trace.NotAnswered {
		in.forgetAssumptions()
	}
	in.begin(i, status, status == apimodel.Satisfiable, false)
	if a.Kind == trace.NotAnswered || status == apimodel.Interrupted {
		in.now.open = false
		return
	}
	j.solves++
}

// forgetAssumptions drops the assumptions for the next solve.
func (in *instance) forgetAssumptions() {
	for _, l := range in.pending {
		in.vars.all[l.index()].assumed[l.sign()] = 0
	}
	in.pending, in.selector = in.pending[:0], 0
}
