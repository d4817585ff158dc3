// Package atmost says "the cost is at most so much" in clauses.
//
// The weights of the literals that are true are added up in binary, by the
// adders of school arithmetic, and the sum is compared with the bound digit by
// digit. That takes a number of clauses linear in the number of binary digits
// of the weights, whatever they are. What it does not do is propagate well: of
// a few large weights it knows late that they are too much together. So
// literals that are dearer than the bound on their own are forbidden at once.
package atmost

import (
	"errors"
	"math"
	"math/bits"
)

// A Term is what it costs to set a literal true.
type Term struct {
	Lit    int32
	Weight uint64
}

// ErrTooLarge says that there are not enough variable numbers.
var ErrTooLarge = errors.New("atmost: not enough variables")

// Append adds clauses, each with a 0 at its end, that the assignments of cost
// bound and less, and no others, can be extended to fulfil. Its own variables
// are numbered from next on; it returns the first number that is left. Neither
// weights nor their sum have to be in any range.
func Append(clauses []int32, terms []Term, bound uint64, next int32) ([]int32, int32, error) {
	// A full adder takes three digits and gives two, so each digit of a weight
	// costs one adder and two variables at most; carries may go one place higher.
	if next < 1 || int64(len(terms)) > (math.MaxInt32-int64(next))/132 {
		return clauses, next, ErrTooLarge
	}
	e := encoder{clauses: clauses, next: next}
	affordable := make([]Term, 0, len(terms))
	common, sum, tooMuch := uint64(0), uint64(0), false
	for _, t := range terms {
		switch {
		case t.Weight > bound:
			e.add(-t.Lit)
		case t.Weight > 0:
			affordable = append(affordable, t)
			common = gcd(common, t.Weight)
			var carry uint64
			sum, carry = bits.Add64(sum, t.Weight, 0)
			tooMuch = tooMuch || carry != 0
		}
	}
	if !tooMuch && sum <= bound {
		return e.clauses, e.next, nil
	}
	for i := range affordable {
		affordable[i].Weight /= common
	}
	e.compare(e.sum(affordable), bound/common)
	return e.clauses, e.next, nil
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

type encoder struct {
	clauses []int32
	next    int32
}

func (e *encoder) add(literals ...int32) {
	e.clauses = append(append(e.clauses, literals...), 0)
}

func (e *encoder) variable() int32 {
	e.next++
	return e.next - 1
}

// sum returns the binary digits of the cost, the lowest first; 0 stands for a
// digit that is always 0.
func (e *encoder) sum(terms []Term) (digits []int32) {
	var column, carries []int32 // what is to be added at one place, and at the next
	for place := 0; ; place++ {
		column, carries = carries, column[:0]
		more := false
		for _, t := range terms {
			if place < 64 && t.Weight>>place != 0 {
				more = true
				if t.Weight>>place&1 != 0 {
					column = append(column, t.Lit)
				}
			}
		}
		if !more && len(column) == 0 {
			return digits
		}
		// First come, first served makes a tree of adders, not a chain.
		for len(column) > 1 {
			inputs := min(3, len(column))
			sum, carry := e.adder(column[:inputs])
			column = append(column[inputs:], sum)
			carries = append(carries, carry)
		}
		digit := int32(0)
		if len(column) == 1 {
			digit = column[0]
		}
		digits = append(digits, digit)
	}
}

// adder adds two or three digits of one place.
func (e *encoder) adder(in []int32) (sum, carry int32) {
	sum, carry = e.variable(), e.variable()
	a, b := in[0], in[1]
	if len(in) == 2 {
		e.add(a, b, -sum)
		e.add(-a, -b, -sum)
		e.add(a, -b, sum)
		e.add(-a, b, sum)
		e.add(-a, -b, carry)
		e.add(a, -carry)
		e.add(b, -carry)
		return sum, carry
	}
	c := in[2]
	e.add(a, b, c, -sum)
	e.add(a, -b, -c, -sum)
	e.add(-a, b, -c, -sum)
	e.add(-a, -b, c, -sum)
	e.add(-a, -b, -c, sum)
	e.add(-a, b, c, sum)
	e.add(a, -b, c, sum)
	e.add(a, b, -c, sum)
	e.add(-a, -b, carry)
	e.add(-a, -c, carry)
	e.add(-b, -c, carry)
	e.add(a, b, -carry)
	e.add(a, c, -carry)
	e.add(b, c, -carry)
	return sum, carry
}

// compare demands that the number with these digits is at most the bound: a 1
// where the bound has a 0 needs a 0 at a higher place where the bound has a 1.
func (e *encoder) compare(digits []int32, bound uint64) {
	var excuses []int32
	for place := len(digits) - 1; place >= 0; place-- {
		isOne := place < 64 && bound>>place&1 != 0
		switch digit := digits[place]; {
		case isOne && digit == 0:
			return // whatever follows, the number is smaller
		case isOne:
			excuses = append(excuses, -digit)
		case digit != 0:
			e.clauses = append(e.clauses, -digit)
			e.add(excuses...)
		}
	}
}
