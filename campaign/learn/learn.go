// Package learn finds out which features of traces the faults of targets need, so that some traces can do without them.
package learn

import (
	"maps"
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Frequent failures hide rare ones: a crash ends the trace and its process. So a campaign learns which
// features a fault needs and makes some traces without them.
//
// The learner assumes that a fault needs a feature if its cause names the feature and four of five traces
// that showed the fault have it (not all, since a fault may have more than one cause). While the cause is
// unknown, the minimal trace must have the feature instead. That is weaker evidence: some features, such as
// no hard clause, are in a minimal trace only because it is small.
const (
	// leastEvidence is the number of traces that must show a fault before others avoid it. A rarer fault
	// hides nothing.
	leastEvidence = 5
	mostEvidence  = 1024 // traces looked at for a fault
	mostFaults    = 512  // faults looked at
	mostLessons   = 64   // for a cell
)

// featuresOf maps the name of a variant to the feature of the traces that it changes. Variants that neither the list
// nor a row of a call names have no such feature.
var featuresOf = withCalls(map[string]string{
	"repeated-soft":             "redeclare",
	"both-polarities":           "both-polarities",
	"zero-weight":               "zero-weight",
	"large-weight":              "big-weights",
	"no-soft":                   "only-hard",
	"empty-clause":              "empty-clause",
	"tautology":                 "tautology",
	"repeated-literal":          "duplicate-literals",
	"clause-in-pieces":          "split-clause",
	"variable-gap":              "gaps",
	"repeated-assumption":       "duplicate-assumptions",
	"contradicting-assumptions": "contradictory-assumptions",
	"constraint":                "constraints",
	"second-instance":           "two-instances",
	"earlier-life":              "release-reinit",
	"immediate-solve":           "repeat-solve",
	"terminate":                 "terminate",
	"learn":                     "learn",
	"option":                    "options",
	"havoc":                     "havoc",
	"repeated-query":            "repeat-query",
})

// withCalls adds the variants that only drop calls.
func withCalls(features map[string]string) map[string]string {
	for op := range apimodel.NumOps {
		if row := op.Row(); row != nil && row.Variant != "" {
			features[row.Variant] = row.Feature
		}
	}
	return features
}

// A Learner knows which features faults need and teaches them to the streams of the cells. It may take the book's lock
// while it holds its own.
type Learner struct {
	book    *book.Book
	against []*replay.Target

	mu       sync.Mutex
	evidence map[oracle.Key]*store.Evidence
}

// New returns a learner for the cells of a book, whose targets have these rivals.
func New(b *book.Book, against []*replay.Target) *Learner {
	return &Learner{book: b, against: against, evidence: make(map[oracle.Key]*store.Evidence)}
}

// Save returns a copy of the evidence.
func (l *Learner) Save() map[oracle.Key]*store.Evidence {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[oracle.Key]*store.Evidence, len(l.evidence))
	for key, e := range l.evidence {
		now := *e
		now.With = maps.Clone(e.With)
		all[key] = &now
	}
	return all
}

// Load continues from saved evidence.
func (l *Learner) Load(evidence map[oracle.Key]*store.Evidence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range evidence {
		if into := l.evidenceOf(key, e.Target); into != nil && e.With != nil {
			*into = *e
		}
	}
}

// Witness learns from a trace that showed a fault. A nil learner does nothing.
func (l *Learner) Witness(key oracle.Key, target string, t *trace.Trace) {
	if l == nil || l.enough(key, target) {
		return
	}
	features := measure.FeaturesOf(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.evidence[key]
	e.Looked++
	for _, f := range features {
		e.With[f]++
	}
	// One more trace hardly changes the evidence, so teach at powers of two only.
	if e.Looked == leastEvidence || e.Looked&(e.Looked-1) == 0 {
		l.teach(e)
	}
}

func (l *Learner) enough(key oracle.Key, target string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.evidenceOf(key, target)
	return e == nil || e.Looked == mostEvidence
}

// evidenceOf returns the evidence for a fault, or nil if there are too many faults.
func (l *Learner) evidenceOf(key oracle.Key, target string) *store.Evidence {
	e := l.evidence[key]
	if e == nil && len(l.evidence) < mostFaults {
		e = &store.Evidence{Target: target, With: make(map[string]int)}
		l.evidence[key] = e
	}
	return e
}

// Reduced learns from the minimal trace of a fault and from its cause.
func (l *Learner) Reduced(key oracle.Key, target string, minimal *trace.Trace, why cause.Cause) {
	if l == nil {
		return
	}
	features := measure.FeaturesOf(minimal)
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.evidenceOf(key, target); e != nil {
		e.Minimal, e.Cause = features, why
		l.teach(e)
	}
}

// teach adds a lesson to the cells whose needs have changed. Numbers already taken keep their traces.
func (l *Learner) teach(changed *store.Evidence) {
	if changed.Minimal == nil || changed.Looked < leastEvidence {
		return
	}
	conclude(changed)
	for _, cell := range l.book.Cells {
		if !l.concerns(changed, cell) {
			continue
		}
		lessons, needs := cell.Lessons.Now(), l.needsIn(cell)
		last := len(lessons) - 1
		if last < 0 && len(needs) == 0 || last+1 >= mostLessons ||
			last >= 0 && slices.EqualFunc(lessons[last].Needs, needs, slices.Equal) {
			continue
		}
		l.book.Teach(cell, func(now *source.Lesson) { now.Needs = needs })
	}
}

// concerns reports whether traces of a cell can show the fault, which is in the cell's target or in a
// rival.
func (l *Learner) concerns(e *store.Evidence, cell *book.Cell) bool {
	return e.Target == cell.Target.Name ||
		slices.ContainsFunc(l.against, func(t *replay.Target) bool { return t.Name == e.Target })
}

// needsIn returns the needs of all faults that traces of a cell can show.
func (l *Learner) needsIn(cell *book.Cell) [][]string {
	var needs [][]string
	for _, e := range l.evidence {
		listed := slices.ContainsFunc(needs, func(n []string) bool { return slices.Equal(n, e.Needs) })
		if l.concerns(e, cell) && len(e.Needs) > 0 && !listed {
			needs = append(needs, slices.Clone(e.Needs))
		}
	}
	slices.SortFunc(needs, slices.Compare)
	return needs
}

// conclude sets the features that the fault needs.
func conclude(e *store.Evidence) {
	e.Needs = nil
	candidates := e.Minimal
	if e.Cause != "" {
		candidates = nil
		for _, v := range e.Cause.Needs() {
			if f := featuresOf[v.Name]; f != "" {
				candidates = append(candidates, f)
			}
		}
	}
	for _, f := range candidates {
		if e.Looked >= leastEvidence && 5*e.With[f] >= 4*e.Looked {
			e.Needs = append(e.Needs, f)
		}
	}
}
