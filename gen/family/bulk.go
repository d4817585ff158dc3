package family

// The family bulk makes formulas of a thousand to a hundred thousand clauses that propagation decides: more variables
// and clauses than 16 bits can count, chains that recursive code follows to their end, watch lists and units by the
// thousand. All numbers are our choice.
const (
	bulkLeast     = 1000 // clauses
	bulkDoublings = 6    // 1,000 to 2,000 clauses, or up to 64 times as many; each doubling is half as likely
	bulkMostParts = 3
	bulkGiant     = 66_000 // clauses of a part of one formula in twelve: more than 16 bits can count
	bulkMostAMO   = 300    // literals of an at-most-one constraint
	bulkMostSofts = 10     // with more to choose from, simple MaxSAT algorithms would not end
)

func makeBulk(b *Builder) {
	b.f.Planted = append(b.f.Planted[:0], false)
	size := bulkLeast
	for doublings := 0; doublings < bulkDoublings && b.Flip(); doublings++ {
		size *= 2
	}
	size = b.Between(size, 2*size)
	parts := b.Between(1, bulkMostParts)
	if b.OneIn(12) {
		size, parts = b.Between(bulkGiant, bulkGiant+1000), 1
	}
	for range parts {
		n := min(size/parts, b.limits.Calls-1, b.limits.Vars-b.f.Vars-1)
		if n < 1 {
			break
		}
		switch b.Below(8) {
		case 0, 1:
			b.bulkChain(n)
		case 2:
			b.bulkUnits(n)
		case 3:
			b.bulkStar(n)
		case 4:
			b.bulkAtMostOne(n)
		default:
			b.bulkClauses(n)
		}
	}
	if b.f.Vars == 0 {
		b.plantedVar(b.Flip())
	}
	b.softUnits(b.Between(1, min(b.f.Vars, bulkMostSofts)))
	b.weigh(evenWeights, b.largestWeight())
}

// bulkLiteral makes a variable, and returns a literal of it with the given value, or 0 if none fits.
func (b *Builder) bulkLiteral(value bool) int32 {
	positive := b.Flip()
	v := b.plantedVar(value == positive)
	if !positive {
		return -v
	}
	return v
}

// bulkChain makes a chain of n implications in the order of propagation or against it. One in three is closed to a
// ring, one in three has a unit at one of its ends.
func (b *Builder) bulkChain(n int) {
	value := b.Flip()
	first := b.bulkLiteral(value)
	backwards := b.Flip()
	last := first
	for range n {
		next := b.bulkLiteral(value)
		if next == 0 {
			break
		}
		if backwards {
			b.hard(-next, last)
		} else {
			b.hard(-last, next)
		}
		last = next
	}
	if backwards {
		first, last = last, first
	}
	switch k := b.Below(3); {
	case k == 0 && first != last:
		b.hard(-last, first)
	case k == 1 && value:
		b.hard(first)
	case k == 1:
		b.hard(-last)
	}
}

// bulkUnits makes n unit clauses, most often with other clauses over their variables before or after them.
func (b *Builder) bulkUnits(n int) {
	low := int32(b.f.Vars + 1)
	for range n {
		b.plantedVar(b.Flip())
	}
	high := int32(b.f.Vars)
	if high < low {
		return
	}
	units := func() {
		for v := low; v <= high; v++ {
			b.hard(b.trueLiteral(v))
		}
	}
	switch b.Below(3) {
	case 0:
		units()
		b.bulkClausesOver(n/2, low, high)
	case 1:
		b.bulkClausesOver(n/2, low, high)
		units()
	default:
		units()
	}
}

// trueLiteral returns the literal of the variable that is true under the planted assignment.
func (b *Builder) trueLiteral(v int32) int32 {
	if b.f.Planted[v] {
		return v
	}
	return -v
}

// bulkStar makes a literal that implies n others.
func (b *Builder) bulkStar(n int) {
	value := b.Flip()
	center := b.bulkLiteral(value)
	if center == 0 {
		return
	}
	for range n {
		l := b.bulkLiteral(value || b.Flip())
		if l == 0 {
			break
		}
		b.hard(-center, l)
	}
	if value && b.Flip() {
		b.hard(center)
	}
}

// bulkAtMostOne makes an at-most-one constraint of about n pairs, and now and then demands one of the literals.
func (b *Builder) bulkAtMostOne(n int) {
	b.ints = b.ints[:0]
	size := 2
	for size < bulkMostAMO && size*(size-1)/2 < n {
		size++
	}
	chosen := b.Between(0, size)
	for i := range size {
		l := b.bulkLiteral(i == chosen)
		if l == 0 {
			break
		}
		b.ints = append(b.ints, l)
	}
	b.pairwise()
	if chosen < len(b.ints) && b.Flip() {
		b.lits = append(b.lits[:0], b.ints...)
		b.end(false)
	}
}

// bulkClauses makes n clauses over a third of n new variables or more.
func (b *Builder) bulkClauses(n int) {
	low := int32(b.f.Vars + 1)
	for range b.Between(n/3, n) + 1 {
		b.plantedVar(b.Flip())
	}
	if high := int32(b.f.Vars); high >= low {
		b.bulkClausesOver(n, low, high)
	}
}

// bulkClausesOver makes n clauses of the variables from low to high that are true under the planted assignment.
func (b *Builder) bulkClausesOver(n int, low, high int32) {
	for range n {
		length := min(b.growing(2, 6, 3), int(high-low+1))
		for len(b.lits) < length {
			if v := b.among(low, high); !b.holds(v) {
				b.lits = append(b.lits, b.sign(v))
			}
		}
		if i := b.Below(uint32(len(b.lits))); !b.isTrue(b.lits[i]) {
			b.lits[i] = -b.lits[i]
		}
		if !b.end(false) {
			return
		}
	}
}
