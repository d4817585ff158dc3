package campaign

import (
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/oracle"
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
	// leastEvidence is how many traces must have shown a fault before it is
	// avoided. One that few show hides nothing.
	leastEvidence = 5
	mostEvidence  = 1024 // traces of a fault that are looked at
	mostFaults    = 512  // that are looked at
	mostLessons   = 64   // of a cell
)

// evidenceNow is a copy. The lock must be held.
func (c *Campaign) evidenceNow() map[oracle.Key]*store.Evidence {
	all := make(map[oracle.Key]*store.Evidence, len(c.evidence))
	for key, e := range c.evidence {
		now := *e
		now.With = maps.Clone(e.With)
		all[key] = &now
	}
	return all
}

// witness learns from a trace that showed a fault.
func (c *Campaign) witness(key oracle.Key, target string, t *trace.Trace) {
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
	features := measure.FeaturesOf(t)
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

func (c *Campaign) evidenceOf(key oracle.Key, target string) *store.Evidence {
	e := c.evidence[key]
	if e == nil && len(c.evidence) < mostFaults {
		if c.evidence == nil {
			c.evidence = make(map[oracle.Key]*store.Evidence)
		}
		e = &store.Evidence{Target: target, With: make(map[string]int)}
		c.evidence[key] = e
	}
	return e
}

// learn learns from the minimal trace of a fault. The lock must be held.
func (c *Campaign) learn(key oracle.Key, target string, minimal *trace.Trace) {
	if !c.config.Learn {
		return
	}
	if e := c.evidenceOf(key, target); e != nil {
		e.Minimal = measure.FeaturesOf(minimal)
		c.teach(e)
	}
}

// teach makes a lesson for the cells of which what is known of the faults has
// changed. Traces that were taken before it stay what they are.
func (c *Campaign) teach(changed *store.Evidence) {
	if changed.Minimal == nil || changed.Looked < leastEvidence {
		return
	}
	conclude(changed)
	for _, of := range c.cells {
		if !c.concerns(changed, of) {
			continue
		}
		lessons, needs := of.Lessons.Now(), c.needsIn(of)
		last := len(lessons) - 1
		if last < 0 && len(needs) == 0 || last+1 == mostLessons || last >= 0 && slices.EqualFunc(lessons[last].Needs, needs, slices.Equal) {
			continue
		}
		of.Lessons.Set(append(lessons[:last+1:last+1], source.Lesson{From: of.numbers.Next, Needs: needs}))
	}
}

// concerns reports whether the traces of a cell show the fault: it is one of the
// target, or of one that runs the same traces.
func (c *Campaign) concerns(e *store.Evidence, of *cell) bool {
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

// conclude sets what the fault needs.
func conclude(e *store.Evidence) {
	e.Needs = nil
	for _, f := range e.Minimal {
		if e.Looked >= leastEvidence && 5*e.With[f] >= 4*e.Looked {
			e.Needs = append(e.Needs, f)
		}
	}
}
