// Package lrat checks proofs that name the clauses of each step: LRAT in text and in binary, and the steps with
// hints of FRAT and LIDRUP. It shares no code with a solver, so that one can trust a proof that it accepts,
// whatever solver has found it.
//
// A line of a proof is one of
//
//	ID LITERALS 0 HINTS 0
//	ID d IDS 0
//
// The first adds the clause of the literals. Its hints are ids of clauses. With all
// literals of the clause assumed false, each hint but the last must have exactly one open
// literal, which is then assumed true, and the last must have none. The second deletes
// clauses. The clauses of the formula have the ids 1, 2, 3, ...; each added clause has a
// higher id than all before it. A proof is valid if it adds the empty clause.
//
// A clause that does not follow may still preserve satisfiability (RAT): then for every clause with
// the negation of its first literal there is a hint with a minus, and after it the hints that lead to a
// conflict when the other literals of that clause are false, too.
//
// A strict check is for proofs of our own solver, which certify answers. It refuses RAT and everything useless: a
// hint that gives nothing new, a hint after the conflict, a clause with x and -x, a line after the empty clause,
// comments and empty lines.
package lrat

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// A Checker checks one proof after the other and reuses its memory. It is not safe for concurrent use.
type Checker struct {
	// Steps counts the lines of the last proof, Lemmas the clauses that it added.
	Steps, Lemmas int64

	strict bool
	set    Set
	reader *read.Reader
	lemma  []int32
	hints  []int64
}

// Check returns nil if the proof, in text, shows that no assignment satisfies all clauses of the formula, each of which
// ends with a 0. It is strict. Its memory is linear in the sizes of formula and proof.
func (c *Checker) Check(formula []int32, proof []byte) error {
	c.strict = true
	return c.check(formula, bytes.NewReader(proof), false)
}

// CheckStream is like Check for a proof that may be large, may be binary, and may come from any solver. It is not
// strict.
func (c *Checker) CheckStream(formula []int32, proof io.Reader, isBinary bool) error {
	c.strict = false
	defer c.set.Close()
	return c.check(formula, proof, isBinary)
}

func (c *Checker) check(formula []int32, proof io.Reader, isBinary bool) error {
	c.Steps, c.Lemmas = 0, 0
	c.set.reset(formula, c.strict)
	if err := c.set.addFormula(formula); err != nil {
		return err
	}
	if !c.strict && c.set.hasEmpty {
		return nil // nothing is left to prove
	}
	if c.reader == nil {
		c.reader = read.New(proof, isBinary)
	} else {
		c.reader.Reset(proof, isBinary)
	}
	r := c.reader
	for {
		more, err := c.next()
		if err != nil {
			return r.At(fmt.Errorf("the id expected, not the end of the line: %w", err))
		}
		if !more {
			return r.At(read.Errorf(read.Truncated, "proof ends after line %d without the empty clause", c.Steps))
		}
		c.Steps++
		isEmpty, err := c.step()
		if err != nil {
			return r.At(err)
		}
		if !isEmpty {
			continue
		}
		if more, err := c.next(); c.strict && (more || err != nil) {
			return r.At(errors.New("text after the empty clause"))
		}
		return r.Err()
	}
}

func (c *Checker) next() (bool, error) {
	if c.strict {
		return c.reader.NextStrict()
	}
	return c.reader.Next(), nil
}

// step checks a step, and reports whether it adds the empty clause.
func (c *Checker) step() (isEmpty bool, err error) {
	r := c.reader
	if r.Binary() {
		switch letter := r.Letter(); letter {
		case 'a':
		case 'd':
			return false, c.delete()
		default:
			return false, r.Unexpected("a or d", letter)
		}
	}
	id, err := r.Number("the id")
	if err != nil {
		return false, err
	}
	if !r.Binary() && r.Letter() == 'd' {
		return false, c.delete()
	}
	if last := c.set.last; id <= last {
		return false, fmt.Errorf("clause %d: id is not above %d, the highest so far", id, last)
	}
	if c.lemma, err = r.Literals(c.lemma[:0]); err == nil {
		c.hints, err = Hints(r, c.hints[:0])
	}
	if err == nil {
		c.Lemmas++
		err = c.set.Derive(c.lemma, c.hints)
	}
	if err == nil {
		err = r.EndLine()
	}
	if err == nil {
		err = c.set.Add(id, c.lemma)
	}
	if err != nil {
		return false, fmt.Errorf("clause %d: %w", id, err)
	}
	return len(c.lemma) == 0, nil
}

// Hints appends the ids up to the next 0.
func Hints(r *read.Reader, hints []int64) ([]int64, error) {
	for {
		id, err := r.Number("a hint")
		if err != nil || id == 0 {
			return hints, err
		}
		hints = append(hints, id)
	}
}

func (c *Checker) delete() error {
	for {
		id, err := c.reader.Number("an id to delete")
		if err != nil {
			return err
		}
		if id == 0 {
			return c.reader.EndLine()
		}
		if err := c.set.Delete(id); err != nil {
			return fmt.Errorf("delete: %w", err)
		}
	}
}
