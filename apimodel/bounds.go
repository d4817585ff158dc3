package apimodel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds limit the traces that a target gets. 0 means no bound.
type Bounds struct {
	MaxVars   uint64 // distinct variables of an instance
	MaxCalls  uint64 // calls of a trace; at least FewestCalls
	MaxWeight uint64 // weight of a soft literal
	MaxSum    uint64 // sum of the weights of an instance
}

// FewestCalls is the smallest value of MaxCalls.
const FewestCalls = 8

// A namedBound is a bound with its name in the text form.
type namedBound struct {
	word  string
	value *uint64
}

func (b *Bounds) named() []namedBound {
	return []namedBound{{"max-vars", &b.MaxVars}, {"max-calls", &b.MaxCalls}, {"max-weight", &b.MaxWeight},
		{"max-sum", &b.MaxSum}}
}

// Tighten lowers each bound to that of other, if that is lower.
func (b *Bounds) Tighten(other Bounds) {
	for i, theirs := range other.named() {
		if mine, least := b.named()[i].value, *theirs.value; least > 0 && (*mine == 0 || least < *mine) {
			*mine = least
		}
	}
}

// parseBound reads a bound. known reports whether the word names one.
func (d *Description) parseBound(word string, args []string) (known bool, err error) {
	all := d.Bounds.named()
	at := slices.IndexFunc(all, func(b namedBound) bool { return b.word == word })
	if at < 0 {
		return false, nil
	}
	bound := all[at].value
	switch {
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
	for _, bound := range b.named() {
		if *bound.value > 0 {
			fmt.Fprintf(to, "%s %d\n", bound.word, *bound.value)
		}
	}
}
