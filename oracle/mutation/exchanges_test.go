package mutation

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// exchanges are the alterations of several answers at once: two answers swapped, or all answers about a solve
// changed so that they agree with each other. Others change what the run shows beside its answers: effort,
// callbacks, learned clauses.
var exchanges = []alteration{
	learned("a literal dropped", func(x *attempt, clause []int32) []int32 { return without(clause, x.pick(len(clause))) }),
	learned("a literal negated", func(x *attempt, clause []int32) []int32 {
		k := x.pick(len(clause))
		clause[k] = -clause[k]
		return clause
	}),
	learned("a literal of the trace added", func(x *attempt, clause []int32) []int32 {
		return append(clause,
			x.literal())
	}),
	learned("a foreign literal added", func(_ *attempt, clause []int32) []int32 { return append(clause, 2147483647) }),
	learned("emptied", func(*attempt, []int32) []int32 { return nil }),
	{"learned: a clause made up", func(x *attempt, i int) bool {
		n := x.pick(4)
		clause := []int32{}
		for range n {
			clause = append(clause, x.literal())
		}
		return x.is(i, apimodel.OpSolve) && x.installed(i, apimodel.OpLearn) && x.learns(i, append(x.clauses(i), clause))
	}},
	{"learned: a clause that is too long and was not kept", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.installed(i, apimodel.OpLearn) && x.effort(i,
			func(e *trace.Effort) { e.Learned++; e.Odd++ })
	}},
	{"learned: a clause, with no callback installed", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.hasCall(apimodel.OpLearn) && !x.installed(i, apimodel.OpLearn) &&
			x.effort(i, func(e *trace.Effort) { e.Learned = 1 })
	}},

	{"polls: none, as if the callback was never called", func(x *attempt, i int) bool {
		return x.polled(i) && x.effort(i, func(e *trace.Effort) { e.Polls, e.PollsAfter = 0, 0 })
	}},
	{"polls: one less than the callback says stop at", func(x *attempt, i int) bool {
		n := x.count(i)
		return x.is(i, apimodel.OpSolve) && n > 0 && x.effort(i, func(e *trace.Effort) { e.Polls, e.PollsAfter = n-1, 0 })
	}},
	{"polls: just what the callback says stop at", func(x *attempt, i int) bool {
		n := x.count(i)
		return x.is(i, apimodel.OpSolve) && n > 0 && x.effort(i, func(e *trace.Effort) { e.Polls, e.PollsAfter = n, 0 })
	}},
	{"polls: stopped, and the status becomes 0", func(x *attempt, i int) bool {
		n := x.count(i)
		return x.is(i, apimodel.OpSolve) && n > 0 && x.effort(i, func(e *trace.Effort) { e.Polls, e.PollsAfter = n, 0 }) &&
			x.set(i, 0)
	}},
	{"polls: stopped, and the status becomes 10", func(x *attempt, i int) bool {
		n := x.count(i)
		return x.is(i, apimodel.OpSolve) && n > 0 && x.effort(i, func(e *trace.Effort) { e.Polls, e.PollsAfter = n, 0 }) &&
			x.set(i, 10)
	}},
	{"polls: three more after stop", func(x *attempt, i int) bool {
		n := x.count(i)
		return x.is(i, apimodel.OpSolve) && n > 0 && x.effort(i, func(e *trace.Effort) { e.Polls, e.PollsAfter = n+3, 3 })
	}},
	{"polls: 200,000 more after stop", func(x *attempt, i int) bool {
		n := x.count(i)
		return x.is(i, apimodel.OpSolve) && n > 0 && x.effort(i, func(e *trace.Effort) {
			e.Polls, e.PollsAfter = n+200_000,
				200_000
		})
	}},
	{"polls: some, with no callback installed", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.hasCall(apimodel.OpTerminate) && !x.installed(i, apimodel.OpTerminate) &&
			x.effort(i, func(e *trace.Effort) { e.Polls = 2 })
	}},
	{"polls: the callback of another instance", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.installedElsewhere(i, apimodel.OpTerminate) &&
			x.effort(i, func(e *trace.Effort) { e.OthersPolled = true })
	}},
	{"learned: a clause, by the callback of another instance", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.installedElsewhere(i, apimodel.OpLearn) &&
			x.effort(i, func(e *trace.Effort) { e.OthersLearned = true })
	}},
	{"effort: forgotten", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.effort(i, func(e *trace.Effort) { *e = trace.Effort{} })
	}},

	{"exchanged: the answers of two solves", func(x *attempt, i int) bool {
		k := x.other(i, func(k int) bool { return x.is(k, apimodel.OpSolve) })
		if !x.is(i, apimodel.OpSolve) || k < 0 {
			return false
		}
		a, b := x.answer(i), x.answer(k)
		*a, *b = *b, *a
		return a.Num != b.Num
	}},
	{"exchanged: the answers to two questions", func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpVal, apimodel.OpModel, apimodel.OpObj, apimodel.OpFailed, apimodel.OpCore) {
			return false
		}
		k := x.other(i, func(k int) bool { return x.is(k, x.call(i).Op) })
		if k < 0 || x.same(i, k) {
			return false
		}
		a, b := x.answer(i), x.answer(k)
		*a, *b = *b, *a
		return true
	}},
	{"stale: the status of the solve before", func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpSolve) {
			return false
		}
		k := x.solveBefore(i)
		return k >= 0 && x.set(i, x.answer(k).Num)
	}},
	{"stale: an answer about the solve before", func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpVal, apimodel.OpModel, apimodel.OpObj, apimodel.OpFailed, apimodel.OpCore) {
			return false
		}
		solve := x.solveBefore(i)
		for k := solve - 1; k >= 0; k-- {
			if x.call(k).Instance == x.call(i).Instance && x.is(k, x.call(i).Op) && (!x.call(i).Op.HasLits() ||
				x.t.Lit(x.call(k)) == x.t.Lit(x.call(i))) {
				differs := !x.same(i, k)
				*x.answer(i) = *x.answer(k)
				return differs
			}
		}
		return false
	}},

	{"together: all answers of another assignment", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.tell(i, func(f *formula, p *problem) (uint32, bool) {
			return uint32(x.rand.Uint64()) & (1<<len(p.vars) - 1), true
		})
	}},
	{"together: all answers of another solution", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.tell(i, func(_ *formula, p *problem) (uint32, bool) {
			if len(p.solutions) == 0 {
				return 0, false
			}
			return p.solutions[x.pick(len(p.solutions))], true
		})
	}},
	{"together: all answers of another optimum", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.tell(i, func(_ *formula, p *problem) (uint32, bool) {
			var best []uint32
			for k, a := range p.solutions {
				if p.costs[k] == p.least {
					best = append(best, a)
				}
			}
			if len(best) == 0 {
				return 0, false
			}
			return best[x.pick(len(best))], true
		})
	}},
	{"together: some failed assumptions, in every answer", func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpSolve) || x.answer(i).Num != apimodel.Unsatisfiable {
			return false
		}
		failed, changed := map[int32]bool{}, false
		for _, k := range x.session(i) {
			all := x.assumptions(k)
			for _, l := range all {
				if _, ok := failed[l]; !ok {
					failed[l] = x.rand.Flip()
				}
			}
			switch {
			case x.is(k, apimodel.OpFailed) && slices.Contains(all, x.t.Lit(x.call(k))):
				n := int32(0)
				if failed[x.t.Lit(x.call(k))] {
					n = 1
				}
				changed = x.setInt(k, n) || changed
			case x.is(k, apimodel.OpCore):
				var lits []int32
				for _, l := range all {
					if failed[l] && !slices.Contains(lits, l) {
						lits = append(lits, l)
					}
				}
				if !slices.Equal(lits, x.listOf(k)) {
					x.list(k, lits)
					changed = true
				}
			}
		}
		return changed
	}},
}

