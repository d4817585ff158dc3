package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Status says how far a campaign is with a finding.
type Status uint8

// The statuses, in order.
const (
	Seen      Status = iota // a trace failed once
	Confirmed               // it failed again in a fresh process, and is being reduced
	Reduced                 // its cause is being determined
	Finished                // the registry has it
)

// A Finding is a failure from the moment when it was seen until it is stored, and after it was read again.
type Finding struct {
	oracle.Finding
	Key    oracle.Key
	Status Status
	Size   int // calls of the smallest trace so far
	Facts
	Target   string // the faulty one
	Seed     uint64
	Choice   source.Choice // how the trace differs from the usual ones of its cell
	Made     cost.Kind     // the kind of the original trace; zero: unknown
	Original *trace.Trace
	Minimal  *trace.Trace
	Run      trace.Run        // of the minimal trace
	Others   []oracle.Finding // other failures in that run
	Elapsed  time.Duration
	Parts    []*trace.Trace // the history, then the original; nil once the finding is stored

	Fixed    replay.Fixed // surroundings in which the minimal trace always fails
	Sigterm  replay.Span  // when an anytime program is told to stop on it; zero: the target decides
	Reducing time.Duration
	Siblings []*Finding // of other traces with the same key, seen during reductions

	// Normal is the minimal trace in its normal form, which fails with the same symptom; nil if there is
	// none or if it has the same calls.
	Normal    *trace.Trace
	Diagnosis *cause.Diagnosis // what the minimal trace needs to fail; nil if that is unknown

	Right   map[int]export.Right // the certified answers of its solves
	Program *repro.Program       // what shows the fault without ipafuzz; nil if there is nothing

	Dir   string // where the finding is stored; "" if it is not
	Again bool   // the directory has the key from an earlier campaign
	// Resumed reports that an earlier part of the campaign made the finding; Run is unknown then.
	Resumed bool
	Hits    uint64 // runs that showed the finding, including the first

	record *FindingRecord // as it is stored in Dir; nil: it is not
}

// New returns a finding of a trace as it was generated, which is yet to be confirmed.
func New(ctx context.Context, target string, f oracle.Finding, t *trace.Trace, from source.Origin) *Finding {
	original := t.Clone()
	original.Notes = from.Notes(ctx)
	return &Finding{Finding: f, Key: f.Key(target), Target: target, Seed: from.Seed(), Choice: from.Choice(),
		Facts: Facts{Cell: from.Stream.Index, Number: from.Number}, Original: original, Minimal: original}
}

// An Unconfirmed is a failure that could not be reproduced, neither alone nor after the traces before it in
// its process, or that the campaign had no time to confirm (CutShort).
type Unconfirmed struct {
	oracle.Finding
	Key      oracle.Key
	Cell     int
	Number   uint64
	Seed     uint64
	CutShort bool
	Hard     bool   // the trace met a time limit, but its problem may be hard
	Why      string // why it is not a finding; "": not reproduced
	File     string // has its trace; "" if it is not stored
	// Trace is the trace, if the campaign ended too soon to make it again when it is stored.
	Trace *trace.Trace `json:"-"`
}

// Reason says why the failure is not a finding.
func (u *Unconfirmed) Reason() string {
	switch {
	case u.CutShort:
		return "the run ended before it was confirmed"
	case u.Why != "":
		return u.Why
	}
	return "it did not recur, neither alone nor after the traces before it"
}

// AsUnconfirmed records a failure that could not be reproduced.
func (f *Finding) AsUnconfirmed(why string) Unconfirmed {
	return Unconfirmed{Finding: f.Finding, Key: f.Key, Cell: f.Cell, Number: f.Number, Seed: f.Seed, Why: why}
}

// As returns another finding of the same trace, which is yet to be confirmed.
func (f *Finding) As(other oracle.Finding, key oracle.Key) *Finding {
	return &Finding{Finding: other, Key: key, Target: f.Target, Seed: f.Seed, Choice: f.Choice, Elapsed: f.Elapsed,
		Made: f.Made, Original: f.Original, Minimal: f.Original, Facts: Facts{Cell: f.Cell, Number: f.Number, After: f.After}}
}

// LimitsOf returns the limits, and the fixed surroundings, of runs that show the finding.
func (f *Finding) LimitsOf(limits replay.Limits) replay.Limits {
	limits.Fixed |= f.Fixed
	if !f.Sigterm.IsZero() {
		limits.Sigterm = f.Sigterm
	}
	return limits
}

// Cause returns the cause of the failure; "" if it is unknown.
func (f *Finding) Cause() cause.Cause {
	if f.Diagnosis == nil {
		return ""
	}
	return f.Diagnosis.Cause
}

// Simpler orders findings by the length of their minimal traces and then by what a record tells of them, so that
// their faults do not depend on the order in which a campaign found them.
func (f *Finding) Simpler(g *Finding) int {
	return cmp.Or(cmp.Compare(len(f.Minimal.Calls), len(g.Minimal.Calls)), cmp.Compare(f.Key.String(), g.Key.String()),
		cmp.Compare(f.Variety, g.Variety), cmp.Compare(f.Cell, g.Cell), cmp.Compare(f.Number, g.Number))
}

// Locate sets the location of a crash from the run of the minimal trace.
func (f *Finding) Locate() {
	f.Location = f.CrashedAt(f.Run.End, &f.Run.Death)
}

// Failure returns what tells the fault of the finding from other faults of its target.
func (f *Finding) Failure() *cause.Failure {
	of := &cause.Failure{Location: f.Location, Symptom: cause.Symptom(f.Class, f.Detail), Cause: f.Cause(),
		Minimal: cmp.Or(f.Normal, f.Minimal), Key: string(f.Class) + " " + f.Detail}
	if f.Diagnosis != nil {
		of.Mistake = f.Diagnosis.Mistake
	}
	return of
}

// WithoutOrigin returns the trace without the notes about the trace that it was reduced from.
func WithoutOrigin(t *trace.Trace) *trace.Trace {
	small := *t
	small.Notes = notes.Lasting(t.Notes)
	return &small
}

const (
	// RunEnded says that the campaign ended before the reduction began. If the campaign ended during the
	// reduction, the reason is shrink.Interrupted.
	RunEnded = "the run ended"
	// BeingReduced says that the finding was stored before its reduction ended. A resumed campaign looks
	// for this text: it is part of the format.
	BeingReduced = "the run ended during its reduction"
)

// result returns the notes of the minimal trace. They leave out the time of the reduction, so that the same
// run writes the same file.
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
		Observed: f.Observed, Expected: f.Expected, Limits: f.LimitsOf(limits).Flags()}
}

// ReducesTo reports whether the finding already has a minimal trace with these calls.
func (f *Finding) ReducesTo(minimal *trace.Trace) bool {
	same := func(t *trace.Trace) bool { return trace.CallsAlone(t) == trace.CallsAlone(minimal) }
	return same(f.Minimal) || slices.ContainsFunc(f.Siblings, func(s *Finding) bool { return same(s.Minimal) })
}
