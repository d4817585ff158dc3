package apimodel

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds limit the traces that a target is given. 0 is no bound.
type Bounds struct {
	MaxVars   uint64 // different variables of an instance
	MaxCalls  uint64 // of a trace, at least FewestCalls
	MaxWeight uint64 // of a soft literal
	MaxSum    uint64 // of the weights of an instance
}

// FewestCalls is the least value of MaxCalls.
const FewestCalls = 8

// bound returns the bound of that name, nil if there is none.
func (b *Bounds) bound(word string) *uint64 {
	switch word {
	case "max-vars":
		return &b.MaxVars
	case "max-calls":
		return &b.MaxCalls
	case "max-weight":
		return &b.MaxWeight
	case "max-sum":
		return &b.MaxSum
	}
	return nil
}

var boundWords = []string{"max-vars", "max-calls", "max-weight", "max-sum"}

// Tighten lowers the bounds to those of other.
func (b *Bounds) Tighten(other Bounds) {
	for _, word := range boundWords {
		if mine, least := b.bound(word), *other.bound(word); least > 0 && (*mine == 0 || least < *mine) {
			*mine = least
		}
	}
}

// parseBound reads a bound; known reports whether the word names one.
func (d *Description) parseBound(word string, args []string) (known bool, err error) {
	bound := d.Bounds.bound(word)
	switch {
	case bound == nil:
		return false, nil
	case len(args) != 1:
		return true, fmt.Errorf("want: %s NUMBER", word)
	case *bound > 0:
		return true, fmt.Errorf("%s is named twice", word)
	}
	n, err := strconv.ParseUint(args[0], 10, 64)
	least := uint64(1)
	if word == "max-calls" {
		least = FewestCalls
	}
	if err != nil || n < least {
		return true, fmt.Errorf("%s: want a number from %d to 2^64-1, got %s", word, least, quote(args[0]))
	}
	*bound = n
	return true, nil
}

func (b *Bounds) print(to *strings.Builder) {
	for _, word := range boundWords {
		if n := *b.bound(word); n > 0 {
			fmt.Fprintf(to, "%s %d\n", word, n)
		}
	}
}