// same reports whether two answers to queries of one kind are equal.
func (x *attempt) same(i, k int) bool {
	a, b := x.answer(i), x.answer(k)
	return a.Num == b.Num && slices.Equal(x.run.Answers.ListOf(a), x.run.Answers.ListOf(b))
}

// other returns a random other call for which ok returns true, or -1.
func (x *attempt) other(i int, ok func(k int) bool) int {
	from := x.pick(len(x.t.Calls))
	for n := range x.t.Calls {
		if k := (from + n) % len(x.t.Calls); k != i && ok(k) {
			return k
		}
	}
	return -1
}

// callback returns the last terminate or learn call before solve i that still holds, or nil.
func (x *attempt) callback(i int, op apimodel.Op) *trace.Call {
	for k := i - 1; k >= 0; k-- {
		c := x.call(k)
		if c.Instance != x.call(i).Instance {
			continue
		}
		if x.is(k, apimodel.OpRelease, apimodel.OpInit) {
			return nil
		}
		if x.is(k, op) {
			if c.Flags&trace.Off != 0 {
				return nil
			}
			return c
		}
	}
	return nil
}

func (x *attempt) installed(i int, op apimodel.Op) bool { return x.callback(i, op) != nil }

// installedElsewhere reports whether an instance other than that of solve i has got a callback before.
func (x *attempt) installedElsewhere(i int, op apimodel.Op) bool {
	return slices.ContainsFunc(x.t.Calls[:i], func(c trace.Call) bool {
		return c.Op == op && c.Flags&trace.Off == 0 && c.Instance != x.call(i).Instance
	})
}

