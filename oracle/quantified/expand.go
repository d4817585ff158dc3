package quantified

import (
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// An expander replaces universal variables with all their assignments. For every assignment, it adds the clauses
// that the assignment does not fulfil, over copies of the existential variables: one copy for each assignment of
// the universal variables outside. The formula is true if and only if these clauses have a solution. With fewer
// assignments, a solution is only a necessary condition.
type expander struct {
	universal []int32     // in the order of the prefix
	place     qbf.Numbers // the index of each in universal
	before    qbf.Numbers // for each existential variable, the number of universal ones outside
	copies    map[copyOf]int32
}

// A copyOf is an existential variable and the assignment that the copy is for: one bit for each universal variable
// outside.
type copyOf struct {
	variable int32
	at       uint64
}

const (
	fewUniversals = 16      // so many universal variables get all assignments, if the expansion is not too large
	mostLiterals  = 1 << 18 // of an expansion
	fewAssigned   = 32      // assignments that more variables get; they may show that a formula is false
)

func (e *expander) begin(f *qbf.Formula) {
	e.universal = e.universal[:0]
	e.place.Reset()
	e.before.Reset()
	for i := range f.Prefix {
		for _, v := range f.Prefix[i].Vars {
			if f.Prefix[i].Universal {
				e.place.Set(v, int32(len(e.universal)))
				e.universal = append(e.universal, v)
			} else {
				e.before.Set(v, int32(len(e.universal)))
			}
		}
	}
	if e.copies == nil {
		e.copies = make(map[copyOf]int32)
	}
	clear(e.copies)
}

// append appends the clauses for one assignment of the universal variables, of which only the first 64 can be
// true. It reports whether one of the clauses is empty.
func (e *expander) append(clauses []int32, f *qbf.Formula, assignment uint64) ([]int32, bool) {
next:
	for _, clause := range f.Clauses {
		begin := len(clauses)
		for _, l := range clause {
			v := variable(l)
			if u := e.place.Of(v); u >= 0 {
				if (u < 64 && assignment>>u&1 == 1) == (l > 0) {
					clauses = clauses[:begin]
					continue next
				}
				continue
			}
			c := copyOf{variable: v}
			if outside := e.before.Of(v); outside > 0 {
				c.at = assignment & (1<<min(outside, 64) - 1)
			}
			number, known := e.copies[c]
			if !known {
				number = int32(len(e.copies) + 1)
				e.copies[c] = number
			}
			if l < 0 {
				number = -number
			}
			clauses = append(clauses, number)
		}
		if len(clauses) == begin {
			return clauses, true
		}
		clauses = append(clauses, 0)
	}
	return clauses, false
}

// expanded decides the simplified formula by expansion.
func (d *Decider) expanded() Verdict {
	if d.reference == nil || d.err != nil {
		return Verdict{}
	}
	f := &d.simple.rest
	d.expand.begin(f)
	n, size := len(d.expand.universal), 0
	for _, clause := range f.Clauses {
		size += len(clause) + 1
	}
	if n <= fewUniversals && size<<n <= mostLiterals {
		return Verdict{d.ask(f, allAssignments(n)), byExpanding, n}
	}
	if size > mostLiterals {
		return Verdict{}
	}
	if d.ask(f, d.someAssignments(n, mostLiterals/size)) == False {
		return Verdict{False, byExpanding, n}
	}
	if d.askWithout() == True {
		return Verdict{True, byExpanding, n}
	}
	return Verdict{}
}

func allAssignments(n int) []uint64 {
	all := make([]uint64, 1<<n)
	for i := range all {
		all[i] = uint64(i)
	}
	return all
}

// someAssignments returns assignments that are likely to show that a formula is false: all variables false, all
// true, and some pseudo-random ones, which are the same on every machine.
func (d *Decider) someAssignments(n, most int) []uint64 {
	some := []uint64{0}
	x := uint64(n)
	for mask := ^uint64(0); len(some) < min(fewAssigned, most); {
		some = append(some, mask)
		x += 0x9e3779b97f4a7c15 // splitmix64
		mask = x
		mask = (mask ^ mask>>30) * 0xbf58476d1ce4e5b9
		mask = (mask ^ mask>>27) * 0x94d049bb133111eb
		mask ^= mask >> 31
	}
	return some
}

// ask asks the reference about an expansion.
func (d *Decider) ask(f *qbf.Formula, assignments []uint64) Truth {
	p := &d.problem
	p.Reset()
	clear(d.expand.copies)
	for _, assignment := range assignments {
		var empty bool
		if p.Clauses, empty = d.expand.append(p.Clauses, f, assignment); empty {
			return False
		}
	}
	return d.refer()
}

// askWithout asks about the clauses without their universal literals. A solution of these is a strategy that works
// for all values of the universal variables.
func (d *Decider) askWithout() Truth {
	p := &d.problem
	p.Reset()
	for _, clause := range d.simple.rest.Clauses {
		for _, l := range clause {
			if d.expand.place.Of(variable(l)) < 0 {
				p.Clauses = append(p.Clauses, l)
			}
		}
		p.Clauses = append(p.Clauses, 0)
	}
	return d.refer()
}

func (d *Decider) refer() Truth {
	answer, err := d.reference.Solve(&d.problem)
	if err != nil {
		d.err = err
		return Unknown
	}
	switch answer.Status {
	case reference.Satisfiable:
		return True
	case reference.Unsatisfiable:
		return False
	}
	return Unknown
}
