// Package drat checks DRAT proofs: lists of lemmas and deletions. Each lemma follows by unit propagation (RUP) or
// preserves satisfiability (RAT, with its first literal as pivot).
//
// The line of a lemma has the literals and a 0. The line of a deletion has a d before them. In binary, a lemma begins
// with the letter a, a deletion with d.
package drat

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
	"github.com/ipafuzz/ipafuzz/oracle/proof/rup"
)

// Options say how to check.
type Options struct {
	Binary bool
	// Forward checks each lemma as it comes.
	Forward bool
	// ObeyUnits obeys deletions of clauses that are reasons of units. Most solvers rely on checkers to ignore
	// these deletions.
	ObeyUnits bool
}

// A Result says what Check has checked.
type Result struct {
	Lemmas    int64 // up to the conflict
	Deletions int64
	Checked   int64 // lemmas that Check has checked
	RAT       int64 // of these, lemmas that do not follow by propagation
	// CoreRAT counts lemmas that are RAT only because the proof does not need some clauses.
	// OtherPivots counts those that are RAT on a literal other than the first.
	CoreRAT, OtherPivots int64

	Core         int64 // clauses of the formula that the proof needs; 0 if forward
	Units        int64 // deletions of reasons of units, ignored or obeyed
	Unknown      int64 // deletions of clauses that do not exist, which change nothing
	FirstUnit    int64 // line (in binary, byte) of the first of Units
	FirstUnknown int64 // line (in binary, byte) of the first of Unknown
}

type checker struct {
	Options
	Result
	reader  *read.Reader
	clauses *rup.Clauses
	index   rup.Index
	history history
	lits    []int32
}

// Check returns nil if the proof is valid, and a *read.Rejection if it is not. Other errors say nothing about the
// proof. Clauses of the formula end with 0. Unless Options.Forward is set, Check reads the proof twice, so proof must
// also be an io.Seeker.
func Check(formula []int32, proof io.Reader, options Options) (Result, error) {
	c := &checker{Options: options, reader: read.New(proof, options.Binary), clauses: rup.New(5 * len(formula) / 2)}
	defer c.clauses.Close()
	c.reader.FreeLines()
	if !options.Forward {
		if err := c.history.open(proof); err != nil {
			return c.Result, err
		}
	}
	err := c.addFormula(formula)
	if err == nil {
		err = c.check()
	}
	return c.Result, err
}

func (c *checker) addFormula(formula []int32) error {
	start := 0
	for i, lit := range formula {
		switch lit {
		case 0:
			ref, err := c.clauses.Add(formula[start:i])
			if err != nil {
				return fmt.Errorf("formula: %w", err)
			}
			c.on(ref)
			start = i + 1
		case math.MinInt32:
			return fmt.Errorf("formula: %d is not a literal", lit)
		}
	}
	if start != len(formula) {
		return errors.New("formula: the last clause does not end with a 0")
	}
	return nil
}

func (c *checker) on(ref rup.Ref) {
	c.clauses.On(ref)
	c.index.Insert(c.clauses, ref)
}

func (c *checker) check() error {
	found, err := c.read()
	switch {
	case err != nil:
		return c.reader.At(err)
	case !found:
		return c.reader.At(read.Errorf(read.Truncated, "the proof ends without a conflict"))
	case c.Forward:
		return nil
	}
	return c.backward()
}

// read reads the proof up to the first conflict of unit propagation.
func (c *checker) read() (conflict bool, err error) {
	for c.clauses.Root() == 0 {
		if !c.reader.Next() {
			return false, c.reader.Err()
		}
		isDeletion, err := c.step()
		if err != nil {
			return false, err
		}
		if !c.Forward {
			if c.history.pass(c.reader) {
				c.clauses.Shed()
			}
		}
		if isDeletion {
			c.delete()
		} else if err := c.add(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// step reads the literals of a step, and reports whether it is a deletion.
func (c *checker) step() (isDeletion bool, err error) {
	letter := c.reader.Letter()
	isDeletion = letter == 'd'
	if letter != 0 && !isDeletion && (letter != 'a' || !c.Binary) {
		return false, c.reader.Unexpected("a literal or d", letter)
	}
	c.lits, err = c.reader.Literals(c.lits[:0])
	return isDeletion, err
}

func (c *checker) delete() {
	c.Deletions++
	ref := c.clauses.Find(&c.index, c.lits)
	if ref == 0 {
		if c.Unknown++; c.Unknown == 1 {
			c.FirstUnknown = c.reader.Line()
		}
		c.history.ignore()
		return
	}
	if c.clauses.IsReason(ref) {
		if c.Units++; c.Units == 1 {
			c.FirstUnit = c.reader.Line()
		}
		if !c.ObeyUnits {
			c.history.ignore()
			return
		}
	}
	c.index.Remove(c.clauses, ref)
	c.drop(ref)
}

func (c *checker) drop(ref rup.Ref) {
	c.clauses.Drop(ref)
	c.clauses.Collect(&c.index)
}

func (c *checker) add() error {
	c.Lemmas++
	ref, err := c.clauses.Add(c.lits)
	if err != nil {
		return err
	}
	if c.Forward || len(c.lits) == 0 {
		if err := c.justify(ref); err != nil {
			return err
		}
	}
	c.on(ref)
	return nil
}

// lemmasBetweenSheds is the number of lemmas after which the checker returns memory to the system.
const lemmasBetweenSheds = 512

// justify checks the lemma of the current step, which is not active.
func (c *checker) justify(ref rup.Ref) error {
	if c.Checked++; c.Checked%lemmasBetweenSheds == 0 {
		c.clauses.Shed()
	}
	defer c.clauses.Done()
	if c.clauses.IsImplied(ref, !c.Forward) {
		return nil
	}
	if c.clauses.Size(ref) == 0 {
		return read.Errorf(read.Unjustified, "the empty clause does not follow by unit propagation")
	}
	c.RAT++
	pivot := c.lits[0]
	with, ok := c.resolve(pivot)
	if ok {
		return nil
	}
	for _, other := range c.clauses.Literals(ref, nil) {
		if other == pivot {
			continue
		}
		if _, ok := c.resolve(other); ok {
			c.OtherPivots++
			return nil
		}
	}
	return read.Errorf(read.Unjustified,
		"the lemma %v does not follow by unit propagation, and is not RAT on %d: see clause %v",
		c.clauses.Literals(ref, nil), pivot, c.clauses.Literals(with, nil))
}

// resolve checks that the negated lemma, which is assumed, contradicts every clause with the negation of the pivot. It
// returns a clause for which it does not. A backward check needs only clauses of the core, because without the others,
// the formula is still unsatisfiable. The core may grow while resolve runs.
func (c *checker) resolve(pivot int32) (with rup.Ref, ok bool) {
	if c.Forward {
		ok = c.clauses.Candidates(-pivot, func(ref rup.Ref) bool {
			with = ref
			return c.clauses.Resolves(ref, pivot, false)
		})
		return with, ok
	}
	resolved := map[rup.Ref]bool{}
	for before := -1; before < len(resolved); {
		before = len(resolved)
		if !c.clauses.Candidates(-pivot, func(ref rup.Ref) bool {
			if resolved[ref] || !c.clauses.IsCore(ref) {
				return true
			}
			with, resolved[ref] = ref, true
			return c.clauses.Resolves(ref, pivot, true)
		}) {
			return with, false
		}
	}
	if !c.clauses.Candidates(-pivot, func(ref rup.Ref) bool {
		return resolved[ref] || c.clauses.Resolves(ref, pivot, false)
	}) {
		c.CoreRAT++
	}
	return 0, true
}
