package lrat

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
	"github.com/ipafuzz/ipafuzz/oracle/proof/spill"
)

// A Set holds the clauses that hints may name, by their ids. It forgets deleted clauses.
type Set struct {
	last   int64 // the highest id so far
	strict bool

	hasEmpty bool    // the empty clause was added once
	words    []int32 // for each clause: its size, two halves of its id, its literals
	spill    spill.Words
	garbage  int     // words of deleted clauses
	dense    []int32 // by id: 1 + the index in words; 0: no clause, -1: a deleted one
	sparse   map[int64]int32
	occurs   map[int32][]int64 // ids by literal, deleted ones included; nil before the first RAT lemma

	values   values
	assigned []int32
	covered  map[int64]bool
}

const header = 3

// leastGarbage is the number of words of deleted clauses from which on collect is worthwhile.
var leastGarbage = 1 << 20

var errOpen = errors.New("formula: the last clause does not end with a 0")

// NewSet returns an empty set.
func NewSet() *Set {
	s := &Set{}
	s.reset(nil, false)
	return s
}

func (s *Set) reset(formula []int32, isStrict bool) {
	s.last, s.garbage, s.strict, s.hasEmpty = 0, 0, isStrict, false
	s.Close()
	s.words, s.dense = s.words[:0], s.dense[:0]
	s.sparse, s.occurs = nil, nil
	s.values.reset(formula)
}

// Close removes the file of the clauses and forgets them, if they are in a file.
func (s *Set) Close() {
	if s.spill.IsInFile() {
		s.words = nil
	}
	s.spill.Close()
}

func (s *Set) addFormula(formula []int32) error {
	if len(formula) > math.MaxInt32/2 {
		return errors.New("formula: has more than 2^30 numbers")
	}
	s.words = slices.Grow(s.words, 2*len(formula))
	start := 0
	for i, literal := range formula {
		switch literal {
		case 0:
			if err := s.Add(s.last+1, formula[start:i]); err != nil {
				return err
			}
			start = i + 1
		case math.MinInt32:
			return fmt.Errorf("formula: %d is not a literal", literal)
		}
	}
	if start != len(formula) {
		return errOpen
	}
	return nil
}

// Add adds a clause. It does not check whether the clause follows.
func (s *Set) Add(id int64, literals []int32) error {
	if s.at(id) > 0 {
		return fmt.Errorf("id %d is in use", id)
	}
	if s.garbage > leastGarbage && s.garbage > len(s.words)/2 {
		s.collect()
	}
	at := len(s.words)
	if at+header+len(literals) >= math.MaxInt32 {
		return errors.New("the clauses have more than 2^31 literals")
	}
	s.words = append(s.spill.Room(s.words, header+len(literals)), int32(len(literals)), int32(id>>32), int32(uint32(id)))
	s.words = append(s.words, literals...)
	s.put(id, int32(at)+1)
	s.last = max(s.last, id)
	s.hasEmpty = s.hasEmpty || len(literals) == 0
	if s.occurs != nil {
		s.occur(id, literals)
	}
	return nil
}

func (s *Set) at(id int64) int32 {
	if id >= 0 && id < int64(len(s.dense)) {
		return s.dense[id]
	}
	return s.sparse[id]
}

// put sets what at returns. A list has the values of ids without large gaps, a map the others.
func (s *Set) put(id int64, at int32) {
	switch {
	case id >= 0 && id < int64(len(s.dense)):
		s.dense[id] = at
	case id >= 0 && id < 4*int64(len(s.dense))+1024:
		for int64(len(s.dense)) < id {
			s.dense = append(s.dense, s.sparse[int64(len(s.dense))])
		}
		s.dense = append(s.dense, at)
	default:
		if s.sparse == nil {
			s.sparse = map[int64]int32{}
		}
		s.sparse[id] = at
	}
}

// Find returns the literals of a clause. They are valid until the next Add.
func (s *Set) Find(id int64) ([]int32, error) {
	switch at := s.at(id); {
	case at > 0:
		return s.words[at-1+header:][:s.words[at-1]], nil
	case at < 0:
		return nil, read.Errorf(read.Unjustified, "clause %d was deleted", id)
	}
	return nil, read.Errorf(read.Unjustified, "there is no clause %d", id)
}

// Delete forgets a clause.
func (s *Set) Delete(id int64) error {
	literals, err := s.Find(id)
	if err != nil {
		return err
	}
	s.words[s.at(id)-1] = -int32(len(literals)) - 1
	s.garbage += header + len(literals)
	s.put(id, -1)
	return nil
}

// Each calls f for every clause until it returns false.
func (s *Set) Each(f func(id int64, literals []int32) bool) {
	for at := 0; at < len(s.words); {
		size := s.words[at]
		if size < 0 {
			at += header + int(-size-1)
			continue
		}
		id := int64(s.words[at+1])<<32 | int64(uint32(s.words[at+2]))
		if !f(id, s.words[at+header:][:size]) {
			return
		}
		at += header + int(size)
	}
}

// collect frees the words of deleted clauses: it moves the others together.
func (s *Set) collect() {
	to := 0
	for at := 0; at < len(s.words); {
		size := s.words[at]
		if size < 0 {
			at += header + int(-size-1)
			continue
		}
		length := header + int(size)
		id := int64(s.words[at+1])<<32 | int64(uint32(s.words[at+2]))
		copy(s.words[to:], s.words[at:at+length])
		s.put(id, int32(to)+1)
		to += length
		at += length
	}
	s.words, s.garbage = s.words[:to], 0
}

func (s *Set) occur(id int64, literals []int32) {
	for _, literal := range literals {
		s.occurs[literal] = append(s.occurs[literal], id)
	}
}

// containing returns the ids of the clauses with the literal. Some may be those of deleted clauses.
func (s *Set) containing(literal int32) []int64 {
	if s.occurs == nil {
		s.occurs = map[int32][]int64{}
		s.Each(func(id int64, literals []int32) bool {
			s.occur(id, literals)
			return true
		})
	}
	return s.occurs[literal]
}
