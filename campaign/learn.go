package campaign

import (
	"maps"
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// What fails all the time hides what fails seldom: a crash ends the trace, and
// its process. So a campaign learns which features a fault needs, and makes some
// of the traces without.
//
// A feature is needed, as far as is known, when the minimal trace has it and four of
// five traces that showed the fault. The first alone says too little, since a minimal
// trace is so small that it has features for that reason only, such as no hard
// clause; and a fault may have more than one cause.
const (
	// avoidShare: every so many traces are made without what was learned.
	avoidShare = 4
	// leastEvidence is how many traces must have shown a fault before it is
	// avoided. One that few show hides nothing.
	leastEvidence = 5
	mostEvidence  = 1024 // traces of a fault that are looked at
	mostFaults    = 512  // that are looked at
	mostLessons   = 64   // of a cell
)

// evidence is what is known of a fault.
type evidence struct {
	Target  string         `json:"target"`
	Looked  int            `json:"looked"`            // traces that showed it
	With    map[string]int `json:"with"`              // those of them that have a feature
	Minimal []string       `json:"minimal,omitempty"` // features of the minimal trace, once there is one
	Needs   []string       `json:"needs,omitempty"`
}

// evidenceNow is a copy. The lock must be held.
func (c *Campaign) evidenceNow() map[string]*evidence {
	all := make(map[string]*evidence, len(c.evidence))
	for key, e := range c.evidence {
		now := *e
		now.With = maps.Clone(e.With)
		all[key] = &now
	}
	return all
}

// A lesson is what was learned before a number of a cell was taken: which
// features the faults need, each of which is avoided by avoiding one of them.
type lesson struct {
	From  uint64     `json:"from"`
	Needs [][]string `json:"needs"`
}

// lessons are those of a cell, in order. They have a lock of their own, since
// whoever stores a trace asks for them, with other locks held.
type lessons struct {
	mu  sync.Mutex
	all []lesson
}

func (l *lessons) now() []lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

func (l *lessons) set(all []lesson) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = all
}

// avoids returns the features that the trace of a number is made without: half of the
// traces avoid all faults, and half one of them, so that what needs the same as
// the others is seen beside that one. Of the features that a fault needs one is
// drawn. All that follows from the seed.
func avoids(lessons []lesson, number, seed uint64) []string {
	if number%avoidShare != avoidShare-1 {
		return nil
	}
	at := -1
	for i := range lessons {
		if lessons[i].From <= number {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	draw := gen.NewRand(^seed)
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

// without is avoids for an origin.
func (from origin) without() []string {
	return avoids(from.cell.lessons.now(), from.number, from.seed())
}

// source opens what makes the trace of an origin.
func (from origin) source() (Source, error) {
	return from.cell.open(from.without())
}

// witness learns from a trace that showed a fault.
func (c *Campaign) witness(key, target string, t *trace.Trace) {
	if !c.config.Learn {
		return
	}
	c.mu.Lock()
	e := c.evidenceOf(key, target)
	if e == nil {
		c.mu.Unlock()
		return
	}
	enough := e.Looked == mostEvidence
	c.mu.Unlock()
	if enough {
		return
	}
	features := gen.FeaturesOf(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Looked++
	for _, f := range features {
		e.With[f]++
	}
	if e.Looked == leastEvidence || e.Looked&(e.Looked-1) == 0 { // what is known hardly changes from one trace to the next
		c.teach(e)
	}
}

func (c *Campaign) evidenceOf(key, target string) *evidence {
	e := c.evidence[key]
	if e == nil && len(c.evidence) < mostFaults {
		if c.evidence == nil {
			c.evidence = make(map[string]*evidence)
		}
		e = &evidence{Target: target, With: make(map[string]int)}
		c.evidence[key] = e
	}
	return e
}

// conclude sets what the fault needs.
func (e *evidence) conclude() {
	e.Needs = nil
	for _, f := range e.Minimal {
		if e.Looked >= leastEvidence && 5*e.With[f] >= 4*e.Looked {
			e.Needs = append(e.Needs, f)
		}
	}
}

// learn learns from the minimal trace of a fault. The lock must be held.
func (c *Campaign) learn(key, target string, minimal *trace.Trace) {
	if !c.config.Learn {
		return
	}
	if e := c.evidenceOf(key, target); e != nil {
		e.Minimal = gen.FeaturesOf(minimal)
		c.teach(e)
	}
}

// teach makes a lesson for the cells of which what is known of the faults has
// changed. Traces that were taken before it stay what they are.
func (c *Campaign) teach(changed *evidence) {
	if changed.Minimal == nil || changed.Looked < leastEvidence {
		return
	}
	changed.conclude()
	for _, of := range c.cells {
		if !c.concerns(changed, of) {
			continue
		}
		lessons, needs := of.lessons.now(), c.needsIn(of)
		last := len(lessons) - 1
		if last < 0 && len(needs) == 0 || last+1 == mostLessons || last >= 0 && slices.EqualFunc(lessons[last].Needs, needs, slices.Equal) {
			continue
		}
		of.lessons.set(append(lessons[:last+1:last+1], lesson{of.numbers.next, needs}))
	}
}

// concerns reports whether the traces of a cell show the fault: it is one of the
// target, or of one that runs the same traces.
func (c *Campaign) concerns(e *evidence, of *cell) bool {
	return e.Target == of.Target.Name || slices.ContainsFunc(c.config.Against, func(t *replay.Target) bool { return t.Name == e.Target })
}

// needsIn is what the faults need that the traces of a cell show.
func (c *Campaign) needsIn(of *cell) [][]string {
	var needs [][]string
	for _, e := range c.evidence {
		if c.concerns(e, of) && len(e.Needs) > 0 && !slices.ContainsFunc(needs, func(n []string) bool { return slices.Equal(n, e.Needs) }) {
			needs = append(needs, slices.Clone(e.Needs))
		}
	}
	slices.SortFunc(needs, slices.Compare)
	return needs
}

// learned is what the last lesson says.
func learned(lessons []lesson) [][]string {
	if len(lessons) == 0 {
		return nil
	}
	return lessons[len(lessons)-1].Needs
}
