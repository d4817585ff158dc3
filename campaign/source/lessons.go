package source

import (
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// AvoidShare is the stride of the traces that avoid features of known faults.
const AvoidShare = 4

// A Lesson is what a campaign knows about the faults of a target, from some number of a cell on. To avoid a
// fault, a trace leaves out one of the features that the fault needs.
type Lesson struct {
	From  uint64     `json:"from"`  // the first number that it applies to
	Needs [][]string `json:"needs"` // for each fault, the features that it needs
	// Grown reports that the usual traces have shown nothing new for some time, so that some traces are
	// larger.
	Grown bool `json:"grown,omitempty"`
}

// A Choice says how a trace differs from the usual ones of its stream.
type Choice struct {
	// Without lists features that the trace lacks because known faults need them.
	Without []string
	// Profile is the profile of the trace, if it differs from that of the cell.
	Profile string
}

// IsUsual reports whether the trace is a usual one.
func (c Choice) IsUsual() bool { return len(c.Without) == 0 && c.Profile == "" }

// IsLarger reports whether the profile has larger formulas than the usual ones.
func (c Choice) IsLarger() bool { return c.IsExtra() && c.Profile != ProofProfile }

// IsExtra reports whether traces of the profile take so long that their share of the time is bounded.
func (c Choice) IsExtra() bool { return c.Extra() != cost.Extra{} }

// Extra returns the profile and its part of the time if that is bounded, and otherwise the zero value.
func (c Choice) Extra() cost.Extra {
	if c.Profile == ProofProfile {
		return cost.Extra{Profile: c.Profile, Part: 1}
	}
	for i := range largerProfiles {
		if largerProfiles[i].Profile == c.Profile {
			return largerProfiles[i]
		}
	}
	return cost.Extra{}
}

// LargerShare is the stride of the traces of larger profiles, once a campaign has grown. These traces do
// not avoid anything.
const (
	LargerShare = 10
	largerAt    = 6 // even, since the numbers of traces that avoid something are odd
)

// largerProfiles are the profiles with larger traces than the default profile. No other profile makes a solver search
// for long, so search has the largest part of the time. Together they have 13% of it.
var largerProfiles = []cost.Extra{
	{Profile: "wide", Part: 0.2},
	{Profile: "app", Part: 0.2},
	{Profile: "published", Part: 0.1},
	{Profile: "longhand", Part: 0.1},
	{Profile: "search", Part: 0.4},
	{Profile: "bulk", Part: 0.3},
}

// Chosen returns the choice for the trace of a number. It depends only on the lessons, the number and the
// seed.
func Chosen(lessons []Lesson, number, seed uint64) Choice {
	at := current(lessons, number)
	if at < 0 {
		return Choice{}
	}
	if lessons[at].Grown && number%LargerShare == largerAt {
		draw := draw.New(seed ^ 0x6c6172676572) // independent of what Avoids draws
		return Choice{Profile: largerProfiles[draw.Below(uint32(len(largerProfiles)))].Profile}
	}
	return Choice{Without: Avoids(lessons, number, seed)}
}

// ProofShare is the stride of the traces that ask for proofs. Some of them avoid something, and none is
// larger.
const (
	ProofShare = 15
	proofAt    = 14
	// ProofProfile is the profile of the traces that ask for proofs.
	ProofProfile = "small-proofs"
)

// If a SAT solver has many options, half of the traces set a share of all of them: the usual traces set one or
// a few, which hardly ever meet those with which they matter. Half of these traces may avoid something. MaxSAT
// solvers take too long for such traces.
const (
	tunedStride = 4
	tunedFrom   = 2 // of each stride
	manyOptions = 64
	// tunedProfile is the profile of the traces that set a share of all options.
	tunedProfile = "tuned"
)

// A regular profile has traces from the start, in the lane itself. Some faults show only in traces that usual profiles
// never make, and these are cheap enough to make always: those of marathon and crowd take about 4% of the time of a
// fast library. None of them avoids something, is larger, asks for proofs or sets a share of the options.
type regular struct {
	profile string
	stride  uint64 // for a SAT solver
	maxSAT  uint64 // for a MaxSAT solver
	at      uint64 // of each stride
}

var regulars = []regular{
	{"long", 500, 500, 252},
	{"marathon", 500, 1000, 100},
	{"crowd", 2000, 2000, 501},
}

// regularAt returns the index of the profile in regulars, or -1.
func regularAt(profile string) int {
	return slices.IndexFunc(regulars, func(r regular) bool { return r.profile == profile })
}

// regularProfile returns the regular profile of the trace of a number; "" if it has none.
func regularProfile(number uint64, maxSAT bool) string {
	for i := range regulars {
		r := &regulars[i]
		stride := r.stride
		if maxSAT {
			stride = r.maxSAT
		}
		if number%stride == r.at {
			return r.profile
		}
	}
	return ""
}

// current returns the index of the lesson that applies to a number, or -1.
func current(lessons []Lesson, number uint64) int {
	at := -1
	for i := range lessons {
		if lessons[i].From <= number {
			at = i
		}
	}
	return at
}

// Lessons holds the lessons of a cell, in order. It has its own lock because callers hold others while they
// read.
type Lessons struct {
	mu  sync.Mutex
	all []Lesson
}

// Now returns the lessons so far.
func (l *Lessons) Now() []Lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// Set replaces the lessons. The slice must not be changed afterwards.
func (l *Lessons) Set(all []Lesson) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = all
}

