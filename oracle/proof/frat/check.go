// Package frat checks FRAT proofs. Their steps have letters:
//
//	o ID LITERALS 0            a clause of the formula
//	a ID LITERALS 0            a lemma
//	a ID LITERALS 0 l HINTS 0  a lemma that follows as its hints say
//	d ID LITERALS 0            deletes a clause
//	f ID LITERALS 0            a clause that is there at the end
//	r FROM TO FROM TO ... 0    gives clauses other ids
//
// Hints are those of LRAT. They help but need not be right: a lemma without hints, or with wrong ones, must follow
// by unit propagation, or be RAT on its first literal. Check reads the proof once, from the start. The proof must
// derive the empty clause. What it states about the clauses that are left must be true, but need not be complete.
//
// Check compares a lemma that is RAT only with the clauses before it. So no later clause of the formula may have the
// negation of its first literal.
package frat

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof/lrat"
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
	"github.com/ipafuzz/ipafuzz/oracle/proof/rup"
)

// A Result says what Check has checked.
type Result struct {
	Steps     int64
	Lemmas    int64
	Hinted    int64 // of these, lemmas with hints
	Misled    int64 // of these, lemmas that follow, but not as their hints say
	Deletions int64
	Final     int64
}

type checker struct {
	Result
	reader  *read.Reader
	formula *rup.Clauses // the clauses of the formula, all inactive, to find them by their literals
	named   rup.Index    // of formula
	set     *lrat.Set
	rup     *rup.Clauses // the clauses of set; nil before the first lemma that does not follow by hints
	index   rup.Index
	lits    []int32
	hints   []int64
	isEmpty bool           // the empty clause is derived
	pivots  map[int32]bool // the first literals of lemmas that are RAT
}

// Check returns nil if the proof is valid, and a *read.Rejection if it is not. Other errors say nothing about the
// proof. Clauses of the formula end with 0.
func Check(formula []int32, proof io.Reader, isBinary bool) (Result, error) {
	c := &checker{reader: read.New(proof, isBinary), set: lrat.NewSet(), formula: rup.New(0),
		pivots: make(map[int32]bool)}
	defer c.close()
	start := 0
	for i, lit := range formula {
		switch lit {
		case 0:
			ref, err := c.formula.Add(formula[start:i])
			if err != nil {
				return c.Result, fmt.Errorf("formula: %w", err)
			}
			c.named.Insert(c.formula, ref)
			c.isEmpty = c.isEmpty || start == i // nothing is left to prove
			start = i + 1
		case math.MinInt32:
			return c.Result, fmt.Errorf("formula: %d is not a literal", lit)
		}
	}
	if start != len(formula) {
		return c.Result, errors.New("formula: the last clause does not end with a 0")
	}
	for c.reader.Next() {
		c.Steps++
		if err := c.step(); err != nil {
			return c.Result, c.reader.At(err)
		}
	}
	if !c.isEmpty {
		return c.Result, c.reader.At(read.Errorf(read.Truncated, "the proof ends without the empty clause"))
	}
	return c.Result, c.reader.Err()
}

func (c *checker) close() {
	c.set.Close()
	c.formula.Close()
	if c.rup != nil {
		c.rup.Close()
	}
}

func (c *checker) step() error {
	letter := c.reader.Letter()
	switch letter {
	case 'o', 'a', 'd', 'f':
	case 'r':
		return c.rename()
	default:
		return c.reader.Unexpected("one of o, a, d, f and r", letter)
	}
	id, err := c.reader.ID("an id")
	if err != nil {
		return err
	}
	if c.lits, err = c.reader.Literals(c.lits[:0]); err != nil {
		return err
	}
	switch letter {
	case 'o':
		err = c.original(id)
	case 'a':
		err = c.lemma(id)
	default:
		err = c.remove(id, letter)
	}
	if err != nil {
		return fmt.Errorf("clause %d: %w", id, err)
	}
	return c.reader.EndLine()
}

