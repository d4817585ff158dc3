package family

// The family planted makes formulas that are satisfiable by construction, after MCWZ20 (section 3.1,
// algorithm 1), which makes SMT formulas. It draws an assignment. The variables and the clauses of a
// seed formula are the first pool of fragments. AND and NOT of fragments make the second pool. The
// formula demands fragments that are true under the assignment, and the negations of fragments that are
// false. So the assignment satisfies the hard clauses, and its cost bounds the optimum. Formulas are smaller than in
// the paper, so that a solver decides each of them at once.
const (
	plantedSeedVars   = 40  // of a seed formula drawn here; chosen here
	plantedSeedRatio  = 200 // clauses for 100 variables of it; chosen here
	plantedMostBuilt  = 60  // fragments of the second pool; NC is 200 to 1,500 in the experiments of the paper
	plantedMostDepth  = 6   // of a fragment; D_max is 64 there
	plantedMostAssert = 40  // demands; A_max is 64 there
	plantedInitial    = 300 // of a thousand picks are from the first pool: section 4
	plantedAnd        = 500 // of a thousand new fragments are an AND, the others a NOT: section 4
	plantedMostSofts  = 20  // chosen here
	plantedLongest    = 6   // literals of a clause of the seed formula; the rest is cut off
)

// A fragment is a formula with a literal that is equivalent to it.
type fragment struct {
	lit   int32
	depth int
}

func makePlanted(b *Builder) {
	vars := b.Between(2, plantedSeedVars)
	if b.Plant != nil {
		vars = b.Plant.Vars
	}
	vars = max(1, min(vars, b.limits.Vars/2))
	b.variables(vars)
	f := b.f
	f.Planted = append(f.Planted[:0], false)
	for range f.Vars {
		f.Planted = append(f.Planted, b.Flip())
	}
	b.initial = b.initial[:0]
	b.built = b.built[:0]
	for v := int32(1); v <= int32(f.Vars); v++ {
		b.initial = append(b.initial, fragment{v, 0})
	}
	// The clauses of the seed formula: each becomes a literal of its own.
	for range vars * plantedSeedRatio / 100 {
		if b.Plant != nil && b.Plant.Clauses() > 0 {
			b.seedClause(vars)
		} else {
			b.randomSeedClause(b.growing(2, plantedLongest, 2), int32(vars))
		}
		b.orFragment()
	}
	for range b.Between(1, plantedMostBuilt) {
		b.buildFragment()
	}
	for range b.Between(1, plantedMostAssert) {
		b.demand(b.pickFragment().lit)
	}
	for range b.Between(1, plantedMostSofts) {
		l := b.sign(b.pickFragment().lit)
		if b.Flip() {
			b.soft(l)
		} else if other := b.sign(b.pickFragment().lit); other != l && other != -l {
			b.soft(l, other)
		}
	}
	if b.softCount() == 0 {
		b.soft(b.sign(b.pickFragment().lit))
	}
	b.weigh(evenWeights, b.largestWeight())
}

// isTrue returns the truth value of a literal under the assignment.
func (b *Builder) isTrue(l int32) bool {
	if l < 0 {
		return !b.f.Planted[-l]
	}
	return b.f.Planted[l]
}

// plantedVar makes a variable with the value in the assignment. It returns 0 if none fits.
func (b *Builder) plantedVar(value bool) int32 {
	v := b.fresh()
	if v != 0 {
		b.f.Planted = append(b.f.Planted, value)
	}
	return v
}

// randomSeedClause draws a clause of a seed formula, unless there is no room for it.
func (b *Builder) randomSeedClause(length int, vars int32) {
	length = min(length, int(vars))
	if b.limits.Calls < length+1 || b.f.Vars >= b.limits.Vars {
		return
	}
	b.lits = b.lits[:0]
	for len(b.lits) < length {
		if v := b.among(1, vars); !b.holds(v) {
			b.lits = append(b.lits, b.sign(v))
		}
	}
}

// seedClause takes a random clause of the seed formula b.Plant, maps its variables to those that fit, and
// cuts it to the usual length.
func (b *Builder) seedClause(vars int) {
	lits, _ := b.Plant.Clause(int(b.Below(uint32(b.Plant.Clauses()))))
	b.lits = b.lits[:0]
	for _, l := range lits {
		v := (max(l, -l)-1)%int32(vars) + 1
		if len(b.lits) == plantedLongest || b.holds(v) {
			continue
		}
		if l < 0 {
			v = -v
		}
		b.lits = append(b.lits, v)
	}
	if b.limits.Calls < len(b.lits)+1 || b.f.Vars >= b.limits.Vars {
		b.lits = b.lits[:0]
	}
}

// orFragment adds a literal that is equivalent to the clause being made.
func (b *Builder) orFragment() {
	if len(b.lits) == 0 {
		return
	}
	value := false
	for _, l := range b.lits {
		value = value || b.isTrue(l)
	}
	z := b.plantedVar(value)
	var parts [plantedLongest]int32
	n := copy(parts[:], b.lits)
	b.lits = append(b.lits, -z)
	b.end(false)
	for _, l := range parts[:n] {
		b.hard(z, -l)
	}
	b.initial = append(b.initial, fragment{z, 1})
}

func (b *Builder) pickFragment() fragment {
	pool := b.built
	if len(pool) == 0 || b.Chance(plantedInitial) {
		pool = b.initial
	}
	return pool[b.Below(uint32(len(pool)))]
}

// buildFragment adds a fragment to the second pool, if there is room.
func (b *Builder) buildFragment() {
	x := b.pickFragment()
	if !b.Chance(plantedAnd) {
		if x.depth < plantedMostDepth {
			b.built = append(b.built, fragment{-x.lit, x.depth + 1})
		}
		return
	}
	y := b.pickFragment()
	depth := max(x.depth, y.depth) + 1
	if depth > plantedMostDepth || x.lit == y.lit || x.lit == -y.lit || b.limits.Calls < 3 {
		return
	}
	z := b.plantedVar(b.isTrue(x.lit) && b.isTrue(y.lit))
	if z == 0 {
		return
	}
	b.hard(-z, x.lit)
	b.hard(-z, y.lit)
	b.hard(z, -x.lit, -y.lit)
	b.built = append(b.built, fragment{z, depth})
}

// demand adds a unit clause of the literal or, if that is false, of its negation.
func (b *Builder) demand(l int32) {
	if !b.isTrue(l) {
		l = -l
	}
	b.hard(l)
}
