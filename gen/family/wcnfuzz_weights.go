package family

import (
	"math"
	"math/bits"
)

// wcnfuzzRanges are the ranges of the largest weight. All have the same chance. With the chance huge,
// weights above 2^32 replace those of the last range.
var wcnfuzzRanges = [...]struct{ low, high uint64 }{
	{1, 1}, {2, 32}, {33, 256}, {257, 65535}, {65536, 1<<32 - 1},
}

// Chances and numbers of the Python program. A chance of n means one in n.
const (
	wcnfuzzNear      = 7 // large weights are close together
	wcnfuzzLevels    = 7 // small weights have levels
	wcnfuzzApart     = 50
	wcnfuzzLeastNear = 100
	wcnfuzzWideNear  = 3
	wcnfuzzOneLevel  = 4  // levels begin anywhere instead of with layers
	wcnfuzzLevelSize = 15 // fewest soft clauses of a level
	wcnfuzzFewSofts  = 5  // so few soft clauses have no levels
	wcnfuzzAttempts  = 30 // tries at levels with a small enough sum; the program never gives up
	wcnfuzzLargeSum  = 1 << 30
	wcnfuzzHugeLess  = 3 // divides the number of layers for weights above 2^32
	wcnfuzzLargeLess = 2 // and for weights above 2^16
)

// A wcnfuzzWeighing is what a wcnfuzz program decides about the weights of an instance.
type wcnfuzzWeighing struct {
	largest      uint64
	divisor      int // of the number of layers
	near, levels bool
}

// wcnfuzzWeights draws the largest weight, and how the weights relate to each other.
func (b *Builder) wcnfuzzWeights(p *wcnfuzzProgram) wcnfuzzWeighing {
	w := wcnfuzzWeighing{divisor: 1}
	last := len(wcnfuzzRanges) - 1
	which := b.Between(0, last)
	if p.python {
		w.near = b.OneIn(wcnfuzzNear) && which >= 3
		w.levels = which < 3 && b.limits.MaxSum > wcnfuzzLargeSum && b.OneIn(wcnfuzzLevels)
		if w.levels {
			which = b.Between(0, 2)
		}
	}
	r := wcnfuzzRanges[which]
	if which == last {
		huge := b.OneIn(p.huge)
		if huge {
			r.low, r.high = 1<<32, math.MaxInt64
		}
		switch {
		case p.python && huge:
			w.divisor = wcnfuzzHugeLess
		case p.python:
			w.divisor = wcnfuzzLargeLess
		}
	}
	w.largest = b.Between64(r.low, r.high)
	return w
}

// weighAs gives every soft clause its weight. It drops soft clauses that would make the sum
// of the weights too large.
func (b *Builder) weighAs(w *wcnfuzzWeighing) {
	b.dropSoftBeyond(b.limits.MaxSum)
	softs := uint64(b.softCount())
	if softs == 0 {
		return
	}
	largest := min(w.largest, b.limits.MaxWeight)
	room := b.limits.MaxSum / softs
	switch {
	case w.levels && softs > wcnfuzzFewSofts && largest <= room:
		if b.weighLayers(softs, largest) {
			return
		}
	case w.near && largest > wcnfuzzRanges[2].high && largest+wcnfuzzLeastNear <= min(b.limits.MaxWeight, room):
		b.weighNear(largest)
		return
	}
	b.weighEven(softs, largest)
}

// weighEven draws each weight up to the largest one. It lowers the largest one when the sum would
// become too large.
func (b *Builder) weighEven(softs, largest uint64) {
	tooLarge := largest > b.limits.MaxSum/softs
	sum, rest := uint64(0), softs
	b.eachSoft(func(c *flatClause) {
		c.weight = b.Between64(1, largest)
		if left := b.limits.MaxSum - sum; tooLarge && (left < softs || left-softs < c.weight) {
			largest = left / rest
			c.weight = b.Between64(1, largest)
		}
		sum += c.weight
		rest--
	})
}

// weighNear draws weights that are close together, except one in fifty.
func (b *Builder) weighNear(largest uint64) {
	spread := b.Between64(1, largest/100+1)
	if b.OneIn(wcnfuzzWideNear) {
		if spread = b.Between64(1, 1000); spread >= largest {
			spread = largest / 100
		}
		spread++
	}
	base := b.Between64(wcnfuzzLeastNear, largest-spread+wcnfuzzLeastNear)
	b.eachSoft(func(c *flatClause) {
		c.weight = b.Between64(1, spread)
		if !b.OneIn(wcnfuzzApart) {
			c.weight += base
		}
	})
}

// weighLayers draws levels of weights: the weights of a level are multiples of the sum of all weights
// in earlier levels. Levels begin with the soft layers, or anywhere. weighLayers returns false if all
// tries have too large a sum.
func (b *Builder) weighLayers(softs, largest uint64) bool {
	rate := uint32(b.Between(int(min(wcnfuzzLevelSize, softs)), int(softs)))
	anywhere := b.OneIn(wcnfuzzOneLevel)
	for range wcnfuzzAttempts {
		if b.tryLayers(largest, rate, anywhere) {
			return true
		}
		largest, anywhere = b.Between64(1, largest), true
	}
	return false
}

func (b *Builder) tryLayers(largest uint64, rate uint32, anywhere bool) bool {
	sum, scale, fits := uint64(0), uint64(1), true
	i, next := 0, 0 // the index of the soft clause; the index of the next layer
	begins := b.softLayerEnd(&next, 0)
	b.eachSoft(func(c *flatClause) {
		if !fits {
			return
		}
		switch {
		case !anywhere && i == begins:
			begins = b.softLayerEnd(&next, begins)
			scale = max(1, sum)
		case i > 1 && b.OneIn(rate):
			scale = max(1, sum)
		}
		high, weight := bits.Mul64(b.Between64(1, largest), scale)
		left := b.limits.MaxSum - sum
		fits = high == 0 && weight <= left && weight <= b.limits.MaxWeight
		c.weight = max(1, weight) // above 0, so that the clause stays soft for the next try
		sum += weight
		i++
	})
	return fits
}

// softLayerEnd returns the index of the first soft clause after the next soft layer, whose first soft
// clause is from. It returns -1 if no soft layer is left.
func (b *Builder) softLayerEnd(next *int, from int) int {
	for ; *next < len(b.layers); *next++ {
		if l := &b.layers[*next]; l.soft {
			*next++
			return from + l.clauses
		}
	}
	return -1
}
