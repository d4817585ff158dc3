package cause

import "github.com/ipafuzz/ipafuzz/trace"

// A Failure is what Compare and Group need to know about one finding.
type Failure struct {
	Location string // where it crashes; "" if it does not crash or the place is unknown
	Symptom  string // a word for what is wrong, such as the name of its class
	Key      string // tells failures of unknown cause apart
	Mistake  Mistake
	Cause    Cause
	Minimal  *trace.Trace
}

// A Relation says whether two failures have one fault.
type Relation uint8

const (
	Different Relation = iota
	Possibly
	Same
)

var relations = [...]string{"different", "possibly the same", "the same"}

// String returns the relation in a word.
func (r Relation) String() string { return relations[r] }

// Compare tells whether two failures have one fault:
//
//  1. Crashes in one place are one fault.
//  2. Other failures with one symptom are one fault if they need the same rare inputs.
//  3. If they need none, they are one fault if they also make the same mistake and need the same things. Weights above
//     1 do not count.
//  4. Failures of unknown cause are one fault if they have the same key.
//  5. All others are possibly the same if they make the same mistake, or if one needs something and the other needs all
//     of it. But a crash and another failure are different, and so are failures with a rare input of their own each.
func Compare(a, b *Failure) Relation {
	one, other := a.Cause.plain(), b.Cause.plain()
	switch {
	case a.identity() == b.identity():
		return Same
	case a.crashes() != b.crashes(), !one.has(other.rareInputs()) && !other.has(one.rareInputs()):
		return Different
	case a.Mistake != "" && a.Mistake == b.Mistake, one.needsAny() && other.has(one), other.needsAny() && one.has(other):
		return Possibly
	}
	return Different
}

// identity returns what failures of one fault have in common.
func (f *Failure) identity() string {
	rare := f.Cause.rareInputs()
	switch {
	case f.Location != "":
		return "at " + f.Location
	case f.Cause == "":
		return "key " + f.Key
	case rare != Nothing:
		return f.Symptom + ", needs " + string(rare)
	}
	return f.Symptom + ", " + string(f.Mistake) + ", needs " + string(f.Cause.plain())
}

// crashes reports whether the process dies.
func (f *Failure) crashes() bool { return f.Location != "" || f.Symptom == crash }

// MayBe reports whether f may be another form of a failure with its key: it is the same, or shows in the same place,
// needs all that the other needs, and no other rare input.
func (f *Failure) MayBe(g *Failure) bool {
	return Compare(f, g) == Same || f.Location == g.Location &&
		(f.Cause == "" || g.Cause == "" || f.Cause.has(g.Cause) && g.Cause.has(f.Cause.rareInputs()))
}
