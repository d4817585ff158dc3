// Package engine makes sets of items smaller while a property of them holds. It
// knows nothing of what the items are: a candidate is built out of those that
// are kept, and a test says whether the property holds for it.
//
// Tests run in parallel and ahead of the search, where it will probably go, but the
// search takes their verdicts in the order in which a single worker would have got them. So the
// same input leads to the same result, by the same steps, for any number of
// workers.
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
	Note  any // for the caller: what else the test saw
}

// A Trial builds a candidate when it is needed. It returns false when there is no
// candidate worth a test.
type Trial[T any] func() (candidate T, ok bool)

// Why a search ended before it was through.
var (
	ErrTests = errors.New("the budget of tests is spent")
	ErrTime  = errors.New("the time is up")
	ErrIdle  = errors.New("too many tests in a row changed nothing")
)

// Ended reports whether the error says that a budget ended, or the caller.
func Ended(err error) bool {
	return errors.Is(err, ErrTests) || errors.Is(err, ErrTime) || errors.Is(err, ErrIdle) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// A Budget bounds a search. A field that is 0 bounds nothing. The results of
// searches that Time ends depend on the speed of the machine.
type Budget struct {
	Tests int           // verdicts that the search asks for; what was tested ahead in vain is not counted
	Time  time.Duration // from New on
	Idle  int           // tests in a row without a candidate for which the property holds
}

// Stats count what a search did.
type Stats struct {
	Tests  int // different candidates whose verdict was needed
	Cached int // candidates whose verdict was known
	Built  int // candidates that were not worth a test, or illegal
	Wasted int // tests that ran ahead and whose verdict was not needed
}

// Config sets up a Lab.
type Config[T any] struct {
	Workers int // at least 1
	Budget  Budget
	Key     func(T) Key
	// Test is called at the same time for different workers, never twice at a
	// time for the same one (0 to Workers-1). An error is no verdict and ends the search.
	Test func(ctx context.Context, worker int, candidate T) (Verdict, error)
	// Seen is called for every verdict that the search needs, once a candidate,
	// in an order that does not depend on the workers.
	Seen func(candidate T, verdict Verdict)
	// Ahead runs the search from the last Mark on, with the scout in place of the
	// lab, to its end or until the scout returns an error; it must change nothing
	// that the search uses. It is called in the goroutine of the search. nil: while
	// a verdict is waited for, the trials behind it are tested.
	Ahead func(*Scout[T])
}
