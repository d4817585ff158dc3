package veripb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

func unsupported(what string) error {
	return fmt.Errorf("%w: it has %s, which only VeriPB itself checks", read.ErrUnsupported, what)
}

// mostWords bounds the words of a step. Memory holds only one step of a proof, and the constraints.
const mostWords = 1 << 20

// A reader splits a proof into steps: words up to a semicolon.
type reader struct {
	in    *bufio.Reader
	line  int64 // the line of what follows
	start int64 // the first line of the step
	words []string
}

// next reads a step. At the end of the proof it returns io.EOF.
func (r *reader) next() error {
	var word strings.Builder
	r.words = r.words[:0]
	finish := func() {
		if word.Len() > 0 {
			if len(r.words) == 0 {
				r.start = r.line
			}
			r.words = append(r.words, word.String())
			word.Reset()
		}
	}
	for {
		b, err := r.in.ReadByte()
		switch {
		case err == io.EOF && (len(r.words) > 0 || word.Len() > 0):
			finish()
			return read.Errorf(read.Truncated, "the proof ends within a step")
		case err != nil:
			return err
		case len(r.words) == mostWords || word.Len() > mostWords:
			return unsupported("a step of a million words")
		}
		switch b {
		case ';':
			finish()
			return nil
		case ':':
			finish()
			word.WriteByte(':')
			finish()
		case '%':
			finish()
			if _, err := r.in.ReadString('\n'); err != nil && err != io.EOF {
				return err
			}
			r.line++
		case ' ', '\t', '\r':
			finish()
		case '\n':
			finish()
			r.line++
		default:
			word.WriteByte(b)
		}
	}
}

// literal reads x1 or ~x1. A proof that introduces variables has others, which it does not support.
func literal(word string) (int32, error) {
	positive, isNegative := strings.CutPrefix(word, "~")
	digits, ok := strings.CutPrefix(positive, "x")
	v, err := strconv.ParseInt(digits, 10, 32)
	switch {
	case !ok && len(positive) > 1:
		return 0, unsupported("the variable " + positive)
	case err != nil || v <= 0:
		return 0, fmt.Errorf("%q is not a literal", word)
	case isNegative:
		v = -v
	}
	return int32(v), nil
}

func literals(words []string) ([]int32, error) {
	lits := make([]int32, 0, len(words))
	for _, word := range words {
		lit, err := literal(word)
		if err != nil {
			return nil, err
		}
		lits = append(lits, lit)
	}
	return lits, nil
}

// mostCoefficient bounds coefficients, so that the sum of the terms of a step is below 2^63.
const mostCoefficient = 1 << 40

// readConstraint reads terms, >= and a number.
func readConstraint(words []string) (constraint, error) {
	net := map[int32]int64{} // of each variable
	var order []int32
	n := len(words) - 2
	if n < 0 || n%2 != 0 || words[n] != ">=" {
		return constraint{}, errors.New("want coefficients and literals, >= and a number")
	}
	degree, err := number(words[n+1])
	if err != nil {
		return constraint{}, err
	}
	for i := 0; i < n; i += 2 {
		size, err := number(words[i])
		if err != nil {
			return constraint{}, err
		}
		lit, err := literal(words[i+1])
		if err != nil {
			return constraint{}, err
		}
		if lit < 0 { // a ~x is a - a x
			lit, degree, size = -lit, degree-size, -size
		}
		if _, isKnown := net[lit]; !isKnown {
			order = append(order, lit)
		}
		net[lit] += size
	}
	c := constraint{}
	for _, v := range order {
		lit, size := v, net[v]
		if size < 0 {
			lit, size, degree = -v, -size, degree-size
		}
		if size != 0 {
			c.terms = append(c.terms, term{lit: lit, size: uint64(size)})
			c.sum += uint64(size)
		}
	}
	c.degree = uint64(max(degree, 0))
	return c, nil
}

func number(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (n > mostCoefficient || n < -mostCoefficient) {
		return 0, unsupported("the number " + word)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", word)
	}
	return n, nil
}

// weight reads a coefficient of an objective.
func weight(word string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(word, "+"), 10, 64)
	if err != nil {
		return 0, unsupported("the coefficient " + word)
	}
	return n, nil
}

// cut splits words at a colon.
func cut(words []string) (before, after []string, isThere bool) {
	for i, word := range words {
		if word == ":" {
			return words[:i], words[i+1:], true
		}
	}
	return words, nil, false
}
