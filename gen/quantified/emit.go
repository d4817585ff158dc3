package quantified

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// plain makes a call without arguments that changes the formula.
func (l *life) plain(op apimodel.Op) {
	l.havoc()
	l.t.Plain(l.number, op)
	l.changed = true
}

func (l *life) number64(op apimodel.Op, group uint64) {
	l.havoc()
	l.t.Calls = append(l.t.Calls, trace.Call{Op: op, Instance: l.number, Num: group})
	l.changed = true
}

func (l *life) havoc() {
	if g := l.g; g.drawn(feature.Havoc) && l.fits(1+reserve) && g.rand.OneIn(10) {
		l.t.Havoc(l.number, g.rand.Uint64())
		g.use(feature.Havoc)
	}
}

// tell makes the calls for the variables of a stage: first the blocks that the stage adds,
// then the variables that it adds to earlier blocks.
func (l *life) tell(stage int8) {
	g := l.g
	if len(l.given) > 0 {
		return // until a solve, the assumed variables must stay in the outermost block
	}
	for i := range l.blocks {
		block := &l.blocks[i]
		if block.stage == stage && l.fits(1+reserve) && i == l.declared {
			n := 0
			for n < len(block.vars) && l.stageOf[block.vars[n]] <= stage {
				n++
			}
			l.block(i, block.vars[:n])
		}
	}
	for i := range l.declared {
		block := &l.blocks[i]
		end := block.told
		for end < len(block.vars) && (l.stageOf[block.vars[end]] <= stage || l.stages == 1) {
			end++
		}
		if end > block.told && l.fits(1+reserve) {
			vars := block.vars[block.told:end]
			l.t.Extend(l.number, i+1, l.rename(vars)...)
			l.told(i, vars)
			g.use(feature.ExtendedBlock)
		}
	}
}

func (l *life) block(at int, vars []int32) {
	g := l.g
	block := &l.blocks[at]
	op := apimodel.OpExists
	if block.universal {
		op = apimodel.OpForall
	}
	l.t.List(l.number, op, l.rename(vars)...)
	if len(vars) == 0 {
		g.use(feature.EmptyBlock)
	}
	if before := l.lastTold(); before >= 0 && len(vars) > 0 && l.blocks[before].universal == block.universal {
		g.use(feature.NeighbourBlocks)
	}
	l.declared = at + 1
	l.told(at, vars)
}

// told records that a call has added variables to a block.
func (l *life) told(at int, vars []int32) {
	l.blocks[at].told += len(vars)
	l.changed = true
	if l.added > 0 {
		l.g.use(feature.LateBlock)
	}
	for _, v := range vars {
		l.see(v)
	}
}

func (l *life) see(v int32) {
	if !l.isNamed[v] {
		l.isNamed[v] = true
		l.named = append(l.named, v)
	}
}

// addClauses adds the next n clauses, as far as they fit.
func (l *life) addClauses(n int) {
	for ; n > 0 && l.next < len(l.clauses) && l.fits(2+reserve); n-- {
		l.addClause(l.clauses[l.next])
		l.next++
	}
}

// addClause adds a clause, unless it would have free variables, which no block has, and that feature was not drawn.
func (l *life) addClause(clause []int32) {
	g := l.g
	r := &g.rand
	for _, lit := range clause {
		v := max(lit, -lit)
		if l.isNamed[v] {
			continue
		}
		if !g.drawn(feature.FreeVariables) || l.quantifiedLater(v) {
			return
		}
		if len(l.given) > 0 && l.isUniversal(max(l.given[0], -l.given[0])) {
			return // the free variable would take the assumed one out of the outermost block
		}
	}
	l.havoc()
	for i, lit := range clause {
		v := max(lit, -lit)
		if !l.isNamed[v] {
			l.free = append(l.free, v)
			g.use(feature.FreeVariables)
			l.see(v)
		}
		for _, other := range clause[:i] {
			if other == lit {
				g.use(feature.DuplicateLiterals)
			} else if other == -lit {
				g.use(feature.Tautology)
			}
		}
	}
	if len(clause) == 0 {
		g.use(feature.EmptyClause)
	}
	names := l.rename(clause)
	if g.drawn(feature.SplitClause) && len(clause) > 0 && r.OneIn(3) && l.fits(2+reserve) {
		cut := r.Between(1, len(clause))
		l.t.Clause(l.number, false, names[:cut]...)
		l.t.Clause(l.number, true, names[cut:]...)
		g.use(feature.SplitClause)
	} else {
		l.t.Clause(l.number, true, names...)
	}
	l.added++
	l.changed = true
}

