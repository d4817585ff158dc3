package family

import "slices"

// The family search makes small formulas for which a solver needs hundreds to thousands of conflicts, so that it
// restarts, forgets learned clauses, collects garbage and simplifies between the solves. Gates over the variables of
// the hard part give these simplifications something to find. The solutions of the hard part are those of the formula.
// All numbers are our choice.
const (
	searchLeastVars  = 50 // of random 3-SAT
	searchMostVars   = 160
	searchLeastRatio = 400 // clauses for 100 variables
	searchMostRatio  = 435
	searchPlanted    = 750 // of a thousand formulas have a solution by construction
	searchMostXors   = 40
	searchLeastHoles = 6
	searchMostHoles  = 7
	searchMostGates  = 40
	searchMostRing   = 12
)

func makeSearch(b *Builder) {
	gates := b.Between(0, searchMostGates)
	room := max(1, b.limits.Vars-gates)
	planted := b.Chance(searchPlanted)
	switch b.Below(8) {
	case 0:
		planted = b.searchPigeons(room)
	case 1, 2:
		n := b.searchVariables(min(b.Between(16, searchMostXors), room))
		for range n {
			b.searchXor(planted)
		}
	default:
		n := b.searchVariables(min(b.Between(searchLeastVars, searchMostVars), room))
		ratio := b.Between(searchLeastRatio, searchMostRatio)
		for range n * ratio / 100 {
			b.searchClause(planted)
		}
	}
	b.searchGates(gates)
	for range b.Between(0, gates) {
		b.searchClause(true) // of gates, too; few, so that they decide little
	}
	b.softUnits(b.Between(1, min(b.f.Vars, 6)))
	b.weigh(evenWeights, b.largestWeight())
	if !planted {
		b.f.Planted = b.f.Planted[:0]
	}
}

// searchVariables makes variables with values, and returns how many.
func (b *Builder) searchVariables(n int) int {
	low, high := b.variables(n)
	b.f.Planted = append(b.f.Planted[:0], false)
	for range b.f.Vars {
		b.f.Planted = append(b.f.Planted, b.Flip())
	}
	return int(high - low + 1)
}

// searchClause makes a clause of three variables, which is true under the values if it must be.
func (b *Builder) searchClause(mustHold bool) {
	length := min(3, b.f.Vars)
	for len(b.lits) < length {
		if v := b.anyVar(); !b.holds(v) {
			b.lits = append(b.lits, b.sign(v))
		}
	}
	if mustHold && !slices.ContainsFunc(b.lits, b.isTrue) {
		i := b.Below(uint32(len(b.lits)))
		b.lits[i] = -b.lits[i]
	}
	b.end(false)
}

// searchXor makes a sum of three variables odd or even: as under the values, or at random.
func (b *Builder) searchXor(mustHold bool) {
	var lits [3]int32
	length := min(len(lits), b.f.Vars)
	for i := 0; i < length; {
		if v := b.anyVar(); !slices.Contains(lits[:i], v) {
			lits[i] = v
			i++
		}
	}
	odd := false
	for _, l := range lits[:length] {
		odd = odd != b.isTrue(l)
	}
	if mustHold && !odd || !mustHold && b.Flip() {
		lits[0] = -lits[0]
	}
	b.xorClauses(0, false, lits[:length])
}

// searchPigeons makes a pigeon-hole formula with a pigeon too many or, one time in three, as many pigeons as holes. It
// reports whether the values are a solution.
func (b *Builder) searchPigeons(room int) bool {
	holes := b.Between(searchLeastHoles, searchMostHoles)
	for holes > 1 && holes*(holes+1) > room {
		holes--
	}
	pigeons := holes + 1
	if b.OneIn(3) {
		pigeons = holes
	}
	pigeons = min(pigeons, max(1, room/holes))
	b.searchVariables(holes * pigeons)
	at := func(pigeon, hole int) int32 { return int32(pigeon*holes + hole + 1) }
	for p := range pigeons {
		b.lits = b.lits[:0]
		for h := range holes {
			b.f.Planted[at(p, h)] = p == h
			b.lits = append(b.lits, at(p, h))
		}
		b.end(false)
	}
	for h := range holes {
		for p := range pigeons {
			for q := range p {
				b.hard(-at(p, h), -at(q, h))
			}
		}
	}
	return pigeons <= holes
}

// searchGates defines n variables or, if they do not fit, fewer: as AND, XOR, if-then-else or copy of literals before
// them, or as rings of equivalent literals.
func (b *Builder) searchGates(n int) {
	for made := 0; made < n; made++ {
		x, y, z := b.sign(b.anyVar()), b.sign(b.anyVar()), b.sign(b.anyVar())
		vx, vy, vz := b.isTrue(x), b.isTrue(y), b.isTrue(z)
		kind := b.Below(5)
		distinct := x != y && x != -y
		if kind < 2 && !distinct || kind == 2 && (!distinct || z == x || z == -x || z == y || z == -y) {
			continue
		}
		var value bool
		switch kind {
		case 0:
			value = vx && vy
		case 1:
			value = vx != vy
		case 2:
			value = vx && vy || !vx && vz
		default:
			value = vx
		}
		g := b.plantedVar(value)
		if g == 0 {
			return
		}
		switch kind {
		case 0:
			b.hard(-g, x)
			b.hard(-g, y)
			b.hard(g, -x, -y)
		case 1:
			b.xorClauses(0, false, []int32{-g, x, y})
		case 2:
			b.hard(-g, -x, y)
			b.hard(g, -x, -y)
			b.hard(-g, x, z)
			b.hard(g, x, -z)
		case 3:
			b.hard(-g, x)
			b.hard(g, -x)
		default: // a ring
			first, last := x, g
			b.hard(-first, last)
			for range b.Between(1, searchMostRing) {
				next := b.plantedVar(value)
				if next == 0 {
					break
				}
				made++
				b.hard(-last, next)
				last = next
			}
			b.hard(-last, first)
		}
	}
}
