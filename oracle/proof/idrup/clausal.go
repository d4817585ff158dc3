package idrup

import (
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
	"github.com/ipafuzz/ipafuzz/oracle/proof/rup"
)

// clausal is the logic of IDRUP.
type clausal struct {
	clauses *rup.Clauses
	index   rup.Index // of all clauses, including those that are set aside
}

func newClausal() *clausal { return &clausal{clauses: rup.New(0)} }

func (l *clausal) close() { l.clauses.Close() }

func (l *clausal) literals(c *checker) (err error) {
	c.lits, err = c.reader.Literals(c.lits[:0])
	return err
}

func (l *clausal) add(lits []int32, isInput bool) error {
	ref, err := l.clauses.Add(lits)
	if err == nil {
		l.clauses.On(ref)
		l.index.Insert(l.clauses, ref)
	}
	return err
}

func (l *clausal) input(c *checker) error {
	if err := l.literals(c); err != nil {
		return err
	}
	return l.add(c.lits, true)
}

func (l *clausal) lemma(c *checker) error {
	if err := l.literals(c); err != nil {
		return err
	}
	if !c.isInconsistent {
		follows := l.clauses.Follows(c.lits, false)
		l.clauses.Done()
		if !follows {
			return read.Errorf(read.Unjustified, "the lemma %v does not follow by unit propagation", c.lits)
		}
		c.isInconsistent = l.clauses.Root() != 0
	}
	return l.add(c.lits, false)
}

func (l *clausal) remove(c *checker, letter byte) error {
	if err := l.literals(c); err != nil {
		return err
	}
	if letter == 'r' {
		aside := l.clauses.FindOff(&l.index, c.lits)
		if aside == 0 {
			return read.Errorf(read.Unjustified, "no clause %v is set aside", c.lits)
		}
		l.clauses.On(aside)
		return nil
	}
	found := l.clauses.Find(&l.index, c.lits)
	switch {
	case found == 0 && l.clauses.FindOff(&l.index, c.lits) != 0:
		return read.Errorf(read.Unjustified, "the clause %v is set aside", c.lits)
	case found == 0:
		return read.Errorf(read.Unjustified, "there is no clause %v", c.lits)
	case letter == 'w':
		l.clauses.Off(found)
		return nil
	}
	l.index.Remove(l.clauses, found)
	l.clauses.Drop(found)
	l.clauses.Collect(&l.index)
	return nil
}

func (l *clausal) core(c *checker) error {
	if err := l.literals(c); err != nil {
		return err
	}
	if !c.isInconsistent && !l.clauses.Contradicts(c.lits) {
		return read.Errorf(read.Unjustified, "the core %v does not lead to a conflict", c.lits)
	}
	return c.core()
}
