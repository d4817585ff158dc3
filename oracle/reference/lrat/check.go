// Package lrat checks proofs of unsatisfiability in LRAT text. It knows nothing about solvers and
// shares no code with one, so that an accepted proof can be trusted whatever solver found it.
//
// A line of a proof is one of
//
//	ID LITERALS 0 HINTS 0
//	ID d IDS 0
//
// The first adds the clause of the literals. Its hints are ids of clauses: with all its literals
// assumed false, each hint but the last must have exactly one open literal, which is assumed true from
// then on, and the last must have none. The second deletes clauses. The clauses of the formula have
// the ids 1, 2, 3, ...; each added clause has a higher id than all before it. A proof is accepted if
// its last line adds the empty clause.
//
// LRAT has a second kind of hint, negative ones, for clauses that do not follow but preserve
// satisfiability (RAT). They are refused, and so is everything useless in a proof: a hint that gives
// nothing new, a hint after the conflict, a clause with x and -x, a line after the empty clause.
package lrat

import (
	"fmt"
	"math"
)

// A Checker checks one proof after the other and reuses its memory. It is not safe for concurrent use.
type Checker struct {
	clauses clauses
	values  values
	lemma   []int32
	reader  reader
}

// Check returns nil for a valid proof that the clauses of the formula, each of which ends with a 0,
// cannot all be true. Its memory is linear in the sizes of both.
func (c *Checker) Check(formula []int32, proof []byte) error {
	if err := c.clauses.reset(formula); err != nil {
		return err
	}
	c.values.reset(formula)
	c.reader = reader{text: proof}
	r := &c.reader
	for line := 1; ; line++ {
		if r.atEnd() {
			return fmt.Errorf("proof ends after line %d without the empty clause", line-1)
		}
		isEmpty, err := c.line()
		if err != nil {
			return fmt.Errorf("proof line %d: %w", line, err)
		}
		if isEmpty {
			if !r.atEnd() {
				return fmt.Errorf("proof line %d: text after the empty clause", line+1)
			}
			return nil
		}
	}
}

// line checks one line and reports whether it adds the empty clause.
func (c *Checker) line() (isEmpty bool, err error) {
	r := &c.reader
	id, err := r.number("the id")
	if err != nil {
		return false, err
	}
	if r.isDeletion() {
		return false, c.delete()
	}
	if last := c.clauses.lastID(); id <= last {
		return false, fmt.Errorf("clause %d: id is not above %d, the highest so far", id, last)
	}
	if err := c.readLemma(); err != nil {
		return false, fmt.Errorf("clause %d: %w", id, err)
	}
	if err := c.derive(); err != nil {
		return false, fmt.Errorf("clause %d: %w", id, err)
	}
	c.clauses.add(id, c.lemma)
	return len(c.lemma) == 0, nil
}

func (c *Checker) delete() error {
	for {
		id, err := c.reader.number("an id to delete")
		if err != nil {
			return err
		}
		if id == 0 {
			return c.reader.endOfLine()
		}
		if err := c.clauses.delete(id); err != nil {
			return fmt.Errorf("delete: %w", err)
		}
	}
}

// readLemma reads the literals of the clause and assumes them false.
func (c *Checker) readLemma() error {
	c.lemma = c.lemma[:0]
	c.values.forget()
	for {
		number, err := c.reader.number("a literal")
		if err != nil {
			return err
		}
		if number == 0 {
			return nil
		}
		if number < -math.MaxInt32 || number > math.MaxInt32 {
			return fmt.Errorf("%d is not a literal", number)
		}
		literal := int32(number)
		switch {
		case c.values.isFalse(literal):
			return fmt.Errorf("literal %d occurs twice", literal)
		case c.values.isFalse(-literal):
			return fmt.Errorf("it has %d and %d", -literal, literal)
		}
		c.values.makeTrue(-literal)
		c.lemma = append(c.lemma, literal)
	}
}

// derive follows the hints to the end of the line.
func (c *Checker) derive() error {
	conflict := false
	for {
		id, err := c.reader.number("a hint")
		if err != nil {
			return err
		}
		switch {
		case id == 0 && !conflict:
			return fmt.Errorf("the hints lead to no conflict")
		case id == 0:
			return c.reader.endOfLine()
		case id < 0:
			return fmt.Errorf("hint %d is negative: RAT is not supported", id)
		case conflict:
			return fmt.Errorf("hint %d comes after the conflict", id)
		}
		clause, err := c.clauses.find(id)
		if err != nil {
			return fmt.Errorf("hint: %w", err)
		}
		unit, isFalse := int32(0), true
		for _, literal := range clause {
			if literal == unit || c.values.isFalse(literal) {
				continue
			}
			if c.values.isFalse(-literal) {
				return fmt.Errorf("hint %d gives nothing: its literal %d is true already", id, literal)
			}
			if !isFalse {
				return fmt.Errorf("hint %d gives nothing: both %d and %d are open", id, unit, literal)
			}
			unit, isFalse = literal, false
		}
		if isFalse {
			conflict = true
		} else {
			c.values.makeTrue(unit)
		}
	}
}
