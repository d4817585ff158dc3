package reference

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/oracle/reference/atmost"
)

// search solves one problem: it finds a first solution, unless one is known, and asks for a cheaper one until
// there is none. The last refutation becomes the certificate.
type search struct {
	r      *Reference
	p      *Problem
	answer Answer
	spent  uint64 // of the budget
	isHard bool   // a first attempt at a bound has failed
}

// A totalizer of at most fewClauses pays off for any problem. After firstAttempt conflicts without success, it
// may have manyClauses: then it can save hundreds of times as many conflicts.
const (
	fewClauses   = 5000
	manyClauses  = 150000
	firstAttempt = 1000
)

// stepsByOne is how many times in a row the search asks for an improvement by at least 1. That is the most
// direct question, and the solutions that solvers find make much larger steps. But 2^64 steps are possible, so
// after that, every other question bisects.
const stepsByOne = 8

func (s *search) run() error {
	a, o := &s.answer, &s.r.objective
	if s.isSuggested() {
		return nil
	}
	if !s.r.takeKnown(s.p.Known, s.p) {
		status, err := s.ask(s.r.hard, "the hard clauses", s.r.conflicts)
		if err != nil || status == gaveUp {
			return err
		}
		if status == unsatisfiable {
			a.Status = Unsatisfiable
			s.r.certificate.Bounded, s.r.certificate.AtMost = false, 0
			return nil
		}
	}
	a.Status = Satisfiable
	s.keep()
	if o.tooGreat {
		return nil
	}
	a.AtLeast = o.floor
	for step := 0; a.AtLeast < a.Cost; step++ {
		if a.Cost < s.p.Claimed {
			return nil
		}
		bound := a.Cost - 1
		if step > stepsByOne && step%2 == 0 {
			bound = a.AtLeast + (a.Cost-a.AtLeast)/2
		}
		goOn, err := s.bound(bound)
		if err != nil {
			return err
		}
		if !goOn {
			return nil
		}
	}
	a.Optimal = true
	return nil
}

// isSuggested takes the suggested solution if that ends the search.
func (s *search) isSuggested() bool {
	found := s.p.Claimed > 0 && s.r.takeKnown(s.p.Suggested, s.p) && s.r.solution.costKnown &&
		s.r.solution.cost < s.p.Claimed
	if found {
		s.answer.Status, s.answer.AtLeast = Satisfiable, s.r.objective.floor
		s.keep()
		s.answer.Optimal = s.answer.AtLeast == s.answer.Cost && !s.r.objective.tooGreat
	}
	return found
}

// bound asks whether a solution costs at most bound, which is below the best cost so far. It reports whether the
// answer got better, by a solution or by a lower bound. If not, the budget is used up, or there are too many
// weights.
func (s *search) bound(bound uint64) (bool, error) {
	r, a := s.r, &s.answer
	what := fmt.Sprintf("cost at most %d", bound)
	status, err := gaveUp, error(nil)
	var asked question
	if !s.isHard {
		if status, asked, err = s.attempt(bound, what, fewClauses, firstAttempt, asked); err != nil {
			return false, err
		}
		s.isHard = status == gaveUp
	}
	if s.isHard && !s.isSpent() {
		if status, _, err = s.attempt(bound, what, manyClauses, r.conflicts, asked); err != nil {
			return false, err
		}
	}
	switch status {
	case satisfiable:
		if !r.solution.costKnown || r.solution.cost > bound {
			return false, fmt.Errorf("reference: %s: the model fulfils the clauses that say so, but costs %d", what,
				r.solution.cost)
		}
		s.keep()
	case unsatisfiable:
		r.certificate.Bounded, r.certificate.AtMost = true, bound
		a.AtLeast = bound + 1
	default:
		return false, nil
	}
	return true, nil
}

// A question is what the prover was asked about a bound.
type question struct {
	words     int // of the formula
	conflicts uint64
}

// attempt asks whether a solution costs at most bound. If the prover gave up before on the same formula, whose size
// tells, attempt does not ask again with no more conflicts.
func (s *search) attempt(bound uint64, what string, totalizerClauses int, conflicts uint64, before question) (
	status int, asked question, err error) {
	r := s.r
	r.bounded, _, err = atmost.Append(append(r.bounded[:0], r.hard...), r.objective.terms,
		bound-r.objective.floor, r.numbering.next(), totalizerClauses)
	if err != nil {
		return gaveUp, asked, nil
	}
	if !s.isSpent() {
		asked = question{len(r.bounded), min(conflicts, r.conflicts-s.spent)}
	}
	if asked.words == before.words && asked.conflicts <= before.conflicts {
		return gaveUp, asked, nil
	}
	status, err = s.ask(r.bounded, what, conflicts)
	return status, asked, err
}

// keep stores the solution that was just checked as the best so far.
func (s *search) keep() {
	solution := &s.r.solution
	s.r.best = append(s.r.best[:0], solution.model...)
	s.answer.Model = s.r.best
	s.answer.Cost, s.answer.CostKnown = solution.cost, solution.costKnown
}
