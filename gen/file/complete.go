package file

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// facts are what a reading of the lines finds out.
type facts struct {
	hard, soft int    // numbers of clauses
	inHard     []bool // by variable: hard clauses have it
	hardVars   []int32
	units      map[int32]bool // hard clauses of one literal
	softUnits  map[int32]bool
	hards      map[uint64]bool // hashes of clauses as sets of literals
	softs      map[uint64]bool
	set        []int32
	shown      feature.Set
}

func (f *facts) reset(vars int32) {
	if f.hards == nil {
		f.units, f.softUnits = make(map[int32]bool), make(map[int32]bool)
		f.hards, f.softs = make(map[uint64]bool), make(map[uint64]bool)
	}
	clear(f.units)
	clear(f.softUnits)
	clear(f.hards)
	clear(f.softs)
	f.hard, f.soft, f.hardVars, f.shown = 0, 0, f.hardVars[:0], 0
	f.inHard = append(f.inHard[:0], make([]bool, vars+1)...)
}

// hash returns a number that the clause shares with those that have the same literals, in any order and any
// number.
func (f *facts) hash(lits []int32) uint64 {
	f.set = append(f.set[:0], lits...)
	slices.Sort(f.set)
	f.set = slices.Compact(f.set)
	hash := uint64(draw.Golden) + uint64(len(f.set))
	for _, l := range f.set {
		hash = draw.Mix(hash ^ uint64(uint32(l)))
	}
	return hash
}

// complete drops or changes the lines with features that were not drawn, and adds clauses if there would otherwise be
// too few.
func (g *Emitter) complete() {
	for range 4 {
		g.tidy()
		if g.isComplete() {
			g.used |= g.shown
			return
		}
	}
	g.lines = append(g.lines[:0], line{lits: g.store(1, 2)}, line{g.store(1), 1})
	if g.MaxVars < 2 { // then a soft clause beside a hard one is decided, or repeats a literal
		g.lines[0].lits = g.store(1)
		g.On |= 1 << feature.HardenSoft
	}
	g.vars = max(g.vars, int32(min(g.MaxVars, 2)))
	g.tidy()
	g.used |= g.shown
}

// isComplete reports whether the lines have hard and soft clauses, as far as the features say. If not, it adds one.
func (g *Emitter) isComplete() bool {
	switch {
	case g.hard == 0 && !g.drawn(feature.NoHard), g.hard+g.soft == 0 && g.drawn(feature.OnlyHard) &&
		!g.drawn(feature.NoClauses):
		g.replace(line{lits: g.hardClause()})
	case g.soft == 0 && !g.drawn(feature.OnlyHard):
		g.replace(line{g.softLiteral(), g.smallWeight()})
	default:
		return true
	}
	return false
}

// replace inserts a line, in the place of another one if there is no room.
func (g *Emitter) replace(l line) {
	if len(g.lines) >= g.most {
		g.lines = g.lines[:g.most-1]
	}
	g.insert(l)
}

// hardClause makes a hard clause that leaves its variables open, if the bounds allow two.
func (g *Emitter) hardClause() []int32 {
	if g.vars == 1 {
		g.fresh()
	}
	return g.random(g.rand.Between(2, 3))
}

// softLiteral returns a literal of a variable that the hard clauses have and leave open, or else any.
func (g *Emitter) softLiteral() []int32 {
	for range 8 {
		if len(g.hardVars) == 0 {
			break
		}
		lit := g.sign(g.hardVars[g.rand.Below(uint32(len(g.hardVars)))])
		if !g.units[lit] && !g.units[-lit] {
			return g.store(lit)
		}
	}
	return g.store(g.anyLit())
}

// tidy drops or changes the lines with features that were not drawn, and sets facts.
func (g *Emitter) tidy() {
	g.reset(g.vars)
	g.keep(func(l *line) bool { return l.isSoft() || g.tidyLiterals(l) && g.keepsHard(l) })
	if g.hard == 0 && !(g.drawn(feature.NoHard) && g.drawn(feature.UnusedSoft)) && !g.drawn(feature.NoClauses) &&
		slices.ContainsFunc(g.lines, func(l line) bool { return len(l.lits) > 0 }) {
		l := line{lits: g.hardClause()}
		g.reset(g.vars)
		g.replace(l)
		g.keepsHard(&l)
	}
	g.keep(func(l *line) bool { return l.isHard() || g.keepsSoft(l) })
	g.shown |= bit(feature.OnlyHard, g.soft == 0) | bit(feature.NoHard, g.hard == 0) |
		bit(feature.NoClauses, g.soft+g.hard == 0)
}

