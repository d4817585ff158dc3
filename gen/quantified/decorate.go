package quantified

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// take copies the formula. If it has more variables than the bound allows, take drops the
// innermost ones, and their literals from the clauses.
func (l *life) take(prefix []qbf.Block, clauses [][]int32) {
	left := l.g.MaxVars
	l.blocks, l.vars, l.clauses, l.lits = l.blocks[:0], l.vars[:0], l.clauses[:0], l.lits[:0]
	l.largest = 0
	count := 0
	for _, block := range prefix {
		count += len(block.Vars)
		for _, v := range block.Vars {
			l.largest = max(l.largest, v)
		}
	}
	fits := count <= left
	l.stageOf = append(l.stageOf[:0], make([]int8, l.largest+1)...) // 1: the variable stays
	for _, block := range prefix {
		vars := block.Vars[:min(len(block.Vars), left)]
		left -= len(vars)
		if len(vars) == 0 && !fits {
			continue
		}
		l.addBlock(len(l.blocks), block.Universal, vars...)
		for _, v := range vars {
			l.stageOf[v] = 1
		}
	}
	for _, clause := range clauses {
		if fits {
			l.clauses = append(l.clauses, clause)
			continue
		}
		start := len(l.lits)
		for _, lit := range clause {
			if l.stageOf[max(lit, -lit)] == 1 {
				l.lits = append(l.lits, lit)
			}
		}
		if len(l.lits) > start {
			l.clauses = append(l.clauses, l.lits[start:len(l.lits):len(l.lits)])
		}
	}
}

// addBlock inserts a block before the one at that place.
func (l *life) addBlock(at int, universal bool, vars ...int32) {
	start := len(l.vars)
	l.vars = append(l.vars, vars...)
	l.blocks = append(l.blocks, part{})
	copy(l.blocks[at+1:], l.blocks[at:])
	l.blocks[at] = part{universal: universal, vars: l.vars[start:len(l.vars):len(l.vars)]}
}

// room reports whether the bound allows one more variable.
func (l *life) room() bool {
	count := 0
	for i := range l.blocks {
		count += len(l.blocks[i].vars)
	}
	return max(count, int(l.largest)) < l.g.MaxVars
}

// decorate gives the formula the features that were drawn.
func (l *life) decorate() {
	g := l.g
	r := &g.rand
	switch n := len(l.blocks); {
	case !g.drawn(feature.InnermostUniversal):
		l.closeExistentially()
	case (n == 0 || !l.blocks[n-1].universal) && l.room():
		l.addInnermost()
	}
	if g.drawn(feature.NeighbourBlocks) && len(l.blocks) > 0 {
		at := int(r.Below(uint32(len(l.blocks))))
		vars := l.blocks[at].vars
		cut := int(r.Below(uint32(len(vars) + 1)))
		if cut > 0 && cut < len(vars) {
			l.blocks[at].vars = vars[:cut:cut]
			l.addBlock(at+1, l.blocks[at].universal, vars[cut:]...)
		}
	}
	if g.drawn(feature.EmptyBlock) {
		for range r.Between(1, 2) {
			l.addBlock(int(r.Below(uint32(len(l.blocks)+1))), r.Flip())
		}
	}
	if g.drawn(feature.FreeVariables) {
		l.addFree()
	}
	if len(l.clauses) > 0 && (g.drawn(feature.Tautology) || g.drawn(feature.DuplicateLiterals)) {
		for range r.Between(1, 3) {
			at := int(r.Below(uint32(len(l.clauses))))
			if len(l.clauses[at]) == 0 {
				continue
			}
			lit := l.clauses[at][r.Below(uint32(len(l.clauses[at])))]
			if g.drawn(feature.Tautology) && (!g.drawn(feature.DuplicateLiterals) || r.Flip()) {
				lit = -lit
			}
			if slices.Contains(l.clauses[at], lit) && !g.drawn(feature.DuplicateLiterals) ||
				slices.Contains(l.clauses[at], -lit) && !g.drawn(feature.Tautology) {
				continue
			}
			l.lengthen(at, lit)
		}
	}
	if g.drawn(feature.EmptyClause) && r.Flip() {
		l.clauses = append(l.clauses, nil)
	}
}

// closeExistentially makes an innermost universal block existential, and joins it to the block before.
func (l *life) closeExistentially() {
	n := len(l.blocks)
	if n == 0 || !l.blocks[n-1].universal {
		return
	}
	l.blocks[n-1].universal = false
	if n > 1 && !l.blocks[n-2].universal {
		vars := append(l.blocks[n-2].vars, l.blocks[n-1].vars...)
		l.blocks[n-2].vars = vars[:len(vars):len(vars)]
		l.blocks = l.blocks[:n-1]
	}
}

// lengthen adds a literal to a clause, at any place in it.
func (l *life) lengthen(at int, lit int32) {
	start := len(l.lits)
	l.lits = append(append(l.lits, l.clauses[at]...), lit)
	clause := l.lits[start:len(l.lits):len(l.lits)]
	other := l.g.rand.Below(uint32(len(clause)))
	clause[other], clause[len(clause)-1] = clause[len(clause)-1], clause[other]
	l.clauses[at] = clause
}

// addInnermost appends a universal block of a new variable and gives it to some clauses.
// Universal reduction removes its literals.
func (l *life) addInnermost() {
	r := &l.g.rand
	l.largest++
	v := l.largest
	l.addBlock(len(l.blocks), true, v)
	for range r.Between(1, 3) {
		if len(l.clauses) == 0 {
			break
		}
		if at := int(r.Below(uint32(len(l.clauses)))); len(l.clauses[at]) > 0 && !holds(l.clauses[at], v) {
			l.lengthen(at, v*int32(1-2*int(r.Below(2))))
		}
	}
}

func holds(clause []int32, v int32) bool {
	for _, lit := range clause {
		if lit == v || lit == -v {
			return true
		}
	}
	return false
}

// addFree takes variables out of an outermost existential block, or gives new ones to
// clauses.
func (l *life) addFree() {
	r := &l.g.rand
	if len(l.blocks) > 0 && !l.blocks[0].universal && len(l.blocks[0].vars) > 0 && r.Chance(700) {
		vars := l.blocks[0].vars
		l.blocks[0].vars = vars[:r.Below(uint32(len(vars)))]
		if len(l.blocks[0].vars) == 0 {
			copy(l.blocks, l.blocks[1:])
			l.blocks = l.blocks[:len(l.blocks)-1]
		}
		return
	}
	if !l.room() || len(l.clauses) == 0 {
		return
	}
	l.largest++
	v := l.largest
	for range r.Between(1, 3) {
		if at := int(r.Below(uint32(len(l.clauses)))); !holds(l.clauses[at], v) {
			l.lengthen(at, v*int32(1-2*int(r.Below(2))))
		}
	}
}
