package file

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// decorate gives the formula the features that were drawn.
func (g *Emitter) decorate() {
	r := &g.rand
	if g.drawn(feature.Threshold) && r.Chance(700) {
		g.threshold()
	}
	if g.drawn(feature.WideSoft) && r.Chance(300) {
		g.times(2, isSoft, func(l line) { g.lengthen(l, g.anyLit()) })
	}
	if g.drawn(feature.UnusedSoft) && r.Flip() {
		g.addUnused()
	}
	if g.drawn(feature.HardenSoft) && r.Flip() {
		g.times(2, isLong, g.harden)
	}
	if g.drawn(feature.BothPolarities) {
		g.oppose()
	}
	if g.drawn(feature.Tautology) {
		g.times(3, func(l *line) bool { return l.isHard() && isLong(l) }, g.contradict)
	}
	if g.drawn(feature.SoftTautology) {
		g.times(2, func(l *line) bool { return l.isSoft() && isLong(l) }, g.contradict)
	}
	if g.drawn(feature.DuplicateLiterals) {
		g.times(3, isLong, func(l line) { g.lengthen(l, l.lits[r.Below(uint32(len(l.lits)))]) })
	}
	if g.drawn(feature.EmptySoft) {
		for range r.Between(1, 2) {
			g.insert(line{nil, g.smallWeight()})
		}
	}
	if g.drawn(feature.EmptyClause) {
		g.insert(line{})
	}
	if g.drawn(feature.Redeclare) {
		g.times(3, isSoft, func(l line) { g.repeat(l, g.otherWeight(l.weight)) })
	}
	if g.drawn(feature.RepeatedHard) {
		g.times(2, isHard, func(l line) { g.repeat(l, 0) })
	}
	g.dropSides()
}

func isHard(l *line) bool { return l.isHard() }

func isSoft(l *line) bool { return l.isSoft() }

// isLong reports whether a clause is not empty.
func isLong(l *line) bool { return len(l.lits) > 0 }

// times calls change for one to most lines of a kind, chosen at random. A change replaces the line: times removes it
// before, and the change inserts what it likes.
func (g *Emitter) times(most int, matches func(*line) bool, change func(line)) {
	for range g.rand.Between(1, most) {
		if at := g.pick(matches); at >= 0 {
			l := g.lines[at]
			g.lines = slices.Delete(g.lines, at, at+1)
			change(l)
		}
	}
}

// pick returns the index of a random line of a kind, or -1 if a few tries find none.
func (g *Emitter) pick(matches func(*line) bool) int {
	if len(g.lines) == 0 {
		return -1
	}
	for range 8 {
		if at := int(g.rand.Below(uint32(len(g.lines)))); matches(&g.lines[at]) {
			return at
		}
	}
	return -1
}

// insert adds a line anywhere, if there is room for it.
func (g *Emitter) insert(l line) {
	if len(g.lines) < g.most {
		g.lines = slices.Insert(g.lines, int(g.rand.Below(uint32(len(g.lines)+1))), l)
	}
}

// store returns a copy of the literals that stays until the next trace.
func (g *Emitter) store(lits ...int32) []int32 {
	start := len(g.lits)
	g.lits = append(g.lits, lits...)
	return g.lits[start:len(g.lits):len(g.lits)]
}

func (g *Emitter) anyVar() int32 { return 1 + int32(g.rand.Below(uint32(g.vars))) }

func (g *Emitter) anyLit() int32 { return g.sign(g.anyVar()) }

func (g *Emitter) sign(lit int32) int32 {
	if g.rand.Flip() {
		return -lit
	}
	return lit
}

// fresh returns a new variable, or 0 if the bound allows none.
func (g *Emitter) fresh() int32 {
	if int(g.vars) >= g.MaxVars {
		return 0
	}
	g.vars++
	return g.vars
}

// lengthen inserts the line with one more literal, at any place in it.
func (g *Emitter) lengthen(l line, lit int32) {
	l.lits = g.store(append(l.lits[:len(l.lits):len(l.lits)], lit)...)
	last := len(l.lits) - 1
	other := g.rand.Below(uint32(len(l.lits)))
	l.lits[other], l.lits[last] = l.lits[last], l.lits[other]
	g.insert(l)
}

// contradict makes the line a tautology.
func (g *Emitter) contradict(l line) { g.lengthen(l, -l.lits[g.rand.Below(uint32(len(l.lits)))]) }

// repeat inserts the line twice, the second time with this weight and now and then with its literals in another order.
func (g *Emitter) repeat(l line, weight uint64) {
	g.insert(l)
	l.weight = weight
	if len(l.lits) > 1 && g.rand.Flip() {
		l.lits = g.store(l.lits...)
		draw.Shuffle(&g.rand, l.lits)
	}
	g.insert(l)
}

// harden inserts the line with others that decide it: as hard and as soft clause, or as soft clause that hard ones
// make false.
func (g *Emitter) harden(l line) {
	hard, soft := l, l
	hard.weight = 0
	if l.isHard() {
		soft.weight = g.smallWeight()
	}
	g.insert(soft)
	if len(l.lits) > 2 || g.rand.Chance(600) {
		g.insert(hard)
		return
	}
	for _, lit := range l.lits {
		g.insert(line{lits: g.store(-lit)})
	}
}

// oppose adds a soft literal whose negation is soft.
func (g *Emitter) oppose() {
	lit := g.anyLit()
	if at := g.pick(func(l *line) bool { return l.isSoft() && len(l.lits) == 1 }); at >= 0 {
		lit = g.lines[at].lits[0]
	} else {
		g.insert(line{g.store(lit), g.smallWeight()})
	}
	g.insert(line{g.store(-lit), g.smallWeight()})
}

// addUnused adds a soft clause of new variables.
func (g *Emitter) addUnused() {
	g.work = g.work[:0]
	for range g.rand.Between(1, 2) {
		if v := g.fresh(); v != 0 {
			g.work = append(g.work, g.sign(v))
		}
	}
	if len(g.work) > 0 {
		g.insert(line{g.store(g.work...), g.smallWeight()})
	}
}

// Bounds of formulas that threshold makes, in variables. Larger ones would take too long.
const (
	leastThreshold = 4
	mostThreshold  = 16
)

// threshold replaces the hard clauses by clauses of three literals, about 4.3 a variable.
func (g *Emitter) threshold() {
	if g.MaxVars < leastThreshold || g.vars > mostThreshold {
		return
	}
	g.vars = max(g.vars, leastThreshold)
	g.lines = slices.DeleteFunc(g.lines, func(l line) bool { return l.isHard() })
	for range int(g.vars) * g.rand.Between(38, 46) / 10 {
		g.insert(line{lits: g.random(3)})
	}
	g.use(feature.Threshold)
}

// random makes a clause of so many distinct variables, or of all.
func (g *Emitter) random(n int) []int32 {
	g.work = g.work[:0]
	for len(g.work) < min(n, int(g.vars)) {
		if l := g.anyLit(); !slices.Contains(g.work, l) && !slices.Contains(g.work, -l) {
			g.work = append(g.work, l)
		}
	}
	return g.store(g.work...)
}

// dropSides drops all soft clauses, all hard ones, or all, as the features say.
func (g *Emitter) dropSides() {
	noSoft, noHard := g.drawn(feature.OnlyHard), g.drawn(feature.NoHard)
	if noSoft && noHard && !g.drawn(feature.NoClauses) {
		noSoft = g.rand.Flip()
		noHard = !noSoft
	}
	g.lines = slices.DeleteFunc(g.lines, func(l line) bool { return l.isSoft() && noSoft || l.isHard() && noHard })
}