func (x *attempt) hasCall(op apimodel.Op) bool {
	return slices.ContainsFunc(x.t.Calls, func(c trace.Call) bool { return c.Op == op })
}

// count returns after how many calls the terminate callback asks to stop; 0 means never.
func (x *attempt) count(i int) uint32 {
	if c := x.callback(i, apimodel.OpTerminate); c != nil {
		return uint32(c.Num)
	}
	return 0
}

func (x *attempt) polled(i int) bool {
	return x.is(i, apimodel.OpSolve) && x.run.Answers.EffortOf(x.answer(i)).Polls > 0
}

func (x *attempt) effort(i int, change func(e *trace.Effort)) bool {
	old := x.run.Answers.EffortOf(x.answer(i))
	e := old
	change(&e)
	x.run.Answers.SetEffort(x.answer(i), e)
	return e != old
}

func (x *attempt) clauses(i int) [][]int32 {
	var clauses [][]int32
	rest := x.run.Answers.LearnedBy(x.answer(i))
	for end := slices.Index(rest, 0); end >= 0; end = slices.Index(rest, 0) {
		clauses = append(clauses, slices.Clone(rest[:end]))
		rest = rest[end+1:]
	}
	return clauses
}

// learns replaces the learned clauses of solve i.
func (x *attempt) learns(i int, clauses [][]int32) bool {
	from := len(x.run.Answers.Lits)
	for _, c := range clauses {
		x.run.Answers.Lits = append(append(x.run.Answers.Lits, c...), 0)
	}
	return x.effort(i, func(e *trace.Effort) {
		e.Learned = max(e.Learned, uint32(len(clauses)))
		e.Clauses, e.ClausesLen = uint32(from), uint32(len(x.run.Answers.Lits)-from)
	})
}

func learned(name string, change func(x *attempt, clause []int32) []int32) alteration {
	return alteration{"learned: " + name, func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpSolve) || !x.installed(i, apimodel.OpLearn) {
			return false
		}
		clauses := x.clauses(i)
		if len(clauses) == 0 {
			return false
		}
		k := x.pick(len(clauses))
		if len(clauses[k]) == 0 {
			return false
		}
		clauses[k] = change(x, clauses[k])
		return x.learns(i, clauses)
	}}
}

// tell replaces all answers about solve i by those of one assignment, which choose selects.
func (x *attempt) tell(i int, choose func(*formula, *problem) (uint32, bool)) bool {
	if s := x.answer(i).Num; s != apimodel.Satisfiable && s != apimodel.Optimum {
		return false
	}
	f, assumed := x.formula(i)
	p := x.solver.solve(f, assumed)
	a, ok := choose(f, p)
	if !ok {
		return false
	}
	cost := uint64(0)
	for _, s := range f.softs {
		if p.value(a, trace.Var(s.lit)) == s.lit {
			cost += s.weight
		}
	}
	changed := false
	for _, k := range x.session(i) {
		if x.answer(k).Kind != trace.Answered {
			continue
		}
		switch x.call(k).Op {
		case apimodel.OpObj:
			changed = x.set(k, cost) || changed
		case apimodel.OpVal:
			if v := trace.Var(x.t.Lit(x.call(k))); slices.Contains(p.vars, v) {
				changed = x.setInt(k, p.value(a, v)) || changed
			}
		case apimodel.OpModel:
			lits := x.listOf(k)
			for n, l := range lits {
				if v := trace.Var(l); slices.Contains(p.vars, v) {
					lits[n] = p.value(a, v)
				}
			}
			if !slices.Equal(lits, x.listOf(k)) {
				x.list(k, lits)
				changed = true
			}
		}
	}
	return changed
}

func (x *attempt) formula(i int) (*formula, []int32) {
	upTo := truth{t: x.t, run: &x.run, weighted: x.weighted(), clients: map[uint16]*client{}, solver: x.solver}
	for k := range i {
		upTo.step(k)
	}
	if c := upTo.clients[x.call(i).Instance]; c != nil {
		return &c.formula, c.assumed
	}
	return &formula{}, nil
}
