package store

import (
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Finding is a confirmed finding.
type Finding struct {
	oracle.Finding
	Key      oracle.Key
	Target   string // whose fault it is
	Cell     int    // that made the trace, of the configuration's
	Number   uint64 // of the trace in the cell and the shard
	Seed     uint64
	Without  []string // features that the trace was made without, since known faults need them
	Original *trace.Trace
	Minimal  *trace.Trace
	Run      trace.Run        // of the minimal trace
	Others   []oracle.Finding // what else is wrong in that run
	After    uint64           // traces that had been judged when it was found; of a hang, when it was met
	Elapsed  time.Duration
	// History is how many earlier traces of the same process the original
	// needs to fail: 0 when it fails alone.
	History int
	Parts   []*trace.Trace // of the history, the original last; nil once it is stored

	Rate      trial.Rate // how often the minimal trace failed when it was confirmed
	Reducing  time.Duration
	Tests     int  // that it took to make it small
	IsMinimal bool // nothing can be left out of it
	// NotMinimal is why it is not; "" when it is, or when nothing was tried.
	NotMinimal string
	Variants   []Variant // that were met with it

	Right   map[int]export.Right // what its solves should answer, where that is certain
	Program *repro.Program       // in C, that shows the fault; nil where none can

	// MetIn is the key of the finding that was being made small when this one was
	// met; "" for one that a generated trace showed.
	MetIn oracle.Key

	Dir   string // where it is stored; "" when it is not
	Again bool   // the directory held this key from an earlier run
	// Resumed: an earlier part of this run found it; its run is not known any more.
	Resumed bool
	Hits    uint64 // runs that showed it, the first included
}

// An Unconfirmed is a failure that was seen and could not be made to happen
// again, neither alone nor after the traces that had preceded it; or the run
// ended before that was tried.
type Unconfirmed struct {
	oracle.Finding
	Key      oracle.Key
	Cell     int
	Number   uint64
	Seed     uint64
	CutShort bool
	Why      string // it is no finding, where more is known than that it did not happen again
}

// ReplayTargets are those of all targets that it takes to see the finding: its
// own, and the others when only a comparison shows it.
func (f *Finding) ReplayTargets(all []string) []string {
	targets := []string{f.Target}
	for _, other := range all {
		if f.Compared() && other != f.Target {
			targets = append(targets, other)
		}
	}
	return targets
}

// AsUnconfirmed is what is said of it when it is none.
func (f *Finding) AsUnconfirmed(why string) Unconfirmed {
	return Unconfirmed{Finding: f.Finding, Key: f.Key, Cell: f.Cell, Number: f.Number, Seed: f.Seed, Why: why}
}

// Reduced is a trace without the notes that are true of the larger one alone.
func Reduced(t *trace.Trace) *trace.Trace {
	small := *t
	small.Notes = notes.WithoutResult(t.Notes)
	return &small
}

const (
	// RunEnded is why a finding is as large as it was confirmed if the run ended
	// before its reduction began. One that ended meanwhile is shrink.Interrupted.
	RunEnded = "the run ended"
	// BeingReduced is why a finding is not minimal that is stored early.
	BeingReduced = "it was still being made smaller when the run ended"
)

// result is what the header of the minimal trace says. How long the reduction took
// is not in it: the same run makes the same file.
func (f *Finding) result(limits replay.Limits) notes.Result {
	how := "minimal"
	if !f.IsMinimal {
		how = "not minimal"
		if f.NotMinimal != "" {
			how += ": " + f.NotMinimal
		}
	}
	reduction := notes.Reduction{From: "original.trace", Calls: len(f.Original.Calls), Tests: f.Tests, How: how}
	return notes.Result{Reduced: reduction.String(), Target: f.Target, Finding: f.Key.String(), Rate: notes.Rate(f.Rate),
		Observed: f.Observed, Expected: f.Expected, Limits: limits.Flags()}
}

// A Variant is another trace that showed a finding while the trace of another one
// was made small, and what it came down to.
type Variant struct{ Original, Minimal *trace.Trace }

// ReducesTo reports whether the calls are those of what is kept already.
func (f *Finding) ReducesTo(minimal *trace.Trace) bool {
	same := func(t *trace.Trace) bool { return CallsAlone(t) == CallsAlone(minimal) }
	return same(f.Minimal) || slices.ContainsFunc(f.Variants, func(v Variant) bool { return same(v.Minimal) })
}

func CallsAlone(t *trace.Trace) string {
	bare := *t
	bare.Notes, bare.Planted = nil, nil
	return bare.String()
}
