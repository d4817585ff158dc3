// Package rup finds out by unit propagation whether clauses follow from others. Clauses may come and go in any
// order. The package keeps the root up to date: the literals that follow from the clauses without assumptions.
package rup

import (
	"errors"
	"math"

	"github.com/ipafuzz/ipafuzz/oracle/proof/spill"
)

// A Ref names a clause. 0 names none.
type Ref uint32

// A clause is its size, its flags, two links, and its literals. A literal is 2v for the v-th variable, plus 1 if it is
// negative. Propagation watches the first two literals, which On chooses anew.
const (
	sizeWord = iota
	flagWord
	nextWord // of unit clauses: the next of the same literal
	linkWord // the next of the same list of the index
	header
)

const (
	active    = 1 << iota // takes part in propagation
	core                  // a marked conflict needed it
	tautology             // has x and -x, so it never propagates
	watched0              // while inactive: the first literal still has an entry in a watch list
	watched1
	dead    // will never be active again
	indexed // is in the index
)

const mostWords = math.MaxUint32 - 1<<24

var errTooLarge = errors.New("the clauses have more than 2^32 literals")

type watch struct {
	clause  Ref
	blocker int32 // a literal of the clause: if it is true, propagation skips the clause
}

// Clauses is a set of clauses.
type Clauses struct {
	words   []int32
	spill   spill.Words
	garbage int

	firstDead Ref // the first dropped clause, or 0
	names     names

	value      []int8 // of a literal: 1 true, -1 false
	reason     []Ref  // of a variable
	place      []int32
	core       [][]watch
	rest       [][]watch
	units      []Ref // of a literal: the first unit clause of it
	mark       []uint32
	marks      uint32
	trail      []int32
	coreHead   int
	restHead   int
	conflict   Ref  // of the root
	isBroken   bool // propagation of the root must start again
	pending    []Ref
	occurs     [][]Ref
	counted    Ref // the clauses before this one are in occurs
	rootLength int // of trail, while something is assumed
	stack      []int32
	inner      []int32
	coreCount  int
	live       int
}

// New returns an empty set with room for so many words. Unused room costs no memory.
func New(words int) *Clauses {
	return &Clauses{words: make([]int32, header, header+max(0, words))}
}

// Shed returns memory to the system, if the clauses are in a file, because they are many.
func (c *Clauses) Shed() { c.spill.Shed() }

// Close frees the memory and the file of the clauses.
func (c *Clauses) Close() {
	c.words = nil
	c.spill.Close()
}

// Add adds a clause, without repeated literals, and returns its name. The clause is inactive.
func (c *Clauses) Add(lits []int32) (Ref, error) {
	if uint64(len(c.words)+header+len(lits)) > mostWords {
		return 0, errTooLarge
	}
	ref := Ref(len(c.words))
	flags := int32(0)
	c.words = append(c.spill.Room(c.words, header+len(lits)), 0, 0, 0, 0)
	stamp := c.newMark()
	for _, lit := range lits {
		l := c.literal(lit)
		if c.mark[l] == stamp {
			continue
		}
		if c.mark[l^1] == stamp {
			flags |= tautology
		}
		c.mark[l] = stamp
		c.words = append(c.words, l)
	}
	size := len(c.words) - int(ref) - header
	c.words[ref+sizeWord] = int32(size)
	c.words[ref+flagWord] = flags
	return ref, nil
}

func (c *Clauses) newMark() uint32 {
	c.marks++
	if c.marks == 0 {
		clear(c.mark)
		c.marks = 1
	}
	return c.marks
}

// literal returns the inner form of a literal.
func (c *Clauses) literal(lit int32) int32 {
	v := lit
	if lit < 0 {
		v = -lit
	}
	n := c.names.of(v)
	if int(n) == len(c.reason) {
		c.reason = append(c.reason, 0)
		c.place = append(c.place, 0)
		c.value = append(c.value, 0, 0)
		c.core = append(c.core, nil, nil)
		c.rest = append(c.rest, nil, nil)
		c.units = append(c.units, 0, 0)
		c.mark = append(c.mark, 0, 0)
	}
	if lit < 0 {
		return 2*n + 1
	}
	return 2 * n
}

// outer is the inverse of literal.
func (c *Clauses) outer(l int32) int32 {
	v := c.names.names[l>>1]
	if l&1 != 0 {
		return -v
	}
	return v
}

func (c *Clauses) lits(ref Ref) []int32 {
	return c.words[ref+header:][:c.words[ref+sizeWord]]
}

// Literals appends the literals of a clause, in no order.
func (c *Clauses) Literals(ref Ref, lits []int32) []int32 {
	for _, l := range c.lits(ref) {
		lits = append(lits, c.outer(l))
	}
	return lits
}

func (c *Clauses) is(ref Ref, flag int32) bool { return c.words[ref+flagWord]&flag != 0 }

// IsCore reports whether a marked conflict needed the clause.
func (c *Clauses) IsCore(ref Ref) bool { return c.is(ref, core) }

// CoreCount returns the number of clauses that marked conflicts needed.
func (c *Clauses) CoreCount() int { return c.coreCount }

// Size returns the number of literals of a clause.
func (c *Clauses) Size(ref Ref) int { return int(c.words[ref+sizeWord]) }

// names numbers the variables in order of first occurrence. An array has the small ones, a map the others.
type names struct {
	dense  []int32 // 1 + the number; 0: none
	sparse map[int32]int32
	names  []int32
}

func (n *names) of(variable int32) int32 {
	if int(variable) < len(n.dense) {
		if number := n.dense[variable]; number > 0 {
			return number - 1
		}
	} else if int(variable) < 8*len(n.names)+1<<16 {
		for len(n.dense) <= int(variable) {
			n.dense = append(n.dense, n.sparse[int32(len(n.dense))])
		}
		return n.of(variable)
	} else if number := n.sparse[variable]; number > 0 {
		return number - 1
	}
	n.names = append(n.names, variable)
	if int(variable) < len(n.dense) {
		n.dense[variable] = int32(len(n.names))
	} else {
		if n.sparse == nil {
			n.sparse = map[int32]int32{}
		}
		n.sparse[variable] = int32(len(n.names))
	}
	return int32(len(n.names)) - 1
}