func (c *checker) original(id int64) error {
	if c.formula.FindOff(&c.named, c.lits) == 0 {
		return read.Errorf(read.Different, "the formula has no clause %v", c.lits)
	}
	for _, lit := range c.lits {
		if c.pivots[-lit] {
			return read.Errorf(read.Unjustified, "this clause of the formula has %d and comes after a lemma that is RAT on %d",
				lit, -lit)
		}
	}
	return c.add(id, true)
}

func (c *checker) add(id int64, isInput bool) error {
	if len(c.lits) == 0 {
		c.isEmpty = true
	}
	if c.rup != nil {
		if err := c.propagate(c.lits, isInput); err != nil {
			return err
		}
	}
	return c.set.Add(id, c.lits)
}

func (c *checker) propagate(lits []int32, isInput bool) error {
	ref, err := c.rup.Add(lits)
	if err == nil {
		c.rup.On(ref)
		c.index.Insert(c.rup, ref)
	}
	return err
}

func (c *checker) lemma(id int64) error {
	c.Lemmas++
	var err error
	if c.reader.Has('l') {
		c.Hinted++
		if c.hints, err = lrat.Hints(c.reader, c.hints[:0]); err == nil && !c.isEmpty {
			err = c.follow()
		}
	} else if !c.isEmpty {
		err = c.justify()
	}
	if err != nil {
		return err
	}
	return c.add(id, false)
}

// follow checks a lemma by its hints or, if it does not follow by these, without them.
func (c *checker) follow() error {
	if c.set.Implied(c.lits, c.hints) == nil {
		return nil
	}
	if c.set.Derive(c.lits, c.hints) == nil {
		c.pivots[c.lits[0]] = true
		return nil
	}
	c.Misled++
	return c.justify()
}

// justify checks a lemma without using its hints.
func (c *checker) justify() error {
	if c.rup == nil {
		c.rup = rup.New(0)
		var err error
		c.set.Each(func(_ int64, lits []int32) bool {
			err = c.propagate(lits, false)
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	defer c.rup.Done()
	if c.rup.Follows(c.lits, false) {
		return nil
	}
	if len(c.lits) > 0 && c.rup.Candidates(-c.lits[0], func(ref rup.Ref) bool {
		return c.rup.Resolves(ref, c.lits[0], false)
	}) {
		c.pivots[c.lits[0]] = true
		return nil
	}
	return read.Errorf(read.Unjustified, "%v does not follow by unit propagation, and is not RAT", c.lits)
}

// remove deletes a clause, for a step d or f.
func (c *checker) remove(id int64, letter byte) error {
	clause, err := c.set.Find(id)
	if err != nil {
		return err
	}
	if !read.SameLiterals(clause, c.lits) {
		return read.Errorf(read.Unjustified, "it is %v, not %v", clause, c.lits)
	}
	if letter == 'f' {
		c.Final++
	} else {
		c.Deletions++
	}
	if c.rup != nil {
		if ref := c.rup.Find(&c.index, c.lits); ref != 0 {
			c.index.Remove(c.rup, ref)
			c.rup.Drop(ref)
			c.rup.Collect(&c.index)
		}
	}
	return c.set.Delete(id)
}

// rename gives clauses new ids, all at once.
func (c *checker) rename() error {
	ids, err := c.reader.IDs("an id", nil)
	if err != nil {
		return err
	}
	if len(ids)%2 != 0 {
		return errors.New("an id without a new one")
	}
	var clauses [][]int32
	for i := 0; i < len(ids); i += 2 {
		clause, err := c.set.Find(ids[i])
		if err != nil {
			return err
		}
		clauses = append(clauses, slices.Clone(clause))
		if err := c.set.Delete(ids[i]); err != nil {
			return err
		}
	}
	for i, clause := range clauses {
		if err := c.set.Add(ids[2*i+1], clause); err != nil {
			return err
		}
	}
	return c.reader.EndLine()
}
