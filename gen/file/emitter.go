// Package file makes the calls of traces of formula files: the formula of a family as the lines of a file, and one
// solve. Package gen decides what a trace is about.
package file

import (
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Plan says how to make a trace.
type Plan struct {
	Family            *family.Family
	On                feature.Set // what may happen
	Plain             bool        // the family's formula gets no features, no other names and no other order
	Dense             bool        // most traces have no gaps
	MaxVars, MaxCalls int
	MaxWeight, MaxSum uint64
}

// An Emitter makes the calls of traces. It is not safe for concurrent use.
type Emitter struct {
	Plant *family.Formula // the seed formula of the family planted; nil: the family draws one

	// The state of the trace being made.
	Plan
	rand  draw.Rand
	used  feature.Set
	b     family.Builder
	f     family.Formula
	lines []line
	most  int     // lines
	vars  int32   // the formula has no variable above it
	lits  []int32 // of lines that the emitter makes or changes
	work  []int32

	facts
	naming
}

// A line is a clause of the file. Weight 0 makes it hard.
type line struct {
	lits   []int32
	weight uint64
}

func (l *line) isHard() bool { return l.weight == 0 }

func (l *line) isSoft() bool { return l.weight > 0 }

// closing are the calls after the clauses: solve, obj and model.
const closing = 3

// Make adds the calls of a trace to t, which is empty. It returns the features that happened.
func (g *Emitter) Make(p Plan, r draw.Rand, t *trace.Trace) (used feature.Set) {
	g.Plan, g.rand, g.used = p, r, 0
	g.b.Plant = g.Plant
	isSAT := !t.Model.Optimizes()
	if isSAT { // all clauses are hard, and there may be none
		g.On |= 1 << feature.OnlyHard
		g.On |= bit(feature.NoHard, g.drawn(feature.NoClauses))
	}
	g.b.SetCosts(!isSAT)
	g.take(isSAT)
	if !g.Plain {
		g.decorate()
	}
	g.complete()
	g.weigh()
	if !g.Plain {
		g.order()
	}
	g.drawNames()
	for i := range g.lines {
		if l := &g.lines[i]; l.isHard() {
			t.Clause(0, true, g.rename(l.lits)...)
		} else {
			t.SoftClause(l.weight, g.rename(l.lits)...)
		}
	}
	for _, op := range [closing]apimodel.Op{apimodel.OpSolve, apimodel.OpObj, apimodel.OpModel} {
		if t.Model.Call(op) != nil {
			t.Plain(0, op)
		}
	}
	g.plant(t)
	if isSAT {
		g.used &^= 1<<feature.OnlyHard | 1<<feature.NoHard
	}
	return g.used
}

func (g *Emitter) drawn(f feature.Feature) bool { return g.On.Has(f) }

func (g *Emitter) use(f feature.Feature) { g.used |= 1 << f }

// Few clauses are so many.
const fewClauses = 3

// take makes the family's formula within the bounds, and its lines. In a SAT formula all are hard.
func (g *Emitter) take(isSAT bool) {
	r := &g.rand
	g.most = g.MaxCalls - closing
	if g.drawn(feature.FewClauses) {
		g.most = min(g.most, fewClauses)
		g.use(feature.FewClauses)
	}
	if !g.drawn(feature.Gaps) {
		g.MaxVars = min(g.MaxVars, feature.LeastFar-1)
	}
	if g.drawn(feature.OneOrTwoVariables) {
		least := 1
		if !g.drawn(feature.HardenSoft) {
			least = 2 // of one variable, each hard clause decides the soft ones
		}
		g.MaxVars = min(g.MaxVars, r.Between(least, 2))
		g.use(feature.OneOrTwoVariables)
	}
	if !g.drawn(feature.BigWeights) {
		g.MaxWeight = min(g.MaxWeight, feature.LeastBig-1)
	}
	g.Family.Make(&g.b, r.Split(), &g.f,
		family.Limits{Vars: g.MaxVars, Calls: g.most, MaxWeight: g.MaxWeight, MaxSum: g.MaxSum})
	g.lines, g.lits, g.vars = g.lines[:0], g.lits[:0], int32(max(g.f.Vars, 1))
	for i := range g.f.Clauses() {
		lits, weight := g.f.Clause(i)
		if isSAT {
			weight = 0
		}
		g.lines = append(g.lines, line{lits, weight})
	}
}

// Orders of the lines, in a thousand. The others keep the order of the family.
const (
	shuffled  = 450
	hardFirst = 100
	softFirst = 100
)

// order puts the lines into another order, most of the time.
func (g *Emitter) order() {
	switch n := g.rand.Below(1000); {
	case n < shuffled:
		draw.Shuffle(&g.rand, g.lines)
	case n < shuffled+hardFirst:
		slices.SortStableFunc(g.lines, func(x, y line) int { return side(&x) - side(&y) })
	case n < shuffled+hardFirst+softFirst:
		slices.SortStableFunc(g.lines, func(x, y line) int { return side(&y) - side(&x) })
	}
}

// side returns 0 for a hard clause and 1 for a soft one.
func side(l *line) int {
	if l.isHard() {
		return 0
	}
	return 1
}

// naming says which numbers variables have in the trace: their own, numbers far apart, or the greatest.
type naming struct {
	farFrom, far, step int32
	greatest           int32 // has the name MaxInt32
	names              []int32
}

func (g *Emitter) drawNames() {
	r := &g.rand
	n := &g.naming
	n.farFrom, n.greatest = math.MaxInt32, 0
	if g.Plain {
		return
	}
	if g.drawn(feature.Gaps) && (!g.Dense || r.OneIn(8)) {
		n.farFrom = g.anyVar()
		n.far = max(int32(r.Between(feature.LeastFar, 5000)), n.farFrom+feature.LeastFar)
		n.step = int32(r.Between(1, 40))
		if r.Chance(100) {
			n.far += 1 << 20
		}
		if int64(n.far)+int64(g.vars)*int64(n.step) >= math.MaxInt32 {
			n.farFrom = math.MaxInt32
		}
	}
	if g.drawn(feature.MaxVariable) {
		n.greatest = g.anyVar()
	}
}

// name returns the variable's number in the trace.
func (n *naming) name(v int32) int32 {
	switch {
	case v == n.greatest:
		return math.MaxInt32
	case v >= n.farFrom:
		return n.far + (v-n.farFrom)*n.step
	}
	return v
}

func (g *Emitter) rename(lits []int32) []int32 {
	g.names = g.names[:0]
	for _, lit := range lits {
		name := g.name(max(lit, -lit))
		switch {
		case name == math.MaxInt32:
			g.use(feature.MaxVariable)
		case name >= feature.LeastFar:
			g.use(feature.Gaps)
		}
		if lit < 0 {
			name = -name
		}
		g.names = append(g.names, name)
	}
	return g.names
}
