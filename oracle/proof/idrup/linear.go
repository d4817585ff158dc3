package idrup

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof/lrat"
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// linear is the logic of LIDRUP.
type linear struct {
	set   *lrat.Set
	aside map[int64][]int32
	ids   []int64
}

func newLinear() *linear { return &linear{set: lrat.NewSet(), aside: map[int64][]int32{}} }

func (l *linear) close() { l.set.Close() }

func (l *linear) clause(c *checker) (id int64, err error) {
	if id, err = c.reader.ID("an id"); err != nil {
		return 0, err
	}
	if id == 0 {
		return 0, fmt.Errorf("the id of a clause is 0")
	}
	c.lits, err = c.reader.Literals(c.lits[:0])
	return id, err
}

func (l *linear) add(id int64, lits []int32) error {
	if _, isAside := l.aside[id]; isAside {
		return fmt.Errorf("clause %d is set aside", id)
	}
	return l.set.Add(id, lits)
}

func (l *linear) input(c *checker) error {
	id, err := l.clause(c)
	if err != nil {
		return err
	}
	return l.add(id, c.lits)
}

func (l *linear) lemma(c *checker) error {
	id, err := l.clause(c)
	if err != nil {
		return err
	}
	if l.ids, err = c.reader.IDs("a hint", l.ids[:0]); err != nil {
		return err
	}
	if !c.isInconsistent {
		if err := l.set.Implied(c.lits, l.ids); err != nil {
			return fmt.Errorf("clause %d: %w", id, err)
		}
	}
	return l.add(id, c.lits)
}

func (l *linear) remove(c *checker, letter byte) (err error) {
	if l.ids, err = c.reader.IDs("an id", l.ids[:0]); err != nil {
		return err
	}
	for _, id := range l.ids {
		if letter == 'r' {
			clause, isAside := l.aside[id]
			if !isAside {
				return read.Errorf(read.Unjustified, "clause %d is not set aside", id)
			}
			delete(l.aside, id)
			if err := l.set.Add(id, clause); err != nil {
				return err
			}
			continue
		}
		clause, err := l.set.Find(id)
		if err != nil {
			return err
		}
		if letter == 'w' {
			l.aside[id] = slices.Clone(clause)
		}
		if err := l.set.Delete(id); err != nil {
			return err
		}
	}
	return nil
}

func (l *linear) core(c *checker) (err error) {
	if c.lits, err = c.reader.Literals(c.lits[:0]); err != nil {
		return err
	}
	if l.ids, err = c.reader.IDs("a hint", l.ids[:0]); err != nil {
		return err
	}
	if !c.isInconsistent {
		if err := l.set.Conflict(c.lits, l.ids); err != nil {
			return fmt.Errorf("the core %v: %w", c.lits, err)
		}
	}
	return c.core()
}
