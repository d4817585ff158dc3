// Package atmost encodes an upper bound on the cost as clauses.
//
// Unit clauses forbid literals that exceed the bound on their own. For the others, a totalizer (totalizer.go)
// lists the possible sums if there are few. Otherwise, adders (adder.go) add them in binary.
package atmost

import (
	"errors"
	"math"
	"math/bits"
)

// A Term is a literal and the cost of making it true.
type Term struct {
	Lit    int32
	Weight uint64
}

// mostDigits bounds the number of binary ones in all weights. Each needs an adder, some 90 numbers in the
// clauses: 50 MB in all.
const mostDigits = 1 << 17

// ErrTooLarge reports that there would be too many clauses or variables. Append has added nothing.
var ErrTooLarge = errors.New("atmost: too many weights")

// Append adds clauses, each ending with a 0. An assignment of the terms extends to one that fulfils these clauses
// if and only if it costs at most bound. Append numbers its own variables from next on and returns the first
// unused number. The sum of the weights may be 2^64 or more.
//
// Append uses a totalizer if that has at most totalizerClauses clauses. A totalizer shortens the refutation of a
// bound, but takes time to write and to read.
func Append(clauses []int32, terms []Term, bound uint64, next int32, totalizerClauses int) ([]int32, int32, error) {
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
	digits := 0
	for i := range affordable {
		affordable[i].Weight /= common
		digits += bits.OnesCount64(affordable[i].Weight)
	}
	bound /= common
	// An adder turns three digits into two, so there is at most one for each digit, and one of two digits at
	// each place. Each has two variables. A totalizer has fewer variables than clauses.
	if digits > mostDigits || int64(next)+2*int64(digits+66)+int64(totalizerClauses) > math.MaxInt32 {
		return clauses, next, ErrTooLarge
	}
	if root := totalizer(affordable, bound, totalizerClauses); root != nil {
		e.count(root, bound)
		e.forbid(root, bound)
	} else {
		e.compare(e.sum(affordable), bound)
	}
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
