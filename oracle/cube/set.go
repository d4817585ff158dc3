// Package cube searches all assignments of a few variables at once, 64 in a machine word. A
// Set holds the assignments that satisfy some clauses, Costs find the cheapest of them, and
// Fold quantifies variables. A Budget bounds the work by words instead of time, so that
// every machine gets the same answers.
package cube

import (
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/internal/reuse"
)

// A Set is a set of assignments of a few variables, its dimensions. It has one bit for each assignment, so
// 64 assignments in a word. The lowest six dimensions lie inside a word, the others are the bits of the
// word's index. A set of fewer than six dimensions has one word, which holds every assignment several
// times. That does no harm and avoids a special case.
//
// A large set takes its words only when something reads them: most large formulas get so many variables that
// nobody ever does.
type Set struct {
	dims  int
	words []uint64
	late  []removal // have not been done yet
}

// A removal removes the assignments of a condition from a set when it has that many dimensions.
type removal struct {
	condition Condition
	dims      int
}

// promptDims is the number of dimensions from which on a set grows late.
const promptDims = 12

// Dims returns the number of dimensions.
func (c *Set) Dims() int { return c.dims }

// Words returns how many words a pass over the set takes.
func (c *Set) Words() int {
	if len(c.words) == 0 { // nobody has reset it
		return 0
	}
	return wordsOf(c.dims)
}

func wordsOf(dims int) int { return 1 << max(0, dims-wordDims) }

const wordDims = 6

// inWord are the assignments of a word in which dimension d is true.
var inWord = [wordDims]uint64{
	0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
	0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000,
}

// Reset makes c the set of all assignments of no variables.
func (c *Set) Reset() {
	c.dims = 0
	c.words = append(reuse.Empty(c.words), ^uint64(0))
	c.late = reuse.Empty(c.late)
}

// Grow adds a dimension that nothing constrains.
func (c *Set) Grow() {
	c.dims++
	if c.dims <= promptDims {
		c.grow(c.dims)
	}
}

func (c *Set) grow(dims int) {
	for len(c.words) < wordsOf(dims) {
		c.words = append(c.words, c.words...)
	}
}

// settle does what is late.
func (c *Set) settle() {
	if len(c.words) == c.Words() {
		return
	}
	c.words = slices.Grow(c.words, c.Words()-len(c.words))
	for i := range c.late {
		c.grow(c.late[i].dims)
		c.remove(&c.late[i].condition)
	}
	c.late = c.late[:0]
	c.grow(c.dims)
}

// Remove removes the assignments that fulfil the condition. To add a clause, remove the assignments that
// falsify all its literals.
func (c *Set) Remove(k *Condition) {
	switch {
	case k.never():
	case len(c.words) < c.Words():
		c.late = append(c.late, removal{*k, c.dims})
	default:
		c.remove(k)
	}
}

func (c *Set) remove(k *Condition) {
	free := uint32(len(c.words)-1) &^ k.care
	for s := uint32(0); ; {
		c.words[s|k.high] &^= k.low
		if s = (s - free) & free; s == 0 {
			return
		}
	}
}

// Has reports whether some assignment in the set fulfils the condition.
func (c *Set) Has(k *Condition) bool {
	if k.never() {
		return false
	}
	c.settle()
	free := uint32(len(c.words)-1) &^ k.care
	for s := uint32(0); ; {
		if c.words[s|k.high]&k.low != 0 {
			return true
		}
		if s = (s - free) & free; s == 0 {
			return false
		}
	}
}

// First returns an assignment in the set that fulfils the condition: bit d is the value of dimension d.
// There must be one, as Has reports.
func (c *Set) First(k *Condition) uint32 {
	c.settle()
	free := uint32(len(c.words)-1) &^ k.care
	for s := uint32(0); ; {
		if set := c.words[s|k.high] & k.low; set != 0 {
			return (s|k.high)<<wordDims | uint32(bits.TrailingZeros64(set))
		}
		if s = (s - free) & free; s == 0 {
			panic("cube: no assignment fulfils the condition")
		}
	}
}

// Count returns how many assignments are in the set.
func (c *Set) Count() uint64 {
	c.settle()
	n := uint64(0)
	for _, w := range c.words {
		n += uint64(bits.OnesCount64(w))
	}
	return n >> max(0, wordDims-c.dims) // a word of fewer dimensions holds each assignment several times
}

// A Condition is a conjunction of literals over the dimensions of a set.
type Condition struct {
	low   uint64 // the assignments of a word that fulfil the literals of its six dimensions
	care  uint32 // the bits of the word's index that the literals restrict ...
	high  uint32 // ... and their required values
	clash bool
}

// Anything returns the condition without literals, which every assignment fulfils.
func Anything() Condition { return Condition{low: ^uint64(0)} }

func (k *Condition) never() bool { return k.clash || k.low == 0 }

// Require adds the literal of a dimension, negated if sign is 1.
func (k *Condition) Require(dim int8, sign int) {
	if dim < wordDims {
		k.low &= inWord[dim] ^ -uint64(sign)
		return
	}
	bit := uint32(1) << (dim - wordDims)
	want := bit &^ -uint32(sign)
	if k.care&bit != 0 && k.high&bit != want {
		k.clash = true
	}
	k.care |= bit
	k.high |= want
}

// Contradict makes the condition one that no assignment fulfils.
func (k *Condition) Contradict() { k.clash = true }