func bit(f feature.Feature, shows bool) feature.Set {
	if shows {
		return 1 << f
	}
	return 0
}

// keep drops the other lines. What a dropped line would show does not count.
func (g *Emitter) keep(stays func(l *line) bool) {
	kept := g.lines[:0]
	for _, l := range g.lines {
		if before := g.shown; stays(&l) {
			kept = append(kept, l)
		} else {
			g.shown = before
		}
	}
	g.lines = kept
}

// allows notes a feature that a line shows. It returns false if the feature was not drawn: then the line must go.
func (g *Emitter) allows(f feature.Feature, shows bool) bool {
	g.shown |= bit(f, shows && g.drawn(f))
	return !shows || g.drawn(f)
}

// tidyLiterals removes repeated literals from a clause unless that feature was drawn. It returns false if the clause
// is empty or a tautology, unless that feature was drawn.
func (g *Emitter) tidyLiterals(l *line) bool {
	empty, tautology := feature.EmptyClause, feature.Tautology
	if l.isSoft() {
		empty, tautology = feature.EmptySoft, feature.SoftTautology
	}
	if !g.allows(empty, len(l.lits) == 0) {
		return false
	}
	for i := 1; i < len(l.lits); i++ {
		lit := l.lits[i]
		if before := l.lits[:i]; !g.allows(tautology, slices.Contains(before, -lit)) {
			return false
		} else if !g.allows(feature.DuplicateLiterals, slices.Contains(before, lit)) {
			l.lits = append(g.store(before...), l.lits[i+1:]...)
			i--
		}
	}
	return true
}

// keepsHard reports whether a hard clause stays, and takes it into the facts.
func (g *Emitter) keepsHard(l *line) bool {
	hash := g.hash(l.lits)
	if !g.allows(feature.RepeatedHard, g.hards[hash]) {
		return false
	}
	g.hards[hash] = true
	if len(g.set) == 1 {
		g.units[g.set[0]] = true
	}
	for _, lit := range l.lits {
		if v := max(lit, -lit); !g.inHard[v] {
			g.inHard[v] = true
			g.hardVars = append(g.hardVars, v)
		}
	}
	g.hard++
	return true
}

// keepsSoft reports whether a soft clause stays, perhaps with other literals, and takes it into the facts.
func (g *Emitter) keepsSoft(l *line) bool {
	if len(l.lits) > 1 && !g.drawn(feature.WideSoft) {
		l.lits = l.lits[:1]
	}
	isUnused := func() bool {
		return len(l.lits) > 0 && !slices.ContainsFunc(l.lits, func(lit int32) bool { return g.inHard[max(lit, -lit)] })
	}
	if isUnused() && !g.drawn(feature.UnusedSoft) && len(g.hardVars) > 0 {
		l.lits = g.store(l.lits...)
		l.lits[0] = g.softLiteral()[0]
	}
	if uint64(g.soft) >= g.MaxSum || !g.tidyLiterals(l) || !g.allows(feature.UnusedSoft, isUnused()) {
		return false
	}
	hash := g.hash(l.lits)
	isUnit := len(g.set) == 1
	if isUnit && !g.allows(feature.BothPolarities, g.softUnits[-g.set[0]]) ||
		!g.allows(feature.Redeclare, g.softs[hash]) || !g.allows(feature.HardenSoft, g.isDecided(l, hash)) {
		return false
	}
	g.allows(feature.WideSoft, len(l.lits) > 1)
	g.softs[hash] = true
	if isUnit {
		g.softUnits[g.set[0]] = true
	}
	g.soft++
	return true
}

// isDecided reports whether a soft clause is a hard one, too, or hard clauses of one literal make it false.
func (g *Emitter) isDecided(l *line, hash uint64) bool {
	isOpen := func(lit int32) bool { return !g.units[-lit] }
	return len(l.lits) > 0 && (g.hards[hash] || !slices.ContainsFunc(l.lits, isOpen))
}
