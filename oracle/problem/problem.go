// Package problem follows what the calls of one solver instance pose to its next solve: clauses, weights and
// assumptions. It keeps what answers tell about the variables, and says what values fulfil and cost.
package problem

import (
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/internal/reuse"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Problem is what the calls of one instance pose, and what answers told about the last solve. While it has few
// variables, it keeps the set of all assignments that fulfil the clauses.
type Problem struct {
	Vars Variables
	Life uint32 // the number of solvers so far; the formula has no variables of an earlier life

	clauses     []Lit
	Ends        []uint32 // of the closed clauses in clauses; the open clause follows the last end
	emptyClause bool

	WeightVersion uint32   // changes whenever a weight does
	Softs         []uint32 // indices of the variables that ever had a weight
	SumHi, SumLo  uint64   // of all weights
	softLits      []Lit    // of the soft clauses
	softClauses   []softClause
	ZeroWeight    bool // a weight of 0 was given
	Redeclared    bool // the literals of some variable were declared soft more than once

	pending []Lit // assumptions for the next solve
	Assumed []Lit // assumptions of the last solve, each once
	Epoch   uint32

	selector int32 // the hidden variable of the constraint for the next solve; 0: no constraint

	falsified  cube.Condition // falsifies all literals of the open clause
	Feasible   cube.Set       // the assignments that fulfil all closed clauses, while !beyond
	Beyond     bool           // too many variables for feasible, or too much effort
	costs      cube.Costs
	costsStale bool
}

// Reset forgets all variables, for another trace. The caller calls renew next.
func (p *Problem) Reset() {
	p.Vars.Reset()
	p.Life, p.Epoch = 0, 1
}

// Renew begins a new life, after init or release. The instance keeps its variables, because the call model
// may still list them, but nothing constrains them.
func (p *Problem) Renew() {
	p.Life++
	for i := range p.Vars.All {
		v := &p.Vars.All[i]
		v.Weight = [2]uint64{}
		v.assumed = [2]uint32{}
		v.soft, v.Dim = false, -1
	}
	p.clauses = reuse.Empty(p.clauses)
	p.Ends = reuse.Empty(p.Ends)
	p.Softs = reuse.Empty(p.Softs)
	p.softLits = reuse.Empty(p.softLits)
	p.softClauses = reuse.Empty(p.softClauses)
	p.SumHi, p.SumLo = 0, 0
	p.ZeroWeight, p.Redeclared, p.emptyClause = false, false, false
	p.pending = p.pending[:0]
	p.selector = 0
	p.Assumed = p.Assumed[:0]
	p.Epoch++
	p.Feasible.Reset()
	p.falsified = cube.Anything()
	p.Beyond = false
	p.costsStale = true
}

// Begin makes the assumptions for the next solve those of the last one.
func (p *Problem) Begin() {
	p.assumeConstraint()
	p.Epoch++
	p.Assumed, p.pending = p.pending, p.Assumed[:0]
	for _, l := range p.Assumed {
		p.Vars.All[l.Index()].Failed[l.Sign()] = NotTold
	}
}

// Name registers the literals of a call that was not made. The call model asks for their variables, too.
func (p *Problem) Name(lits []int32) {
	for _, l := range lits {
		p.Vars.Literal(l)
	}
}

// Use registers a literal of a call that was made.
func (p *Problem) Use(number int32) Lit {
	l, known := p.Vars.known(number)
	if !known {
		l = p.Vars.lookUp(number)
	}
	p.Vars.All[l.Index()].Life = p.Life
	return l
}

// AddClause adds the literals of one clause call. A clause may come in several calls, so the condition that
// falsifies it grows literal by literal.
func (p *Problem) AddClause(lits []int32, closed bool, b *cube.Budget) {
	for _, number := range lits {
		l, known := p.Vars.known(number)
		if !known {
			l = p.Vars.lookUp(number)
		}
		p.clauses = append(p.clauses, l)
		v := &p.Vars.All[l.Index()]
		v.Life = p.Life
		if v.Dim >= 0 || p.MakeDim(v, b) {
			p.falsified.Require(v.Dim, 1-l.Sign())
		}
	}
	if !closed {
		return
	}
	p.emptyClause = p.emptyClause || uint32(len(p.clauses)) == p.closedLits()
	p.Ends = append(p.Ends, uint32(len(p.clauses)))
	if p.Beyond = p.Beyond || !b.Spend(p.Feasible.Words()); !p.Beyond {
		p.Feasible.Remove(&p.falsified)
	}
	p.falsified = cube.Anything()
}

func (p *Problem) closedLits() uint32 {
	if len(p.Ends) == 0 {
		return 0
	}
	return p.Ends[len(p.Ends)-1]
}

// Clause returns closed clause number i.
func (p *Problem) Clause(i int) []Lit {
	from := uint32(0)
	if i > 0 {
		from = p.Ends[i-1]
	}
	return p.clauses[from:p.Ends[i]]
}

// MakeDim gives a variable a dimension in the cube. It returns false if there are too many variables. From
// then on, the instance does not use the cube.
func (p *Problem) MakeDim(v *Variable, b *cube.Budget) bool {
	if p.Beyond || p.Feasible.Dims() >= b.MaxVars || !b.Spend(p.Feasible.Words()) {
		p.Beyond = true
		return false
	}
	v.Dim = int8(p.Feasible.Dims())
	p.Feasible.Grow()
	return true
}

// AddSoft declares a soft literal. Declaring a literal again replaces its weight.
func (p *Problem) AddSoft(number int32, weight uint64, b *cube.Budget) {
	l := p.Use(number)
	v := &p.Vars.All[l.Index()]
	p.Redeclared = p.Redeclared || v.soft
	if !v.soft {
		v.soft = true
		p.Softs = append(p.Softs, uint32(l.Index()))
	}
	old := &v.Weight[l.Sign()]
	p.ZeroWeight = p.ZeroWeight || weight == 0
	if *old == weight {
		return
	}
	var carry uint64
	p.SumLo, carry = bits.Sub64(p.SumLo, *old, 0)
	p.SumHi -= carry
	p.addToSum(weight)
	*old = weight
	p.costsStale = true
	p.WeightVersion++
	if v.Dim < 0 {
		p.MakeDim(v, b)
	}
}

// Assume adds an assumption for the next solve, unless it has it.
func (p *Problem) Assume(number int32) {
	l := p.Use(number)
	v := &p.Vars.All[l.Index()]
	if v.assumed[l.Sign()] == p.Epoch+1 {
		return
	}
	v.assumed[l.Sign()] = p.Epoch + 1
	p.pending = append(p.pending, l)
}

// IsAssumed reports whether the literal was assumed for the last solve.
func (p *Problem) IsAssumed(l Lit) bool {
	return p.Vars.All[l.Index()].assumed[l.Sign()] == p.Epoch
}

// ValueOf returns the value of a variable in the current solution, or unasked if no answer has told it.
func (p *Problem) ValueOf(index int) Value {
	if v := &p.Vars.All[index]; v.Epoch == p.Epoch {
		return v.Value
	}
	return Unasked
}

// SetValue records what an answer told about a variable.
func (p *Problem) SetValue(index int, val Value) {
	v := &p.Vars.All[index]
	v.Epoch, v.Value = p.Epoch, val
}

// ObjectiveOf returns the costs over the dimensions of the cube, or nil if they could overflow.
func (p *Problem) ObjectiveOf() *cube.Costs {
	if p.SumHi != 0 {
		return nil
	}
	if p.costsStale {
		p.costs.Reset()
		for _, index := range p.Softs {
			v := &p.Vars.All[index]
			p.costs.Add(v.Dim, v.Weight)
		}
		p.weighSoftClauses()
		p.costs.Finish()
		p.costsStale = false
	}
	return &p.costs
}

// Assumptions returns the assumptions of the last solve as a condition on the cube, without those that skip
// selects. A variable without clause and weight has no dimension: only assuming both of its literals
// is a contradiction.
func (p *Problem) Assumptions(skip func(v *Variable, sign int) bool) cube.Condition {
	k := cube.Anything()
	for _, l := range p.Assumed {
		v := &p.Vars.All[l.Index()]
		if skip != nil && skip(v, l.Sign()) {
			continue
		}
		if v.Dim >= 0 {
			k.Require(v.Dim, l.Sign())
		} else if other := 1 - l.Sign(); v.assumed[other] == p.Epoch && (skip == nil || !skip(v, other)) {
			k.Contradict()
		}
	}
	return k
}

// assumeConstraint makes the constraint an assumption of the solve that begins.
func (p *Problem) assumeConstraint() {
	if p.selector != 0 {
		p.Assume(p.selector)
		p.selector = 0
	}
}

// ForgetAssumptions drops the assumptions for the next solve.
func (p *Problem) ForgetAssumptions() {
	for _, l := range p.pending {
		p.Vars.All[l.Index()].assumed[l.Sign()] = 0
	}
	p.pending, p.selector = p.pending[:0], 0
}

// CostOfValues sums the weights of the soft literals that the values make true, and of the soft clauses that they
// falsify. total is false if this depends on a variable without value.
func (p *Problem) CostOfValues() (hi, lo uint64, total bool) {
	total = true
	if len(p.softClauses) > 0 {
		hi, lo, total = p.costOfSoftClauses(p.ValueOf)
	}
	for _, index := range p.Softs {
		v := &p.Vars.All[index]
		weights := &v.Weight
		if weights[0]|weights[1] == 0 {
			continue
		}
		val := Unasked
		if v.Epoch == p.Epoch {
			val = v.Value
		}
		if !val.Known() {
			total = false
			continue
		}
		var carry uint64
		lo, carry = bits.Add64(lo, weights[val-True], 0)
		hi += carry
	}
	return hi, lo, total
}

// Floor returns a lower bound on the cost of every solution: of the two literals of a variable, one is always
// true, and an empty soft clause is always false.
func (p *Problem) Floor() (hi, lo uint64) {
	if len(p.softClauses) > 0 {
		hi, lo, _ = p.costOfSoftClauses(func(int) Value { return Unasked })
	}
	for _, index := range p.Softs {
		w := &p.Vars.All[index].Weight
		var carry uint64
		lo, carry = bits.Add64(lo, min(w[0], w[1]), 0)
		hi += carry
	}
	return hi, lo
}

// ContradictsItself reports whether the problem has a contradiction that needs no search: in the assumptions,
// or an empty clause.
func (p *Problem) ContradictsItself() bool {
	for _, l := range p.Assumed {
		if p.IsAssumed(l.Not()) {
			return true
		}
	}
	return p.emptyClause
}

// Solutions counts the solutions of the clauses over the variables in them, if the budget allows.
func (p *Problem) Solutions(b *cube.Budget) (uint64, bool) {
	if p.emptyClause {
		return 0, true
	}
	if p.Beyond || !b.Spend(p.Feasible.Words()) {
		return 0, false
	}
	return p.Feasible.Count(), true
}

// Fixed returns the value that a variable must have: the known one or, if there is none, the assumed one.
func (p *Problem) Fixed(index int) Value {
	v := &p.Vars.All[index]
	switch {
	case v.Epoch == p.Epoch && v.Value.Known():
		return v.Value
	case v.assumed[0] == p.Epoch:
		return True
	case v.assumed[1] == p.Epoch:
		return False
	}
	return Unasked
}

// BrokenClause returns the first hard clause whose literals are all known to be false, or -1.
func (p *Problem) BrokenClause() int {
next:
	for i := range p.Ends {
		for _, l := range p.Clause(i) {
			if p.ValueOf(l.Index()) == TrueOf(1-l.Sign()) {
				continue
			}
			if !p.Vars.All[l.Index()].Hidden || !p.IsAssumed(l.Not()) {
				continue next
			}
		}
		return i
	}
	return -1
}

// LiteralsOf appends the literals of the variables of the instance, in the numbers of a problem for the reference.
func (p *Problem) LiteralsOf(to, literals []int32) []int32 {
	for _, number := range literals {
		if index := p.Vars.Find(trace.Var(number)); index >= 0 {
			to = append(to, NumberOf(Lit(index)<<1|Lit(SignOf(number))))
		}
	}
	return to
}

// NumbersOf is the inverse of literalsOf.
func (p *Problem) NumbersOf(to, literals []int32) []int32 {
	for _, l := range literals {
		if v := &p.Vars.All[trace.Var(l)-1]; !v.Hidden {
			to = append(to, p.Vars.NumberOf(Lit(trace.Var(l)-1)<<1|Lit(SignOf(l))))
		}
	}
	return to
}

// NumberOf returns a literal as problems for the reference number it.
func NumberOf(l Lit) int32 {
	n := int32(l.Index() + 1)
	if l.Sign() == 0 {
		return n
	}
	return -n
}

// Constrain replaces the constraint, a clause that holds in the next solve only. It stores the clause "not s,
// or the constraint" over a variable s that no call names, and the next solve assumes s. So every check that
// handles clauses and assumptions handles constraints. If the client does not ask for s (constraint-failed),
// s counts as an assumption that may have failed.
func (p *Problem) Constrain(lits []int32, t *trace.Trace, b *cube.Budget) {
	number := p.unnamed(t)
	p.Vars.Literal(number)
	p.Vars.All[p.Vars.Find(number)].Hidden = true
	p.AddClause(append([]int32{-number}, lits...), true, b)
	p.selector = number
}

// unnamed returns a variable that occurs neither in the trace nor in an earlier constraint. Constraints are
// rare in large traces, so it may search each time.
func (p *Problem) unnamed(t *trace.Trace) int32 {
	for number := int32(1<<31 - 1); ; number-- {
		if p.Vars.Find(number) < 0 && !slices.Contains(t.Lits, number) && !slices.Contains(t.Lits, -number) {
			return number
		}
	}
}
