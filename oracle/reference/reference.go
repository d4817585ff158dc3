// Package reference finds the answer to a problem and proves it.
//
// An untrusted solver, the Prover, does the work. The package checks its solutions against the problem, and
// package lrat checks its proofs that there is no solution, or no cheaper one. So everything in an Answer is
// certified. The answer to a problem that exceeds the budget is unknown.
//
// What must be right is the translation of the problem into the refuted formula (numbering.go), the clauses
// that bound the cost (package atmost), the check of solutions (solution.go), and the proof checker.
package reference

import (
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/oracle/proof/lrat"
)

// A Prover decides whether a formula is satisfiable. Each clause of the formula ends with a 0. The Prover may
// give up, and must after that many conflicts. The caller owns the result.
type Prover interface {
	Solve(formula []int32, conflicts uint64) (Result, error)
}

// A Result has a status of IPASIR: 10 with a model, 20 with a proof in LRAT text, 0 if the Prover gave up. It
// is an alias of an unnamed struct, so that a prover need not import this package.
type Result = struct {
	Status    int
	Model     []int32
	Proof     []byte
	Conflicts uint64
}

const (
	gaveUp        = 0
	satisfiable   = 10
	unsatisfiable = 20
)

// A Problem is the problem of a solve call. Variables are any numbers from 1 to 2^31-1; low numbers
// are the fastest.
type Problem struct {
	Clauses     []int32 // each with a 0 at its end
	Assumptions []int32
	Softs       []Soft

	// Known, if not empty, is a solution that the caller knows: true literals, maybe not of all variables, and
	// maybe of others than those of the problem. Solve begins with it if it is right.
	Known []int32
	// Claimed, if not 0, is a cost. The caller only wants to know whether it is the least, so the search ends
	// with the first solution that costs less.
	Claimed uint64
	// Suggested, if not empty, is a solution of a similar problem, as Known. If it is right here, too, and costs less
	// than Claimed, there is no search.
	Suggested []int32
}

// Reset empties the problem and keeps its memory.
func (p *Problem) Reset() {
	p.Clauses, p.Assumptions, p.Softs = p.Clauses[:0], p.Assumptions[:0], p.Softs[:0]
	p.Known, p.Claimed, p.Suggested = p.Known[:0], 0, p.Suggested[:0]
}

// A Soft is a literal that costs its weight if it is true. Both literals of a variable may cost something. If
// a literal occurs twice, both weights count.
type Soft struct {
	Lit    int32
	Weight uint64
}

// A Status says whether there is a solution.
type Status uint8

const (
	Unknown Status = iota
	Satisfiable
	Unsatisfiable
)

// String returns the status in a word.
func (s Status) String() string {
	return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s]
}

// An Answer is what is certain about a problem. Its slices are valid until the next Solve.
type Answer struct {
	Status Status

	// If satisfiable: the cheapest solution that the search found, as the true literal of every variable of
	// the problem. Its cost is known unless it is 2^64 or more.
	Model     []int32
	Cost      uint64
	CostKnown bool

	// No solution costs less than AtLeast. If Optimal, AtLeast equals Cost. If the sum of the weights is 2^64
	// or more, Solve does not search the optimum.
	AtLeast uint64
	Optimal bool

	// The last refutation: that there is no solution, or that none costs less than AtLeast. It is nil if
	// AtLeast needs no proof.
	Certificate *Certificate

	Solves    int // of the prover
	Conflicts uint64
}

// Certified reports whether the answer is complete: that there is no solution, or what the least cost is.
// Without softs, that is 0.
func (a *Answer) Certified() bool { return a.Status == Unsatisfiable || a.Optimal }

// A Reference solves one problem after the other and reuses its memory. It is not safe for concurrent
// use.
type Reference struct {
	prover    Prover
	conflicts uint64 // for one problem; reading its formulas counts, too
	together  uint64 // for all problems since Renew; 0: no limit
	spent     uint64 // since Renew

	checker   lrat.Checker
	numbering numbering
	objective objective
	solution  solution
	hard      []int32 // the clauses and the assumptions, in the numbers of the formula
	bounded   []int32 // hard, and clauses that bound the cost
	known     []int32 // the solution that the caller knows, in the numbers of the formula
	best      []int32

	certificate Certificate
}

