package lrat

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

func unjustified(format string, args ...any) error {
	return read.Errorf(read.Unjustified, format, args...)
}

// Derive returns nil if the clause follows as its hints say.
func (s *Set) Derive(lemma []int32, hints []int64) error {
	if isTrue, err := s.assumeFalse(lemma); err != nil || isTrue {
		return err
	}
	rest, conflict, err := s.follow(hints)
	switch {
	case err != nil:
		return err
	case conflict && s.strict && len(rest) > 0:
		return unjustified("hint %d comes after the conflict", rest[0])
	case conflict:
		return nil
	case len(rest) == 0:
		if !s.strict && len(lemma) > 0 && s.resolve(lemma[0], nil) == nil {
			return nil // RAT: no clause has the negation of the pivot
		}
		return unjustified("the hints lead to no conflict")
	case s.strict:
		return fmt.Errorf("hint %d is negative: RAT is not supported", rest[0])
	case len(lemma) == 0:
		return unjustified("hint %d is negative, but the clause is empty", rest[0])
	}
	return s.resolve(lemma[0], rest)
}

// Implied is Derive without RAT: the clause must follow from the others.
func (s *Set) Implied(lemma []int32, hints []int64) error {
	isTrue, err := s.assumeFalse(lemma)
	if err != nil || isTrue {
		return err
	}
	return s.conflict(hints)
}

func (s *Set) conflict(hints []int64) error {
	_, isConflict, err := s.follow(hints)
	if err == nil && !isConflict {
		err = unjustified("the hints lead to no conflict")
	}
	return err
}

// Conflict returns nil if the literals cannot all be true, as the hints say.
func (s *Set) Conflict(literals []int32, hints []int64) error {
	negated := make([]int32, len(literals))
	for i, literal := range literals {
		negated[i] = -literal
	}
	if isTrue, err := s.assumeFalse(negated); err != nil || isTrue {
		return err
	}
	return s.conflict(hints)
}

// assumeFalse forgets all values and makes the literals false. It reports whether their clause is a tautology.
func (s *Set) assumeFalse(literals []int32) (isTrue bool, err error) {
	s.values.forget()
	for _, literal := range literals {
		switch {
		case s.values.isFalse(literal) && s.strict:
			return false, fmt.Errorf("literal %d occurs twice", literal)
		case s.values.isFalse(-literal) && s.strict:
			return false, fmt.Errorf("it has %d and %d", -literal, literal)
		case s.values.isFalse(-literal):
			isTrue = true
		}
		s.values.makeTrue(-literal)
	}
	return isTrue, nil
}

// follow propagates by the hints up to a conflict or a negative hint.
func (s *Set) follow(hints []int64) (rest []int64, conflict bool, err error) {
	s.assigned = s.assigned[:0]
	for i, id := range hints {
		if id < 0 {
			return hints[i:], false, nil
		}
		clause, err := s.Find(id)
		if err != nil {
			return nil, false, fmt.Errorf("hint: %w", err)
		}
		unit, isFalse, isUseless := int32(0), true, false
		for _, literal := range clause {
			if literal == unit || s.values.isFalse(literal) {
				continue
			}
			if s.values.isFalse(-literal) {
				if s.strict {
					return nil, false, unjustified("hint %d gives nothing: its literal %d is true already", id, literal)
				}
				isUseless = true
				break
			}
			if !isFalse {
				return nil, false, unjustified("hint %d gives nothing: both %d and %d are open", id, unit, literal)
			}
			unit, isFalse = literal, false
		}
		switch {
		case isUseless:
		case isFalse:
			return hints[i+1:], true, nil
		default:
			s.values.makeTrue(unit)
			s.assigned = append(s.assigned, unit)
		}
	}
	return nil, false, nil
}

// resolve checks a RAT lemma: its resolvent with each clause that has the negation of the pivot must lead to a
// conflict or be a tautology. The hints must name each of these clauses, even if the resolvent is a tautology,
// because public checkers demand it.
func (s *Set) resolve(pivot int32, hints []int64) error {
	if s.covered == nil {
		s.covered = map[int64]bool{}
	}
	clear(s.covered)
	for len(hints) > 0 {
		id := -hints[0]
		end := 1
		for end < len(hints) && hints[end] > 0 {
			end++
		}
		if err := s.resolveWith(pivot, id, hints[1:end]); err != nil {
			return fmt.Errorf("resolved with clause %d: %w", id, err)
		}
		s.covered[id] = true
		hints = hints[end:]
	}
	for _, id := range s.containing(-pivot) {
		if s.covered[id] || s.at(id) <= 0 {
			continue
		}
		clause, err := s.Find(id)
		if err != nil {
			return err
		}
		if slices.Contains(clause, -pivot) {
			return unjustified("clause %d has %d, and no hint names it", id, -pivot)
		}
	}
	return nil
}

// isBlocked reports whether another literal of the clause than the negated pivot is true.
func (s *Set) isBlocked(clause []int32, pivot int32) bool {
	return slices.ContainsFunc(clause, func(l int32) bool { return l != -pivot && s.values.isFalse(-l) })
}

func (s *Set) resolveWith(pivot int32, id int64, hints []int64) error {
	clause, err := s.Find(id)
	if err != nil {
		return err
	}
	if !slices.Contains(clause, -pivot) {
		return unjustified("it does not have %d", -pivot)
	}
	if s.isBlocked(clause, pivot) {
		return nil
	}
	var assumed []int32
	for _, literal := range clause {
		if literal != -pivot && !s.values.isFalse(literal) {
			s.values.makeTrue(-literal)
			assumed = append(assumed, -literal)
		}
	}
	err = s.conflict(hints)
	for _, literal := range assumed {
		s.values.forgetOne(literal)
	}
	for _, literal := range s.assigned {
		s.values.forgetOne(literal)
	}
	return err
}
