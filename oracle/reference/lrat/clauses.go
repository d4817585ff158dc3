package lrat

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// clauses are the clauses of the formula and of the proof, by their ids. The ids of the formula are
// positions; those of the proof only grow, so a sorted list finds them.
type clauses struct {
	formula []int32
	ends    []int32 // of each clause of the formula, where its 0 is
	deleted []bool  // of the formula

	lemmas   []lemma
	literals []int32 // of the lemmas
}

type lemma struct {
	id         int64
	start, end int // in literals; deleted: start is -1
}

var errOpen = errors.New("formula: the last clause does not end with a 0")

func (cs *clauses) reset(formula []int32) error {
	if len(formula) > math.MaxInt32 {
		return errors.New("formula: has more than 2^31 numbers")
	}
	cs.formula = formula
	cs.ends = cs.ends[:0]
	for i, literal := range formula {
		switch literal {
		case 0:
			cs.ends = append(cs.ends, int32(i))
		case math.MinInt32:
			return fmt.Errorf("formula: %d is not a literal", literal)
		}
	}
	if len(formula) > 0 && formula[len(formula)-1] != 0 {
		return errOpen
	}
	cs.deleted = slices.Grow(cs.deleted[:0], len(cs.ends))[:len(cs.ends)]
	clear(cs.deleted)
	cs.lemmas, cs.literals = cs.lemmas[:0], cs.literals[:0]
	return nil
}

func (cs *clauses) lastID() int64 {
	if len(cs.lemmas) > 0 {
		return cs.lemmas[len(cs.lemmas)-1].id
	}
	return int64(len(cs.ends))
}

func (cs *clauses) add(id int64, literals []int32) {
	start := len(cs.literals)
	cs.literals = append(cs.literals, literals...)
	cs.lemmas = append(cs.lemmas, lemma{id, start, len(cs.literals)})
}

func (cs *clauses) find(id int64) ([]int32, error) {
	if id >= 1 && id <= int64(len(cs.ends)) {
		if cs.deleted[id-1] {
			return nil, fmt.Errorf("clause %d was deleted", id)
		}
		start := int32(0)
		if id > 1 {
			start = cs.ends[id-2] + 1
		}
		return cs.formula[start:cs.ends[id-1]], nil
	}
	l, err := cs.findLemma(id)
	if err != nil {
		return nil, err
	}
	return cs.literals[l.start:l.end], nil
}

func (cs *clauses) findLemma(id int64) (*lemma, error) {
	// Mostly there are no gaps.
	i := id - int64(len(cs.ends)) - 1
	if i < 0 || i >= int64(len(cs.lemmas)) || cs.lemmas[i].id != id {
		at, found := slices.BinarySearchFunc(cs.lemmas, id, func(l lemma, id int64) int {
			if l.id < id {
				return -1
			} else if l.id > id {
				return 1
			}
			return 0
		})
		if !found {
			return nil, fmt.Errorf("there is no clause %d", id)
		}
		i = int64(at)
	}
	if cs.lemmas[i].start < 0 {
		return nil, fmt.Errorf("clause %d was deleted", id)
	}
	return &cs.lemmas[i], nil
}

// delete forgets a clause. Its memory is freed with the proof's.
func (cs *clauses) delete(id int64) error {
	if _, err := cs.find(id); err != nil {
		return err
	}
	if id <= int64(len(cs.ends)) {
		cs.deleted[id-1] = true
		return nil
	}
	l, err := cs.findLemma(id)
	if err == nil {
		l.start = -1
	}
	return err
}
