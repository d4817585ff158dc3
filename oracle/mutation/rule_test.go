package mutation

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func (tr *truth) is(policy, value string) bool { return tr.policies[policy] == value }

// rule returns the verdict on one solve and the queries about it.
func (tr *truth) rule(r *ruling, c *client, s *solved) {
	p := tr.solver.solve(&c.formula, s.assumed)
	tr.ruleStop(r, s)
	tr.ruleLearned(r, c, s)
	switch {
	case s.status == apimodel.Interrupted:
	case s.status == apimodel.Satisfiable, tr.weighted && s.status == apimodel.Optimum:
		if len(p.solutions) == 0 {
			r.say(wrong, "there is no solution")
		}
		tr.ruleValues(r, c, s, p)
	case s.status == apimodel.Unsatisfiable:
		if len(p.solutions) > 0 {
			r.say(wrong, "there is a solution")
		}
		tr.ruleFailed(r, c, s)
	case tr.weighted && s.status == apimodel.Failure:
		if c.zeroWeight && !tr.is("soft-zero", "allowed") {
			r.say(open, "weight 0 may not be supported")
		} else {
			r.say(wrong, "refused, though only standard calls were made")
		}
	default:
		r.say(wrong, "no status of the interface")
	}
}

// ruleStop rules on the terminate callback: policies terminate-null, terminate-stop and give-up.
func (tr *truth) ruleStop(r *ruling, s *solved) {
	e, cb := s.effort, s.terminate
	mayStop := cb.installed && cb.count > 0
	stopped := mayStop && uint64(e.Polls) >= cb.count
	early := s.status == apimodel.Interrupted || tr.weighted && s.status == apimodel.Satisfiable
	if early && !stopped && tr.is("give-up", "never") {
		if mayStop && e.Polls == 0 && e.Nanos == 0 {
			r.say(open, "it is not known how often the callback was called")
		} else {
			r.say(wrong, "ended early and no callback stopped it")
		}
	}
	if tr.is("terminate-stop", "prompt") {
		if e.PollsAfter > 0 {
			r.say(wrong, "asked the callback again after it had said stop")
		}
		if stopped && !early {
			r.say(wrong, "answered although the callback had said stop")
		}
	} else if e.PollsAfter > 1000 {
		r.say(open, "how soon a solver has to stop is not said")
	}
	if e.Polls > 0 && !cb.installed {
		tr.ruleAway(r, cb, "called a terminate callback that is not installed")
	}
	if e.OthersPolled {
		r.say(wrong, "called the terminate callback of another instance")
	}
}

func (tr *truth) ruleAway(r *ruling, cb told, why string) {
	if cb.takenAway && tr.is("terminate-null", "any") {
		r.say(open, "what NULL does to a callback is not said")
	} else {
		r.say(wrong, why)
	}
}

// ruleLearned rules on the clauses that the learn callback received.
func (tr *truth) ruleLearned(r *ruling, c *client, s *solved) {
	if s.effort.OthersLearned {
		r.say(wrong, "called the learn callback of another instance")
	}
	if s.effort.Learned == 0 {
		return
	}
	if !s.learn.installed {
		tr.ruleAway(r, s.learn, "called a learn callback that is not installed")
		return
	}
	if s.effort.Odd > 0 {
		r.say(wrong, "a learned clause is longer than asked for")
	}
	rest := s.learnedClauses
	for end := slices.Index(rest, 0); end >= 0; end = slices.Index(rest, 0) {
		clause := rest[:end]
		rest = rest[end+1:]
		if uint64(len(clause)) > s.learn.count {
			r.say(wrong, "a learned clause is longer than asked for")
		}
		var negated []int32
		for _, l := range clause {
			v := trace.Var(l)
			switch {
			case !c.namedBefore(v, s.call):
				r.say(wrong, "a learned clause names a foreign variable")
			case !c.named[v]:
				r.say(open,
					"a learned clause names a variable that only questions, calls that were not made or an earlier life named")
			}
			negated = append(negated, -l)
		}
		if tr.solver.solve(&c.formula, nil).has(where{lits: negated}) {
			r.say(wrong, fmt.Sprintf("learned clause %v is not implied", clause))
		}
	}
}

