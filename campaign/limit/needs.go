package limit

import "time"

// A Basis says how much is known about the time that traces of a target take.
type Basis uint8

// The bases, in order.
const (
	Nothing Basis = iota // no trace and no call has ended
	OneCall              // a call that ran alone has
	Traces               // enough traces have
)

// An Expectation is the time that a trace of a target usually takes; 0: nobody knows.
type Expectation struct {
	Usual time.Duration
	Basis Basis
}

// Needs is what a kind of traces usually needs, as far as a time limit counts it.
type Needs struct {
	Expectation
	All, Kind time.Duration // the usual times of all traces and of the kind, or of all traces if that is more
	Lost      float64       // the share of the time that goes to traces that are set aside
	Patience  int           // how often traces that were set aside ended after all
}

// Hangs reports whether a trace that takes that long must hang: others take far less.
func (e Expectation) Hangs(took time.Duration) bool {
	const far = 100
	return e.Usual > 0 && far*e.Usual <= took
}

// Exceeds reports whether most traces would exceed a limit of processor time; 0 is no limit.
func (e Expectation) Exceeds(limit time.Duration) bool {
	const spread = 3
	return limit > 0 && spread*e.Usual > limit
}
