package oracle

import (
	"github.com/ipafuzz/ipafuzz/oracle/reference"
)

// A WeightClass says how large the weights were: overflow bugs need large ones,
// and a bug that shows with small ones is worse.
type WeightClass byte

const (
	NoWeights    WeightClass = '-' // the interface has none
	SmallWeights WeightClass = 'S' // the sum of all weights is below 2^32
	BigWeights   WeightClass = 'B' // below 2^62
	HugeWeights  WeightClass = 'H'

	weightClasses = "-SBH"
)

func (w WeightClass) String() string { return string(rune(w)) }

// A Finding is one fault of one run.
type Finding struct {
	Class    Class
	Check    string // the check that proved it
	Call     int    // the last call that is needed to see it; len(Calls): the final release
	Solve    int    // the solve whose answer, or what was said about it, is wrong; -1 when it is none
	Instance uint16
	Weight   WeightClass

	// Detail is the part of the key that tells faults of one class apart. It
	// says what is wrong and not which check knew: a trace that shrinks from 20
	// to 10 variables must keep its key although another check proves it then.
	Detail string

	// For people.
	Observed, Expected, Known string

	// Certified: a checked proof says what the solve in question should have
	// answered. The proof itself, where more than a solution was needed.
	Certified   bool
	Certificate *reference.Certificate

	// Voted: a majority of targets says so and nothing proves it.
	Voted bool

	// Of an error message: one of so many consecutive traces of the process wrote
	// it, of which this is number Suspect (from 0).
	Suspects, Suspect int
}

// certify keeps the certificate, whose memory the reference uses again, and shows
// the solution that a wrong optimum should have been.
func (f *Finding) certify(c *reference.Certificate, best string) {
	f.Certified = true
	if best != "" && f.Class[0] == '2' {
		f.Expected += "; a solution of that cost: " + best
	}
	if c != nil {
		clone := c.Clone()
		f.Certificate = &clone
	}
}

// Key names the fault that the finding shows of a target.
func (f *Finding) Key(target string) Key { return newKey(target, f.Class, f.Weight, f.Detail) }

// A Mismatch is an answer that is not the one that the trace expects.
type Mismatch struct {
	Call      int
	Want, Got string
	Proven    bool // the expectation is proven wrong, so the answer is not a fault
}

// Compared reports whether it takes the runs of other targets to see the fault.
func (f *Finding) Compared() bool { return f.Check == compareCheck || f.Check == resourceCheck }