// ruleValues rules on val, model and obj: a single solution must have all of them.
func (tr *truth) ruleValues(r *ruling, c *client, s *solved, p *problem) {
	values := map[int32]int32{} // by variable: the true literal, 0 for "not important"
	var objectives []uint64
	note := func(i int, v, l int32) {
		if !c.named[v] && l != 0 && tr.is("unseen-val", "zero") {
			if c.namedBefore(v, i) {
				r.say(open, "only a question, a call that was not made or an earlier life named the variable")
			} else {
				r.say(wrong, "val of a variable that was never named is not 0")
			}
		}
		had, ok := values[v]
		switch {
		case !ok:
			values[v] = l
		case had == l:
		case !c.named[v] && tr.is("unseen-val", "any"):
			r.say(open, "two values of a variable that only questions named")
		case had != 0 && l != 0:
			r.say(wrong, "a variable is true and false")
		case tr.is("val-zero", "completion"):
			r.say(wrong, "a variable has a value and has none")
		case had == 0:
			values[v] = l
		}
	}
	for _, i := range s.questions {
		call, a := &tr.t.Calls[i], tr.run.Answers.At(i)
		switch call.Op {
		case apimodel.OpObj:
			if len(objectives) > 0 && objectives[0] != a.Num {
				r.say(wrong, "two objectives of one solution")
			}
			objectives = append(objectives, a.Num)
		case apimodel.OpVal:
			l := tr.t.Lit(call)
			v := trace.Var(l)
			switch got := int32(a.Num); got {
			case 0, l, -l:
				note(i, v, got)
			default:
				r.say(wrong, "no value of its literal")
			}
		case apimodel.OpModel:
			use := tr.t.InUse(call.Instance, i)
			listed := map[int32]bool{}
			for _, l := range tr.run.Answers.ListOf(a) {
				v := trace.Var(l)
				if listed[v] = true; !slices.Contains(use, v) {
					r.say(open, "the model has a variable that it was not asked for")
					continue
				}
				note(i, v, l)
			}
			if a.Strange {
				r.say(wrong, "no value of its literal")
				continue
			}
			for _, v := range use {
				if !listed[v] {
					note(i, v, 0)
				}
			}
		}
	}
	w := where{}
	for _, l := range values {
		if l != 0 {
			w.lits = append(w.lits, l)
		}
	}
	if len(w.lits) > 0 && !p.has(w) {
		r.say(wrong, "no solution has these values")
		return
	}
	if !tr.weighted || len(values)+len(objectives) == 0 {
		return
	}
	switch {
	case p.tooDear:
		r.say(open, "the weights sum to more than an objective can say")
		return
	case c.redeclared && tr.is("redeclare", "any"), c.zeroWeight && !tr.is("soft-zero", "allowed"):
		r.say(open, "what the weights mean is not said")
		r.unpriced = true
		return
	}
	w.costs = objectives
	if !p.has(w) {
		r.say(wrong, "no solution with these values has this objective")
	}
	if w.costs = append(w.costs, p.least); s.status == apimodel.Optimum && !p.has(w) {
		r.say(wrong, "no optimum has these values and this objective")
	}
}

// namedBefore reports whether a call before call i named the variable.
func (c *client) namedBefore(v int32, i int) bool {
	first, ok := c.firstNamed[v]
	return ok && first < i
}

// ruleFailed rules on failed and core: the failed assumptions must contradict the clauses.
func (tr *truth) ruleFailed(r *ruling, c *client, s *solved) {
	failed := map[int32]bool{}
	note := func(l int32, did bool) {
		if had, ok := failed[l]; ok && had != did {
			r.say(wrong, "an assumption failed and did not")
		}
		failed[l] = did
	}
	for _, i := range s.questions {
		call, a := &tr.t.Calls[i], tr.run.Answers.At(i)
		if call.Op == apimodel.OpFailed {
			l, got := tr.t.Lit(call), int32(a.Num)
			switch {
			case !slices.Contains(s.assumed, l):
				if got != 0 && tr.is("failed-non-assumption", "zero") {
					r.say(wrong, "failed of a literal that was not assumed is not 0")
				}
			case got == 0 || got == 1:
				note(l, got == 1)
			default:
				r.say(wrong, "failed is neither 0 nor 1")
			}
			continue
		}
		if a.Strange {
			r.say(wrong, "failed is neither 0 nor 1")
			continue
		}
		list := tr.run.Answers.ListOf(a)
		for _, l := range list {
			if !slices.Contains(s.assumed, l) {
				r.say(wrong, "the core holds a literal that was not assumed")
			}
		}
		for _, l := range s.assumed {
			note(l, slices.Contains(list, l))
		}
	}
	var left []int32
	for _, l := range s.assumed {
		if did, ok := failed[l]; did || !ok {
			left = append(left, l)
		}
	}
	if len(tr.solver.solve(&c.formula, left).solutions) > 0 && len(left) < len(s.assumed) {
		r.say(wrong, "the failed assumptions are not a core")
	}
}
