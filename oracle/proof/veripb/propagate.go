package veripb

// mostVisits bounds the number of terms that propagation looks at: some seconds of work.
const mostVisits = 1_000_000_000

// A database has the constraints by their ids, from 1. Deleted ones are empty. What the constraints demand without any
// assumption stays assigned. Literals have dense numbers: twice that of the variable, plus one if negated.
type database struct {
	constraints []constraint
	possible    []uint64 // of each constraint: the sum of the terms that are not false
	largest     []uint64
	numbers     map[int32]int32 // of variables
	occurrences [][]occurrence  // of each literal
	isTrue      []bool
	trail       []int32
	done        int // number of literals of the trail that possible takes into account
	isFalse     bool
	visits      int64
}

type occurrence struct {
	constraint int32
	size       uint64
}

func newDatabase() database { return database{numbers: make(map[int32]int32)} }

func (d *database) number(lit int32) int32 {
	v := max(lit, -lit)
	n, isKnown := d.numbers[v]
	if !isKnown {
		n = int32(len(d.numbers))
		d.numbers[v] = n
		d.occurrences = append(d.occurrences, nil, nil)
		d.isTrue = append(d.isTrue, false, false)
	}
	if lit < 0 {
		return 2*n + 1
	}
	return 2 * n
}

func (d *database) holdsTrue(lit int32) bool { return d.isTrue[d.number(lit)] }

// add adds a constraint and assigns what it demands.
func (d *database) add(c constraint) {
	at := len(d.constraints)
	largest := uint64(0)
	for i := range c.terms {
		t := &c.terms[i]
		t.number = d.number(t.lit)
		d.occurrences[t.number] = append(d.occurrences[t.number], occurrence{int32(at), t.size})
		largest = max(largest, t.size)
	}
	possible := c.sum
	for _, lit := range d.trail[:d.done] {
		for _, t := range c.terms {
			if t.number == lit^1 {
				possible -= t.size
			}
		}
	}
	d.constraints = append(d.constraints, c)
	d.possible, d.largest = append(d.possible, possible), append(d.largest, largest)
	d.isFalse = d.isFalse || !d.examine(at) || !d.propagate()
}

// remove deletes a constraint and takes back what it demanded.
func (d *database) remove(at int) {
	for _, t := range d.constraints[at].terms {
		list := d.occurrences[t.number]
		for i := range list {
			if list[i].constraint == int32(at) {
				list[i] = list[len(list)-1]
				d.occurrences[t.number] = list[:len(list)-1]
				break
			}
		}
	}
	d.constraints[at], d.possible[at], d.largest[at] = constraint{isDeleted: true}, 0, 0
	d.undo(0)
	d.isFalse = false
	for i := range d.constraints {
		d.isFalse = d.isFalse || !d.examine(i)
	}
	d.isFalse = d.isFalse || !d.propagate()
}

func (d *database) assign(number int32) {
	d.isTrue[number] = true
	d.trail = append(d.trail, number)
}

// undo takes back all assignments but the first keep.
func (d *database) undo(keep int) {
	for len(d.trail) > keep {
		lit := d.trail[len(d.trail)-1]
		d.trail = d.trail[:len(d.trail)-1]
		d.isTrue[lit] = false
		if d.done > len(d.trail) {
			d.done = len(d.trail)
			for _, o := range d.occurrences[lit^1] {
				d.possible[o.constraint] += o.size
			}
		}
	}
}

// examine assigns what a constraint demands. It returns false if the constraint cannot hold any more.
func (d *database) examine(at int) bool {
	c, possible := &d.constraints[at], d.possible[at]
	switch {
	case possible < c.degree:
		return false
	case d.largest[at] <= possible-c.degree:
		return true
	}
	d.visits += int64(len(c.terms))
	for _, t := range c.terms {
		if t.size > possible-c.degree && !d.isTrue[t.number] && !d.isTrue[t.number^1] {
			d.assign(t.number)
		}
	}
	return true
}

// propagate assigns what follows. It returns false if a constraint cannot hold any more.
func (d *database) propagate() bool {
	for d.done < len(d.trail) {
		lit := d.trail[d.done]
		d.done++
		list := d.occurrences[lit^1]
		d.visits += int64(len(list))
		for _, o := range list {
			d.possible[o.constraint] -= o.size
		}
		for _, o := range list {
			if !d.examine(int(o.constraint)) {
				return false
			}
		}
	}
	return true
}

// follows reports whether unit propagation shows that the negation of a constraint contradicts the database. The
// negation says that the sum of the negated terms is above the sum of all terms minus the degree.
func (d *database) follows(c *constraint) bool {
	if c.degree == 0 || d.isFalse {
		return true
	}
	keep := len(d.trail)
	defer d.undo(keep)
	for i := range c.terms {
		c.terms[i].number = d.number(c.terms[i].lit)
	}
	for known := -1; known != len(d.trail); {
		known = len(d.trail)
		still := c.sum // of the negated terms
		for _, t := range c.terms {
			if d.isTrue[t.number] {
				still -= t.size
			}
		}
		if c.isContradiction() {
			still = 1 // the negation holds for all values
		} else if least := c.sum - c.degree + 1; still < least {
			return true
		} else {
			for _, t := range c.terms {
				if t.size > still-least && !d.isTrue[t.number] && !d.isTrue[t.number^1] {
					d.assign(t.number ^ 1)
				}
			}
		}
		if !d.propagate() {
			return true
		}
	}
	return false
}

// followsFrom is follows for some constraints alone.
func (d *database) followsFrom(c *constraint, named []*constraint) bool {
	if c.degree == 0 {
		return true
	}
	if !c.isContradiction() { // the negation of a contradiction always holds
		negation := constraint{degree: c.sum - c.degree + 1, sum: c.sum}
		for _, t := range c.terms {
			negation.terms = append(negation.terms, term{lit: -t.lit, size: t.size})
		}
		named = append(named, &negation)
	}
	isTrue := make(map[int32]bool)
	for known := -1; known != len(isTrue); {
		known = len(isTrue)
		for _, n := range named {
			possible := n.sum
			for _, t := range n.terms {
				if isTrue[-t.lit] {
					possible -= t.size
				}
			}
			d.visits += int64(len(n.terms))
			if possible < n.degree {
				return true
			}
			for _, t := range n.terms {
				if t.size > possible-n.degree && !isTrue[-t.lit] {
					isTrue[t.lit] = true
				}
			}
		}
	}
	return false
}

// solution assigns literals and what follows from them, and reports whether the constraints then hold for all values of
// the other variables. The caller must undo the assignments.
func (d *database) solution(lits []int32) bool {
	if d.isFalse {
		return false
	}
	for _, lit := range lits {
		number := d.number(lit)
		if d.isTrue[number^1] {
			return false
		}
		if !d.isTrue[number] {
			d.assign(number)
		}
	}
	if !d.propagate() {
		return false
	}
	for i := range d.constraints {
		c := &d.constraints[i]
		certain := uint64(0)
		for _, t := range c.terms {
			if d.isTrue[t.number] {
				certain += t.size
			}
		}
		d.visits += int64(len(c.terms))
		if certain < c.degree {
			return false
		}
	}
	return true
}