// Avoids returns the features that the trace of a number lacks, which depend only on the lessons, the
// number and the seed. Of the traces that avoid something, half avoid all faults and half avoid a single
// one, so that failures that need the features of the other faults still show. Avoids draws one feature of
// each fault.
func Avoids(lessons []Lesson, number, seed uint64) []string {
	if number%AvoidShare != AvoidShare-1 {
		return nil
	}
	at := current(lessons, number)
	if at < 0 {
		return nil
	}
	draw := draw.New(^seed)
	faults := lessons[at].Needs
	if len(faults) > 1 && draw.Below(2) == 0 {
		one := draw.Below(uint32(len(faults)))
		faults = faults[one : one+1]
	}
	var without []string
	for _, needs := range faults {
		if len(needs) > 0 && !slices.ContainsFunc(needs, func(f string) bool { return slices.Contains(without, f) }) {
			without = append(without, needs[draw.Below(uint32(len(needs)))])
		}
	}
	slices.Sort(without)
	return without
}

// AvoidsAll reports whether a trace without these features lacks something of every fault with the needs.
func AvoidsAll(needs [][]string, without []string) bool {
	return len(needs) > 0 && !slices.ContainsFunc(needs, func(of []string) bool {
		return !slices.ContainsFunc(of, func(f string) bool { return slices.Contains(without, f) })
	})
}

// SameToAvoid reports whether traces that avoid all of some faults also avoid all of the others, and the reverse. A
// fault that needs more than another one does not matter, since traces that avoid the other avoid it, too.
func SameToAvoid(a, b [][]string) bool {
	return slices.EqualFunc(leastNeeds(a), leastNeeds(b), slices.Equal)
}

// leastNeeds leaves out needs that include other ones.
func leastNeeds(needs [][]string) [][]string {
	return slices.DeleteFunc(slices.Clone(needs), func(of []string) bool {
		return slices.ContainsFunc(needs, func(other []string) bool {
			return len(other) < len(of) && !slices.ContainsFunc(other, func(f string) bool { return !slices.Contains(of, f) })
		})
	})
}

// Learned returns the needs of the faults in the last lesson.
func Learned(lessons []Lesson) [][]string {
	if len(lessons) == 0 {
		return nil
	}
	return lessons[len(lessons)-1].Needs
}
