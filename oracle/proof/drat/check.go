// Package drat checks DRAT proofs: lists of lemmas, each of which follows by unit propagation (RUP) or
// preserves satisfiability (RAT, with its first literal as pivot), and of deletions.
//
// A lemma line has the literals and a 0; a deletion line has a d before them. In binary a lemma starts
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
	// Forward checks each lemma as it comes and forgets deleted clauses.
	Forward bool
	// ObeyUnits obeys deletions of clauses that are reasons of units. Most solvers rely on checkers
	// that ignore these deletions.
	ObeyUnits bool
	// Size of the proof in bytes, if known: it saves memory to know it before.
	Size int64
}

// A Result tells what was checked.
type Result struct {
	Lemmas    int64 // read, up to the conflict
	Deletions int64
	Checked   int64 // lemmas that were checked
	RAT       int64 // of these, lemmas that do not follow by propagation
	// CoreRAT counts lemmas that are RAT only because some clauses are not needed, OtherPivots those
	// that are RAT on another literal than the first.
	CoreRAT, OtherPivots int64

	Core         int64 // clauses of the formula that the proof needs; 0 if forward
	Units        int64 // deletions of reasons of units, ignored or obeyed
	Unknown      int64 // deletions of clauses that are not there: they change nothing
	FirstUnit    int64 // line of the first one, in binary its byte
	FirstUnknown int64
}

type step struct {
	ref rup.Ref
	at  uint32 // line or byte, and deletion
}

const (
	deletion = 1 << 31
	latest   = deletion - 1
)

type checker struct {
	Options
	Result
	reader  *read.Reader
	clauses *rup.Clauses
	index   rup.Index
	steps   []step
	formula rup.Ref // lemmas start there
	lits    []int32
}

// Check returns nil or a *read.Rejection for a proof that was read. Clauses of the formula end with 0.
func Check(formula []int32, proof io.Reader, options Options) (Result, error) {
	words := 5 * len(formula) / 2
	if !options.Forward {
		words += int(min(options.Size/3, 1<<31))
	}
	c := &checker{Options: options, reader: read.New(proof, options.Binary), clauses: rup.New(words)}
	c.reader.FreeLines()
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
			ref, err := c.clauses.Add(formula[start:i], true)
			if err != nil {
				return fmt.Errorf("formula: %w", err)
			}
			c.on(ref)
			start = i + 1
			c.formula = ref + 1
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
	c.index = rup.Index{}
	return c.backward()
}

// read reads the proof up to the first conflict of unit propagation.
func (c *checker) read() (conflict bool, err error) {
	for c.clauses.Root() == 0 {
		if !c.reader.Next() {
			return false, c.reader.Err()
		}
		letter := c.reader.Letter()
		isDeletion := letter == 'd'
		if letter != 0 && !isDeletion && (letter != 'a' || !c.Binary) {
			return false, c.reader.Unexpected("a literal or d", letter)
		}
		if c.lits, err = c.reader.Literals(c.lits[:0]); err != nil {
			return false, err
		}
		if isDeletion {
			c.delete()
		} else if err := c.add(); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *checker) record(ref rup.Ref, flag uint32) {
	if !c.Forward {
		c.steps = append(c.steps, step{ref, uint32(min(c.reader.Line(), latest)) | flag})
	}
}

func (c *checker) delete() {
	c.Deletions++
	ref := c.clauses.Find(&c.index, c.lits)
	if ref == 0 {
		if c.Unknown++; c.Unknown == 1 {
			c.FirstUnknown = c.reader.Line()
		}
		return
	}
	if c.clauses.IsReason(ref) {
		if c.Units++; c.Units == 1 {
			c.FirstUnit = c.reader.Line()
		}
		if !c.ObeyUnits {
			return
		}
	}
	c.index.Remove(c.clauses, ref)
	c.record(ref, deletion)
	if !c.Forward {
		c.clauses.Off(ref)
		return
	}
	c.clauses.Drop(ref)
	c.clauses.Collect(&c.index)
}

func (c *checker) add() error {
	c.Lemmas++
	ref, err := c.clauses.Add(c.lits, false)
	if err != nil {
		return err
	}
	if c.Forward || len(c.lits) == 0 {
		if err := c.justify(ref); err != nil {
			return err
		}
	}
	c.on(ref)
	c.record(ref, 0)
	return nil
}

// justify checks a lemma that is not active.
func (c *checker) justify(ref rup.Ref) error {
	c.Checked++
	defer c.clauses.Done()
	if c.clauses.IsImplied(ref, !c.Forward) {
		return nil
	}
	if c.clauses.Size(ref) == 0 {
		return read.Errorf(read.Unjustified, "the empty clause does not follow by unit propagation")
	}
	c.RAT++
	pivot := c.clauses.Pivot(ref)
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

// resolve checks the assumed lemma with every clause that has the negation of the pivot. Backwards,
// only those of the core count: without the others the formula is still unsatisfiable. The core may
// grow meanwhile.
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

// backward takes the steps back, the last first, and checks the lemmas that the conflict or a checked
// lemma needs.
func (c *checker) backward() error {
	c.clauses.IsImplied(0, true) // marks the conflict
	for i := len(c.steps) - 1; i >= 0; i-- {
		s := c.steps[i]
		if s.at&deletion != 0 {
			c.clauses.On(s.ref)
			continue
		}
		c.clauses.Off(s.ref)
		if !c.clauses.IsCore(s.ref) {
			continue
		}
		if err := c.justify(s.ref); err != nil {
			return c.reader.Locate(int64(s.at&^deletion), err)
		}
	}
	c.Core = int64(c.clauses.CoreCount()) - c.Checked
	return nil
}
