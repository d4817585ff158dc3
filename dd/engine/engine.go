// Package engine reduces sets of items while a property holds. It knows nothing about
// the items: the caller builds a candidate from the items that are kept, and a test
// reports whether the property holds for it.
//
// Idle workers test the candidates that come next, as if all before them failed, but the search
// takes the verdicts in the order of a single worker. So the same input leads to
// the same result by the same steps for any number of workers.
package engine

import (
	"context"
	"errors"
	"time"
)

// A Key is the hash of a candidate's content.
type Key [32]byte

// A Verdict is the result of a test.
type Verdict struct {
	Holds bool
	Note  any // what else the test saw, for the caller
}

// A Trial builds a candidate when it is needed. It returns false if there is none
// worth testing.
type Trial[T any] func() (candidate T, ok bool)

// Reasons why a search ended early.
var (
	ErrTests = errors.New("the budget of tests is spent")
	ErrTime  = errors.New("the time is up")
	ErrIdle  = errors.New("too many tests in a row changed nothing")
)

// Ended reports whether err says that a budget or the context has ended.
func Ended(err error) bool {
	return errors.Is(err, ErrTests) || errors.Is(err, ErrTime) || errors.Is(err, ErrIdle) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// A Budget bounds a search. Fields that are zero bound nothing. If Time ends a search,
// the result depends on the speed of the machine.
type Budget struct {
	Tests int           // most verdicts that the search uses; wasted tests do not count
	Time  time.Duration // most time since New
	Idle  int           // most tests in a row for which the property does not hold
}

// Stats count the steps of a search.
type Stats struct {
	Tests  int // different candidates whose verdict was needed
	Cached int // candidates whose verdict was known
	Built  int // trials without a candidate that was legal and worth a test
	Wasted int // tests that ran ahead in vain
}

// Config sets up a Lab.
type Config[T any] struct {
	Workers int // at least 1
	Budget  Budget
	Key     func(T) Key
	// Test tests a candidate. It is called concurrently for different workers (0 to
	// Workers-1). An error ends the search.
	Test func(ctx context.Context, worker int, candidate T) (Verdict, error)
	// Seen is called once for every candidate whose verdict the search uses, in an
	// order that does not depend on the number of workers.
	Seen func(candidate T, verdict Verdict)
}
