// Package measure tells what traces and formulas contain: the features of a trace, the coverage of a
// model, the statistics of formulas. An Inspection shares no code with the generators, so that it
// also checks them.
package measure

import (
	"fmt"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Coverage counts what traces reach of their model. A trace does not tell the answers of solves, so a
// state counts as reached if some answers lead to it.
type Coverage struct {
	model       *apimodel.Model
	walker      *apimodel.Walker
	last        map[uint16]apimodel.Op
	transitions []apimodel.Transition
	index       map[transitionKey]int

	Traces   uint64
	Reached  []uint64 // of each transition of the model
	Calls    [apimodel.NumOps]uint64
	Pairs    [apimodel.NumOps][apimodel.NumOps]uint64 // of consecutive calls of one instance
	Extremes []uint64                                 // of each extreme
}

type transitionKey struct {
	from apimodel.State
	op   apimodel.Op
	when apimodel.Condition
}

// An extreme is an argument at the end of its range.
type extreme struct {
	op    apimodel.Op
	name  string
	holds func(t *trace.Trace, c *trace.Call) bool
}

func weightIs(w uint64) func(*trace.Trace, *trace.Call) bool {
	return func(_ *trace.Trace, c *trace.Call) bool { return c.Num == w }
}

func removed(_ *trace.Trace, c *trace.Call) bool { return c.Flags&trace.Off != 0 }

func setToZero(_ *trace.Trace, c *trace.Call) bool { return c.Num == 0 && c.Flags&trace.Off == 0 }

func isEmpty(_ *trace.Trace, c *trace.Call) bool { return c.Len == 0 && c.Flags&trace.Open == 0 }

func lengthIs(ok func(n uint32) bool) func(*trace.Trace, *trace.Call) bool {
	return func(_ *trace.Trace, c *trace.Call) bool { return ok(c.Len) }
}

func farthest(sign int32) func(*trace.Trace, *trace.Call) bool {
	return func(t *trace.Trace, c *trace.Call) bool {
		return slices.Contains(t.Args(c), sign*math.MaxInt32)
	}
}

var extremes = []extreme{
	{apimodel.OpClause, "an empty clause", isEmpty},
	{apimodel.OpClause, "a clause of one literal", lengthIs(func(n uint32) bool { return n == 1 })},
	{apimodel.OpClause, "a clause of ten literals or more", lengthIs(func(n uint32) bool { return n >= 10 })},
	{apimodel.OpClause, "the literal INT32_MAX", farthest(1)},
	{apimodel.OpClause, "the literal -INT32_MAX", farthest(-1)},
	{apimodel.OpSoft, "weight 0", weightIs(0)},
	{apimodel.OpSoft, "weight 1", weightIs(1)},
	{apimodel.OpSoft, "weight 2^31", weightIs(1 << 31)},
	{apimodel.OpSoft, "weight 2^32", weightIs(1 << 32)},
	{apimodel.OpSoft, "weight 2^63-1", weightIs(math.MaxInt64)},
	{apimodel.OpSoft, "weight 2^63 or more", func(_ *trace.Trace, c *trace.Call) bool { return c.Num >= 1<<63 }},
	{apimodel.OpSoft, "weight 2^64-1", weightIs(math.MaxUint64)},
	{apimodel.OpSoftClause, "an empty soft clause", isEmpty},
	{apimodel.OpSoftClause, "a soft clause of one literal", lengthIs(func(n uint32) bool { return n == 1 })},
	{apimodel.OpSoftClause, "a soft clause of ten literals or more", lengthIs(func(n uint32) bool { return n >= 10 })},
	{apimodel.OpSoftClause, "weight 1", weightIs(1)},
	{apimodel.OpSoftClause, "weight 2^31", weightIs(1 << 31)},
	{apimodel.OpSoftClause, "weight 2^32", weightIs(1 << 32)},
	{apimodel.OpSoftClause, "weight 2^63-1", weightIs(math.MaxInt64)},
	{apimodel.OpTerminate, "terminate at once", weightIs(1)},
	{apimodel.OpTerminate, "terminate never", setToZero},
	{apimodel.OpTerminate, "terminate taken away", removed},
	{apimodel.OpLearn, "learn of length 0", setToZero},
	{apimodel.OpLearn, "learn taken away", removed},
}

// NewCoverage returns an empty coverage of a model.
func NewCoverage(m *apimodel.Model) *Coverage {
	c := &Coverage{model: m, walker: apimodel.NewWalker(m), last: make(map[uint16]apimodel.Op),
		transitions: m.Transitions(), index: make(map[transitionKey]int)}
	for i, t := range c.transitions {
		c.index[transitionKey{t.From, t.Call.Op, t.When}] = i
	}
	c.Reached = make([]uint64, len(c.transitions))
	c.Extremes = make([]uint64, len(extremes))
	return c
}

// Add counts a trace.
func (v *Coverage) Add(t *trace.Trace) error {
	v.Traces++
	v.walker.Reset(t.Model)
	clear(v.last)
	for i := range t.Calls {
		c := &t.Calls[i]
		v.Calls[c.Op]++
		if before, any := v.last[c.Instance]; any {
			v.Pairs[before][c.Op]++
		}
		v.last[c.Instance] = c.Op
		v.addExtremes(t, c)
		v.addTransitions(c)
		if err := v.walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&trace.Open != 0}); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

func (v *Coverage) addExtremes(t *trace.Trace, c *trace.Call) {
	for i := range extremes {
		if e := &extremes[i]; e.op == c.Op && e.holds(t, c) {
			v.Extremes[i]++
		}
	}
}

func (v *Coverage) addTransitions(c *trace.Call) {
	call := v.model.Call(c.Op)
	met := v.walker.States(c.Instance)
	if v.walker.Fresh(c.Instance) {
		// The first call of an instance implies init, unless it needs no solver.
		if !call.Legal.Has(apimodel.None) {
			met = apimodel.Set(apimodel.Start)
			v.reach(apimodel.None, apimodel.OpInit, apimodel.Always)
		}
	}
	for _, from := range (met & call.Legal).List() {
		if len(call.Steps) == 0 {
			v.reach(from, c.Op, apimodel.Always)
		}
		for _, step := range call.Steps {
			open := c.Flags&trace.Open != 0
			if step.When == apimodel.ClauseOpen && !open || step.When == apimodel.ClauseClosed && open {
				continue
			}
			v.reach(from, c.Op, step.When)
		}
	}
}

func (v *Coverage) reach(from apimodel.State, op apimodel.Op, when apimodel.Condition) {
	if i, known := v.index[transitionKey{from, op, when}]; known {
		v.Reached[i]++
	}
}

// Missing lists the transitions that no trace has reached, in words.
func (v *Coverage) Missing() []string {
	var missing []string
	for i, t := range v.transitions {
		if v.Reached[i] == 0 {
			text := fmt.Sprintf("%s in %v", t.Call.Name, t.From)
			if t.When != apimodel.Always {
				text += fmt.Sprintf(", to %v", t.To)
			}
			missing = append(missing, text)
		}
	}
	return missing
}

// MissingExtremes lists the extremes of the model that no trace has.
func (v *Coverage) MissingExtremes() []string {
	var missing []string
	for i := range extremes {
		if v.model.Call(extremes[i].op) != nil && v.Extremes[i] == 0 {
			missing = append(missing, extremes[i].name)
		}
	}
	return missing
}

// CoverageColumns are the headings of Row.
var CoverageColumns = []string{"calls", "states", "transitions", "pairs of calls", "argument extremes"}

// Row returns how much of each column was reached, such as "7 of 9".
func (v *Coverage) Row() []string {
	outOf := func(reached, all int) string { return fmt.Sprintf("%d of %d", reached, all) }
	var calls, pairs, allPairs int
	for i := range v.model.Calls {
		a := &v.model.Calls[i]
		calls += int(count(v.Calls[a.Op] > 0))
		for j := range v.model.Calls {
			b := &v.model.Calls[j]
			if follows(a, b) {
				allPairs++
				pairs += int(count(v.Pairs[a.Op][b.Op] > 0))
			}
		}
	}
	var states apimodel.States
	reached := 0
	for i, t := range v.transitions {
		if v.Reached[i] > 0 {
			states |= apimodel.Set(t.From, t.To)
			reached++
		}
	}
	met, all := 0, 0
	for i := range extremes {
		if v.model.Call(extremes[i].op) != nil {
			all++
			met += int(count(v.Extremes[i] > 0))
		}
	}
	return []string{outOf(calls, len(v.model.Calls)), outOf(len(states.List()), len(v.model.States().List())),
		outOf(reached, len(v.transitions)), outOf(pairs, allPairs), outOf(met, all)}
}

// follows reports whether call b may come right after call a.
func follows(a, b *apimodel.Call) bool {
	for _, from := range a.Legal.List() {
		if len(a.Steps) == 0 && b.Legal.Has(from) {
			return true
		}
	}
	for _, step := range a.Steps {
		if b.Legal.Has(step.Then) {
			return true
		}
	}
	return false
}
