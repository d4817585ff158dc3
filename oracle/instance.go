package oracle

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/oracle/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An instance is the state of one solver instance: the formula, the assumptions for the next solve, the
// callbacks, and the answer that the client may query now.
type instance struct {
	id uint16
	problem.Problem

	limits uint8 // limits of the next solve, a bit for each: 1 conflicts, 2 decisions

	terminate   callback
	learn       callback
	stoppedCall int // the last solve that the callback stopped; -1: none

	answer  solved
	models  problem.Solutions
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
	in.Problem.Reset()
	in.renew()
	if in.quantified != nil {
		in.quantified.Reset(id)
	}
}

// renew begins a new life, after init or release.
func (in *instance) renew() {
	in.Problem.Renew()
	in.limits = 0
	in.terminate, in.learn = callback{}, callback{}
	in.stoppedCall = -1
	in.answer.open = false
	in.models.Reset()
	in.history.reset()
}

// weightClass returns the class of the weights as they are now.
func (in *instance) weightClass() WeightClass {
	switch {
	case in.SumHi == 0 && in.SumLo < 1<<32:
		return SmallWeights
	case in.SumHi == 0 && in.SumLo < 1<<62:
		return BigWeights
	}
	return HugeWeights
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
		in.ForgetAssumptions()
	}
	in.begin(i, status, status == apimodel.Satisfiable, false)
	if a.Kind == trace.NotAnswered || status == apimodel.Interrupted {
		in.answer.open = false
		return
	}
	j.solves++
}
