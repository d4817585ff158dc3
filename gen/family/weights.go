package family

import "math"

// weightRanges are the ranges of the largest weight (PB23 section 2.1 and PB26 section 4.2). The first
// four have a share of 1/5 each, the others of 4/25 and 1/25.
var weightRanges = [...]struct {
	share     uint32 // in 25
	low, high uint64
}{
	{5, 1, 1},
	{5, 2, 32},
	{5, 33, 256},
	{5, 257, 65535},
	{4, 65536, 1 << 32},
	{1, 1<<32 + 1, math.MaxInt64},
}

func (b *Builder) largestWeight() uint64 {
	n := b.Below(25)
	for i := range weightRanges {
		if r := &weightRanges[i]; n < r.share {
			return b.Between64(r.low, r.high)
		} else {
			n -= r.share
		}
	}
	return 1
}

// weighing says how the weights of a formula relate to each other.
type weighing uint8

const (
	evenWeights  weighing = iota // each from 1 to the largest
	levelWeights                 // GBMO: each weight of a level is above the sum of all lower levels
	tightWeights                 // all within a tenth of the largest
	unitWeighing                 // all 1
)

// Parameters of weighings.
const (
	gbmoMostLevels  = 5   // chosen here; the papers leave the number of levels open
	gbmoLevelWeight = 8   // largest weight within a level before it is scaled; chosen here
	tightSpread     = 10  // less than 10% around a weight: PB26 section 4.2
	tightLeast      = 100 // below it, a tenth leaves little choice; chosen here
)

// weigh gives every soft clause its weight. It needs to know all soft clauses, so that the sum keeps
// the limit. It drops soft clauses for which the sum has no room.
func (b *Builder) weigh(how weighing, largest uint64) {
	b.dropSoftBeyond(b.limits.MaxSum)
	softs := uint64(b.softCount())
	if softs == 0 {
		return
	}
	largest = max(1, min(largest, b.limits.MaxWeight, b.limits.MaxSum/softs))
	switch how {
	case levelWeights:
		b.weighLevels(softs)
		return
	case tightWeights:
		if base := largest - largest/tightSpread; largest >= tightLeast {
			b.eachSoft(func(c *flatClause) { c.weight = b.Between64(base, largest) })
			return
		}
	case unitWeighing:
		largest = 1
	}
	for i := range b.f.clauses {
		if c := &b.f.clauses[i]; c.weight > 0 {
			c.weight = b.Between64(1, largest)
		}
	}
}

// weighLevels cuts the soft clauses into levels. The weights of a level are multiples of a scale: one
// more than the sum of all levels before it. Where the limits leave no room for that, a level keeps the
// scale of the level before.
func (b *Builder) weighLevels(softs uint64) {
	levels := uint64(min(b.Between(2, gbmoMostLevels), int(softs)))
	sum, scale, seen := uint64(0), uint64(1), uint64(0)
	within := min(gbmoLevelWeight, b.limits.MaxSum/softs)
	for i := range b.f.clauses {
		c := &b.f.clauses[i]
		if c.weight == 0 {
			continue
		}
		if left := softs - seen; seen > 0 && seen*levels/softs != (seen-1)*levels/softs {
			next := sum + 1
			if next <= b.limits.MaxWeight/within && next <= (b.limits.MaxSum-sum)/within/left {
				scale = next
			}
		}
		seen++
		weight := scale * b.Between64(1, within)
		left := softs - seen // each of them needs at least 1
		c.weight = max(1, min(weight, b.limits.MaxWeight, b.limits.MaxSum-sum-left))
		sum += c.weight
	}
}

func (b *Builder) softCount() int {
	n := 0
	for i := range b.f.clauses {
		if b.f.clauses[i].weight > 0 {
			n++
		}
	}
	return n
}

func (b *Builder) eachSoft(visit func(c *flatClause)) {
	for i := range b.f.clauses {
		if c := &b.f.clauses[i]; c.weight > 0 {
			visit(c)
		}
	}
}

// dropSoftBeyond drops the soft clauses after the first most.
func (b *Builder) dropSoftBeyond(most uint64) {
	kept := b.f.clauses[:0]
	for _, c := range b.f.clauses {
		if c.weight > 0 {
			if most == 0 {
				continue
			}
			most--
		}
		kept = append(kept, c)
	}
	b.f.clauses = kept
}
