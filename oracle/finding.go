package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

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

// Key names the fault: findings with the same key are taken for the same bug.
func (f *Finding) Key(target string) string {
	return oneLine(target) + " " + string(f.Class) + " " + f.Weight.String() + " " + oneLine(f.Detail)
}

// Slug is a short name for a directory: the key, made safe for every file
// system and told apart by a hash.
func (f *Finding) Slug(target string) string {
	sum := sha256.Sum256([]byte(f.Key(target)))
	weight := f.Weight.String()
	if f.Weight == NoWeights {
		weight = "N"
	}
	parts := []string{fileSafe(target, 24), string(f.Class), weight, fileSafe(f.Detail, 28), hex.EncodeToString(sum[:5])}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "_")
}

// fileSafe keeps letters and digits, in lower case, and turns the rest into
// single hyphens.
func fileSafe(s string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
		if b.Len() >= limit {
			break
		}
	}
	return b.String()
}

// oneLine joins the words of a text with single blanks.
func oneLine(s string) string {
	clean := true
	for i := range len(s) {
		if s[i] < ' ' {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' }), " ")
}

// A Mismatch is an answer that is not the one that the trace expects.
type Mismatch struct {
	Call      int
	Want, Got string
	Proven    bool // the expectation is proven wrong, so the answer is not a fault
}

// Compared reports whether it takes the runs of other targets to see the fault.
func (f *Finding) Compared() bool { return f.Check == compareCheck || f.Check == resourceCheck }
