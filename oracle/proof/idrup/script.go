package idrup

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// An EventKind says what an Event is.
type EventKind uint8

const (
	// Input is a clause that the client added.
	Input EventKind = iota + 1
	// Query is a question, with its assumptions.
	Query
	// Status is the answer: 10, 20 or 0, as the only literal.
	Status
	// Values are literals that are true in the solution.
	Values
	// Failed are assumptions in the core.
	Failed
	// NotFailed are assumptions outside of the core.
	NotFailed
)

// AnyStatus is the status of an unknown answer.
const AnyStatus = -1

// String returns the kind in a word or two.
func (k EventKind) String() string {
	return [...]string{"?", "clause", "query", "status", "values", "core", "literals outside of the core"}[k]
}

// An Event is something that the client asked or the solver answered.
type Event struct {
	Kind EventKind
	Lits []int32
}

// A script compares the proof with what client and solver said.
type script struct {
	events []Event
	next   int
	isSet  bool
}

// expect takes the next clause, query or status.
func (s *script) expect(kind EventKind, lits []int32) error {
	if !s.isSet {
		return nil
	}
	if s.next == len(s.events) {
		return read.Errorf(read.Different, "the trace has no further %v", kind)
	}
	e := s.events[s.next]
	if e.Kind != kind {
		return read.Errorf(read.Different, "a %v, where the trace has a %v", kind, e.Kind)
	}
	s.next++
	if kind == Status {
		if e.Lits[0] != AnyStatus && lits[0] != e.Lits[0] {
			return read.Errorf(read.Contradicting, "the status is %d, but the solver answered %d", lits[0], e.Lits[0])
		}
		return nil
	}
	if !read.SameLiterals(lits, e.Lits) {
		return read.Errorf(read.Different, "%v %v, where the trace has %v", kind, lits, e.Lits)
	}
	return nil
}

// facts calls f for every event that tells more about the last answer.
func (s *script) facts(f func(Event) error) error {
	for s.next < len(s.events) && s.events[s.next].Kind >= Values {
		if err := f(s.events[s.next]); err != nil {
			return err
		}
		s.next++
	}
	return nil
}

// end returns an error if the proof lacks an answer of the solver.
func (s *script) end() error {
	for _, e := range s.events[s.next:] {
		if e.Kind == Status && e.Lits[0] > 0 {
			return read.Errorf(read.Truncated, "the proof ends before the answer %d of the solver", e.Lits[0])
		}
	}
	return nil
}

// model compares a model with the clauses, the assumptions and the values that the solver gave.
func (c *checker) model() error {
	if len(c.trueLits) > 1<<20 {
		c.trueLits = nil
	}
	clear(c.trueLits)
	if c.trueLits == nil {
		c.trueLits = map[int32]bool{}
	}
	for _, lit := range c.lits {
		if c.trueLits[-lit] {
			return read.Errorf(read.Unjustified, "the model has %d and %d", -lit, lit)
		}
		c.trueLits[lit] = true
	}
	for _, lit := range c.query {
		if !c.trueLits[lit] {
			return read.Errorf(read.Unjustified, "the model does not satisfy the assumption %d", lit)
		}
	}
	start := 0
	for i, lit := range c.inputs {
		if lit != 0 {
			continue
		}
		clause := c.inputs[start:i]
		start = i + 1
		if !slices.ContainsFunc(clause, func(l int32) bool { return c.trueLits[l] || slices.Contains(clause, -l) }) {
			return read.Errorf(read.Unjustified, "the model does not satisfy the clause %v", clause)
		}
	}
	return c.script.facts(func(e Event) error {
		for _, lit := range e.Lits {
			if c.trueLits[-lit] {
				return read.Errorf(read.Contradicting, "the model has %d, but the solver gave %d", -lit, lit)
			}
		}
		return nil
	})
}

// core compares a core with the assumptions and with what the solver said about it.
func (c *checker) core() error {
	for _, lit := range c.lits {
		if !slices.Contains(c.query, lit) {
			return read.Errorf(read.Different, "the core has %d, which was not assumed", lit)
		}
	}
	return c.script.facts(func(e Event) error {
		for _, lit := range e.Lits {
			if slices.Contains(c.lits, lit) != (e.Kind == Failed) {
				return read.Errorf(read.Contradicting, "the core is %v, but the solver answered otherwise for %d",
					c.lits, lit)
			}
		}
		return nil
	})
}

func notExpected(letter byte, state string) error {
	return fmt.Errorf("a line %c %s", letter, state)
}
