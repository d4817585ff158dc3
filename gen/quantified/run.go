package quantified

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// run follows the schedule to its end, unless it runs out of solves or calls before.
func (l *life) run() {
	r := &l.g.rand
	switch l.schedule {
	case family.OneShot:
		l.tell(0)
		l.addClauses(len(l.clauses))
		if !l.g.Plain {
			l.assumeFew(300)
		}
		l.solve()
	case family.AddAndSolve:
		l.tell(0)
		for round := 0; l.more() && round < mostRounds; round++ {
			if r.OneIn(6) && l.keepsOutermost() {
				l.assumeFew(600)
			}
			l.addClauses(l.share(l.most - l.solves))
			l.assumeFew(400)
			l.solve()
		}
	case family.AssumeOnly:
		l.tell(0)
		l.addClauses(len(l.clauses))
		l.sweep()
	case family.Extending:
		for stage := 0; stage < l.stages && l.more(); stage++ {
			l.tell(int8(stage))
			end := l.next
			for end < len(l.clauses) && l.stageOfClause(l.clauses[end]) <= stage {
				end++
			}
			l.addClauses(end - l.next)
			l.assumeFew(400)
			l.solve()
		}
	case family.Frames:
		l.tell(0)
		l.addClauses(r.Between(0, len(l.clauses)/2))
		l.walkFrames()
	case family.Groups:
		l.tell(0)
		l.addClauses(r.Between(0, len(l.clauses)/2))
		l.walkGroups()
	}
}

// mostRounds bounds a schedule that cannot solve, because every solve would have a feature that was not
// drawn.
const mostRounds = 60

// more reports whether another solve may follow.
func (l *life) more() bool { return l.solves < l.most && l.fits(2+reserve) }

// share returns how many clauses to add before the next of so many solves.
func (l *life) share(solves int) int {
	rest := len(l.clauses) - l.next
	if solves <= 1 {
		return rest
	}
	return min(rest, l.g.rand.Between(0, 2*rest/solves+1))
}

// keepsOutermost reports whether no later clause can change the outermost block.
func (l *life) keepsOutermost() bool { return !l.g.drawn(feature.FreeVariables) }

// sweep assumes one literal after the other, its negation, and all signs of a few
// variables.
func (l *life) sweep() {
	r := &l.g.rand
	few := 1
	for round := 0; l.more() && round < mostRounds; round++ {
		universal := l.outermost()
		if len(l.outer) == 0 || universal && !l.mayAssumeUniversal() {
			if l.solves > 0 {
				return
			}
			l.solve()
			continue
		}
		few = min(r.Between(1, 3), len(l.outer))
		from := int(r.Below(uint32(len(l.outer) - few + 1)))
		signs := r.Below(1 << few)
		flips := 1 + int(r.Below(1<<few))
		for n := 0; n < flips && l.more(); n++ {
			l.outermost() // a clause may have named a free variable
			for i := range few {
				lit := l.outer[from+i]
				if (signs+uint32(n))>>i&1 == 1 {
					lit = -lit
				}
				l.assume(lit)
			}
			l.solve()
		}
		if r.OneIn(4) {
			l.solve()
		}
	}
}

// walkFrames pushes, adds, pops and solves at random. Half the time, it later adds the clauses of a popped frame again.
func (l *life) walkFrames() {
	g := l.g
	r := &g.rand
	var stack [][2]int // the clauses of each frame
	for round := 0; l.more() && round < mostRounds; round++ {
		if r.OneIn(8) && l.keepsOutermost() {
			l.assumeFew(600)
		}
		switch n := r.Below(10); {
		case n < 4 && len(stack) < 6 || len(stack) == 0:
			l.plain(apimodel.OpPush)
			g.use(feature.Frames)
			from := l.next
			l.addClauses(r.Between(0, max(2, (len(l.clauses)-l.next)/2)))
			stack = append(stack, [2]int{from, l.next})
		case n < 7:
			l.plain(apimodel.OpPop)
			popped := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if r.Flip() {
				l.clauses = append(l.clauses, l.clauses[popped[0]:popped[1]]...)
			}
		default:
			from := l.next
			l.addClauses(r.Between(1, 3))
			if n := len(stack); n > 0 && l.next > from && stack[n-1][1] == from {
				stack[n-1][1] = l.next
			}
		}
		if r.Chance(500) {
			l.assumeFew(350)
			l.solve()
		}
	}
}

// walkGroups fills groups, and deactivates, activates and deletes them at random.
func (l *life) walkGroups() {
	g := l.g
	r := &g.rand
	const (
		absent = iota
		active
		inactive
	)
	var state [5]int
	numbers := [...]uint64{0, 1, 2, 3, 4}
	if r.OneIn(4) {
		numbers = [...]uint64{7, 1000, 3, 0, 1<<31 - 1}
	}
	open := -1
	call := func(op apimodel.Op, group int) {
		l.number64(op, numbers[group])
		g.use(feature.Groups)
	}
	for round := 0; l.more() && round < mostRounds; round++ {
		if r.OneIn(8) && l.keepsOutermost() {
			l.assumeFew(600)
		}
		group := int(r.Below(uint32(len(state))))
		switch {
		case open >= 0 && r.Chance(600):
			call(apimodel.OpClose, open)
			open = -1
		case open >= 0:
			l.addClauses(r.Between(1, 3))
		case state[group] == inactive:
			call(apimodel.OpActivate, group)
			state[group] = active
		case state[group] == absent || r.Chance(400):
			call(apimodel.OpOpen, group)
			state[group] = active
			open = group
			l.addClauses(r.Between(0, max(2, (len(l.clauses)-l.next)/2)))
		case r.Chance(650):
			call(apimodel.OpDeactivate, group)
			state[group] = inactive
		default:
			call(apimodel.OpDelete, group)
			state[group] = absent
			if n := len(l.clauses); n > 0 && r.Flip() {
				from := int(r.Below(uint32(n)))
				l.clauses = append(l.clauses, l.clauses[from:min(from+3, n)]...)
			}
		}
		if r.Chance(450) {
			l.assumeFew(350)
			l.solve()
		}
	}
}

// outermost fills outer with the outermost block of what the solver knows, and returns
// its quantifier.
func (l *life) outermost() (universal bool) {
	l.outer = append(l.outer[:0], l.free...)
	for i := range l.declared {
		block := &l.blocks[i]
		if block.told == 0 {
			continue
		}
		if len(l.outer) == 0 {
			universal = block.universal
		}
		if block.universal != universal {
			break
		}
		l.outer = append(l.outer, block.vars[:block.told]...)
	}
	return universal
}

func (l *life) mayAssumeUniversal() bool { return l.g.drawn(feature.UniversalAssumption) }

// assumeFew assumes a few literals with the chance, in a thousand, unless some are
// assumed already.
func (l *life) assumeFew(chance uint32) {
	r := &l.g.rand
	if len(l.given) > 0 || !r.Chance(chance) {
		return
	}
	if universal := l.outermost(); len(l.outer) == 0 || universal && !l.mayAssumeUniversal() {
		return
	}
	for range r.Between(1, min(3, len(l.outer))) {
		if v := l.outer[r.Below(uint32(len(l.outer)))]; !holds(l.given, v) {
			if r.Flip() {
				v = -v
			}
			l.assume(v)
		}
	}
}

// sameAssumptions reports whether the next solve has those of the last one.
func (l *life) sameAssumptions() bool {
	if len(l.given) != len(l.assumed) {
		return false
	}
	for _, lit := range l.given {
		if !slices.Contains(l.assumed, lit) {
			return false
		}
	}
	return true
}
