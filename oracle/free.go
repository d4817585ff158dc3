package oracle

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
)

// freeVariables searches for values of the variables that a model leaves open, in an instance that is too large for
// a cube of all its variables. It looks only at these variables and at the clauses that the known values do not
// fulfil.
type freeVariables struct {
	use     uint32 // number of the current search; a variable whose FreeIn differs has no dimension
	set     cube.Set
	costs   cube.Costs
	open    []int // clauses that the known values do not fulfil
	tooMany bool
}

const highestFree = 16 // variables, even if MaxVars is larger

func (f *freeVariables) begin() {
	f.use++
	f.set.Reset()
	f.open = f.open[:0]
	f.tooMany = false
}

// clauses reports whether some completion of the values fulfils every clause.
func (f *freeVariables) clauses(in *instance, maxVars int) tri {
	f.begin()
	for i := range in.Ends {
		fulfilled, free := false, false
		for _, l := range in.Clause(i) {
			switch in.Fixed(l.Index()) {
			case problem.TrueOf(l.Sign()):
				fulfilled = true
			case problem.Unasked:
				free = true
			}
			if fulfilled {
				break
			}
		}
		switch {
		case fulfilled:
		case !free:
			return no
		default:
			f.open = append(f.open, i)
		}
	}
	for _, i := range f.open {
		for _, l := range in.Clause(i) {
			if in.Fixed(l.Index()) == problem.Unasked {
				f.dim(&in.Vars.All[l.Index()], maxVars)
			}
		}
	}
	if f.tooMany {
		return unknown
	}
	for _, i := range f.open {
		falsified := cube.Anything()
		for _, l := range in.Clause(i) {
			if in.Fixed(l.Index()) == problem.Unasked {
				falsified.Require(in.Vars.All[l.Index()].Free, 1-l.Sign())
			}
		}
		f.set.Remove(&falsified)
	}
	all := cube.Anything()
	if f.set.Has(&all) {
		return yes
	}
	return no
}

func (f *freeVariables) dim(v *problem.Variable, maxVars int) {
	if v.FreeIn == f.use || f.tooMany {
		return
	}
	if f.set.Dims() >= min(maxVars, highestFree) {
		f.tooMany = true
		return
	}
	v.FreeIn, v.Free = f.use, int8(f.set.Dims())
	f.set.Grow()
}

// weigh computes the costs of the completions. The caller must have called clauses, which returned yes, and the sum
// of all weights must be below 2^64.
func (f *freeVariables) weigh(in *instance, maxVars int, v *modelVerdict, objective *told) {
	f.costs.Reset()
	spread := uint64(0) // how much the values of free variables can add to the least cost
	for _, index := range in.Softs {
		w := &in.Vars.All[index]
		if w.Weight[0]|w.Weight[1] == 0 {
			continue
		}
		if val := in.Fixed(int(index)); val.Known() {
			f.costs.AddConstant(w.Weight[val-problem.True])
			continue
		}
		spread += max(w.Weight[0], w.Weight[1]) - min(w.Weight[0], w.Weight[1])
		if f.dim(w, maxVars); !f.tooMany {
			f.costs.Add(w.Free, w.Weight)
		} else {
			f.costs.AddConstant(min(w.Weight[0], w.Weight[1]))
		}
	}
	spread += f.weighSoftClauses(in, maxVars)
	if f.tooMany {
		// Of every free variable, the constant has the smaller of the two weights, and the spread has their
		// difference. Of open soft clauses, the spread has the weights.
		top, carry := bits.Add64(f.costs.Constant(), spread, 0)
		if objective.known && (objective.value < f.costs.Constant() || carry == 0 && objective.value > top) {
			v.fits = no
		}
		return
	}
	f.costs.Finish()
	all := cube.Anything()
	v.hi, v.leastOnly = 0, true
	v.cost = f.costs.Least(&f.set, &all, cube.NoCost)
	if objective.known {
		v.fits = no
		if f.costs.Exactly(&f.set, &all, objective.value) {
			v.fits = yes
		}
	}
}

// weighSoftClauses adds what soft clauses cost. It returns the sum of the weights of those that the known values leave
// open. If these are too many for a search, it sets tooMany.
func (f *freeVariables) weighSoftClauses(in *instance, maxVars int) (spread uint64) {
	open := 0
next:
	for i := range in.SoftClauses() {
		lits, weight := in.SoftClause(i)
		isOpen := false
		for _, l := range lits {
			val := in.Fixed(l.Index())
			if val == problem.TrueOf(l.Sign()) {
				continue next
			}
			isOpen = isOpen || !val.Known()
		}
		if !isOpen {
			f.costs.AddConstant(weight)
			continue
		}
		spread += weight
		open++
		falsified := cube.Anything()
		for _, l := range lits {
			if v := &in.Vars.All[l.Index()]; !in.Fixed(l.Index()).Known() {
				if f.dim(v, maxVars); !f.tooMany {
					falsified.Require(v.Free, 1-l.Sign())
				}
			}
		}
		if !f.tooMany {
			f.costs.AddIf(&falsified, weight)
		}
	}
	f.tooMany = f.tooMany || f.set.Words()*problem.WordsPerSoftClause*open > defaultWords
	return spread
}
