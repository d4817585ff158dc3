package family

import "github.com/ipafuzz/ipafuzz/gen/draw"

import "slices"

// The family long makes clauses that are longer than solvers expect: blocks of 64 literals, sizes in 8 bits and
// limits on the length of a clause have code of their own. All but a few literals of such a clause are dead: other
// clauses make them false at once or if a switch is on, or assumptions can do so. So propagation decides the
// formulas. All numbers are our choice.
const (
	longMostClauses = 3
	longMostLive    = 3 // literals of a clause that are not dead
	longMostCore    = 10
	longMostParts   = 3   // of the dead literals, each made false in its own way
	longMostCounted = 130 // an at-most-one constraint of more literals takes too many clauses
)

// longLengths are ranges of lengths, mostly about the powers of two where blocks and 8-bit sizes end.
var longLengths = [...]struct{ low, high int }{{65, 67}, {65, 130}, {127, 130}, {131, 250}, {254, 258}, {257, 300}}

func makeLong(b *Builder) {
	b.f.Repeats = true
	lengths := longLengths[b.Below(uint32(len(longLengths)))]
	length := b.Between(lengths.low, lengths.high)
	low, high := b.variables(b.Between(longMostLive, longMostCore))
	first, last := b.variables(length)
	positive := uint32([...]int{0, 500, 1000}[b.Below(3)])
	b.ints = b.ints[:0] // the dead literals
	for v := first; v <= last; v++ {
		if b.Chance(positive) {
			b.ints = append(b.ints, v)
		} else {
			b.ints = append(b.ints, -v)
		}
	}
	late := b.Flip()
	if !late {
		b.longClauses(low, high, length)
	}
	b.kill(low, high)
	for range int(high-low+1) * b.Between(0, 200) / 100 {
		for range b.growing(2, 5, 2) {
			if v := b.among(low, high); !b.holds(v) {
				b.lits = append(b.lits, b.sign(v))
			}
		}
		b.repeat()
		b.end(false)
	}
	if late {
		b.longClauses(low, high, length)
	}
	b.longGoals(low, high)
}

// longClauses makes clauses of that length from the dead literals, and from a few of the variables from low to
// high. Half of them come with a twin in which one live literal is negated, so that a solver learns a long clause.
func (b *Builder) longClauses(low, high int32, length int) {
	for range b.Between(1, longMostClauses) {
		if !b.Chance(700) { // another order
			draw.Shuffle(&b.Rand, b.ints)
		}
		live := min(b.Between(0, longMostLive), int(high-low+1))
		b.lits = append(b.lits[:0], b.ints[:max(0, min(len(b.ints), length-live))]...)
		at := -1
		for range live {
			v := b.among(low, high)
			if b.holds(v) {
				continue
			}
			at = b.longPlace(len(b.lits))
			b.lits = slices.Insert(b.lits, at, b.sign(v))
		}
		twin := b.Flip() && at >= 0
		if !twin {
			b.repeat()
		}
		start := len(b.f.lits)
		if len(b.lits) == 0 || !b.end(false) || !twin {
			continue
		}
		b.lits = append(b.lits[:0], b.f.lits[start:]...)
		b.lits[at] = -b.lits[at]
		b.end(false)
	}
}

// repeat adds a literal of one clause in eight twice more.
func (b *Builder) repeat() {
	if len(b.lits) == 0 || !b.OneIn(8) {
		return
	}
	again := b.lits[b.Below(uint32(len(b.lits)))]
	for range 2 {
		b.lits = slices.Insert(b.lits, b.longPlace(len(b.lits)), again)
	}
}

// longPlace draws where a live literal goes in a clause of n literals: mostly at an end, or where a block ends.
func (b *Builder) longPlace(n int) int {
	places := [...]int{0, n, n, n - 1, 63, 64, 127, 128, 254, 255, 256}
	if at := places[b.Below(uint32(len(places)))]; at >= 0 && at <= n && b.Chance(700) {
		return at
	}
	return b.Between(0, n)
}

// kill makes the dead literals false, in up to three parts and ways. A switch is a variable from low to high.
func (b *Builder) kill(low, high int32) {
	dead := b.ints
	rest := dead
	for left := b.Between(1, longMostParts); left > 0 && len(rest) > 0; left-- {
		part := rest[:(len(rest)+left-1)/left]
		rest = rest[len(part):]
		switch on := b.sign(b.among(low, high)); b.Below(6) {
		case 0: // at once, but perhaps one
			spared := b.Below(uint32(8 * len(part)))
			for i, l := range part {
				if uint32(i) != spared {
					b.hard(-l)
				}
			}
		case 1: // if a switch is on
			for _, l := range part {
				b.hard(-on, -l)
			}
		case 2: // if the one before is false
			for i, l := range part[1:] {
				b.hard(part[i], -l)
			}
		case 3: // all but one
			if len(part) <= longMostCounted {
				b.ints = part
				b.counter(1)
			}
		default: // the assumptions may
		}
	}
	b.ints = dead
}

// longGoals makes soft clauses: units of about half of the variables from low to high, a few dead literals, and now and
// then a long clause.
func (b *Builder) longGoals(low, high int32) {
	for v := low; v <= high; v++ {
		if b.Flip() {
			b.soft(b.sign(v))
		}
	}
	for range b.Between(0, 3) {
		if len(b.ints) > 0 {
			b.soft(b.sign(b.ints[b.Below(uint32(len(b.ints)))]))
		}
	}
	if b.OneIn(4) && len(b.ints) > 1 {
		b.soft(b.ints...)
	}
	b.weigh(evenWeights, b.largestWeight())
}