// New returns a reference with a budget of conflicts for each problem.
func New(prover Prover, conflicts uint64) *Reference {
	return &Reference{prover: prover, conflicts: conflicts}
}

// Limit limits the conflicts for all problems between two calls of Renew.
func (r *Reference) Limit(conflicts uint64) { r.together = conflicts }

// Renew begins to count the conflicts anew, for the next trace.
func (r *Reference) Renew() { r.spent = 0 }

// Solve answers the problem. An error means that the problem is malformed, or that parts of ipafuzz contradict
// each other (a wrong model, an invalid proof). In that case, the caller must stop, because nobody can trust
// the prover any more. If the problem is too hard, there is no error: its status is unknown.
func (r *Reference) Solve(p *Problem) (Answer, error) {
	if err := r.translate(p); err != nil {
		return Answer{}, err
	}
	s := search{r: r, p: p}
	err := s.run()
	if err != nil {
		return Answer{}, err
	}
	return s.answer, nil
}

func (r *Reference) translate(p *Problem) error {
	if n := len(p.Clauses); n > 0 && p.Clauses[n-1] != 0 {
		return errors.New("reference: the last clause does not end with a 0")
	}
	if err := r.numbering.reset(p); err != nil {
		return err
	}
	r.hard = r.hard[:0]
	for _, literal := range p.Clauses {
		r.hard = append(r.hard, r.numbering.of(literal))
	}
	for _, literal := range p.Assumptions {
		r.hard = append(r.hard, r.numbering.of(literal), 0)
	}
	r.objective.reset(p, &r.numbering)
	return nil
}

// isSpent reports whether the budget is used up.
func (s *search) isSpent() bool {
	return s.spent > s.r.conflicts || s.r.together > 0 && s.r.spent > s.r.together
}

// wordsPerConflict is how many words of a formula a prover reads in the time of a conflict, some microseconds.
// Reading counts, because dozens of questions about hundreds of large weights could otherwise take seconds and
// hardly a conflict.
const wordsPerConflict = 500

// ask asks the prover about a formula and checks its answer. It stores a model in r.solution, and a proof in
// r.certificate. It gives up after that many conflicts, or when the budget is used up.
func (s *search) ask(formula []int32, what string, conflicts uint64) (status int, err error) {
	r := s.r
	if s.isSpent() {
		return gaveUp, nil
	}
	result, err := r.prover.Solve(formula, min(conflicts, r.conflicts-s.spent))
	if err != nil {
		return gaveUp, fmt.Errorf("reference: %s: the prover refuses the formula: %w", what, err)
	}
	s.answer.Solves++
	s.answer.Conflicts += result.Conflicts
	cost := result.Conflicts + uint64(len(formula))/wordsPerConflict
	s.spent += cost
	r.spent += cost
	switch result.Status {
	case gaveUp:
	case satisfiable:
		if err := r.solution.take(s.p, &r.numbering, &r.objective, result.Model); err != nil {
			return gaveUp, fmt.Errorf("reference: %s: the prover's model is wrong: %w", what, err)
		}
	case unsatisfiable:
		if err := r.checker.Check(formula, result.Proof); err != nil {
			return gaveUp, fmt.Errorf("reference: %s: the prover's proof is wrong: %w", what, err)
		}
		// The next formula overwrites this one, so copy it.
		r.certificate.Formula = append(r.certificate.Formula[:0], formula...)
		r.certificate.Proof = result.Proof
		r.certificate.Variables = r.numbering.numbers
		s.answer.Certificate = &r.certificate
	default:
		return gaveUp, fmt.Errorf("reference: %s: the prover answers %d", what, result.Status)
	}
	return result.Status, nil
}