// quantifiedLater reports whether a later call puts the variable into a block.
func (l *life) quantifiedLater(v int32) bool {
	for i := range l.blocks {
		block := &l.blocks[i]
		if slices.Contains(block.vars[block.told:], v) {
			return true
		}
	}
	return false
}

func (l *life) assume(lit int32) {
	if !l.fits(1+reserve) || holds(l.given, max(lit, -lit)) {
		return
	}
	l.t.Literal(l.number, apimodel.OpAssume, l.name(lit))
	l.given = append(l.given, lit)
	if l.isUniversal(max(lit, -lit)) {
		l.g.use(feature.UniversalAssumption)
	}
}

func (l *life) isUniversal(v int32) bool {
	for i := range l.declared {
		if slices.Contains(l.blocks[i].vars[:l.blocks[i].told], v) {
			return l.blocks[i].universal
		}
	}
	return false
}

// solve solves and asks questions, unless the solve would have a feature that was not drawn.
func (l *life) solve() {
	g := l.g
	r := &g.rand
	if g.drawn(feature.EmptyClause) && r.OneIn(12) && l.fits(2+reserve) {
		l.addClause(nil)
	}
	for l.added == 0 && !g.drawn(feature.NoClauses) && l.next < len(l.clauses) && l.fits(reserve) {
		l.addClause(l.clauses[l.next])
		l.next++
	}
	innermost := l.lastTold()
	ends := innermost >= 0 && l.blocks[innermost].universal
	repeats := l.solves > 0 && !l.changed && l.sameAssumptions()
	if l.solves >= l.most || !l.fits(reserve-1) || l.added == 0 && !g.drawn(feature.NoClauses) ||
		repeats && !g.drawn(feature.RepeatSolve) || ends && !g.drawn(feature.InnermostUniversal) {
		return
	}
	l.callback()
	if repeats {
		g.use(feature.RepeatSolve)
	}
	if l.added == 0 {
		g.use(feature.NoClauses)
	}
	if ends {
		g.use(feature.InnermostUniversal)
	}
	l.t.Plain(l.number, apimodel.OpSolve)
	if l.solves++; l.solves > feature.UsualSolves {
		g.use(feature.ManySolves)
	}
	l.assumed, l.given = l.given, l.assumed[:0]
	l.changed = false
	l.ask()
	if g.drawn(feature.RepeatSolve) && l.more() && r.OneIn(4) {
		for _, lit := range l.assumed {
			l.assume(lit)
		}
		l.solve()
	}
}

// lastTold returns the index of the innermost block that has variables, or -1 if there is none.
func (l *life) lastTold() int {
	for i := l.declared - 1; i >= 0; i-- {
		if l.blocks[i].told > 0 {
			return i
		}
	}
	return -1
}

// callback sets or removes a terminate callback, now and then.
func (l *life) callback() {
	g := l.g
	r := &g.rand
	if !g.drawn(feature.Terminate) || !l.fits(1+reserve) || !r.Chance(400) {
		return
	}
	if l.watched && r.Flip() {
		l.t.TakeAway(l.number, apimodel.OpTerminate)
		l.watched = false
	} else {
		l.t.Count(l.number, apimodel.OpTerminate, [...]uint32{0, 1, 2, 5, 50}[r.Below(5)])
		l.watched = true
	}
	g.use(feature.Terminate)
}
