package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// repeatLiterals repeats a literal of some clauses once or twice, with random numbers of its own. The
// clauses mean the same, but some solvers count literals.
func (g *emitter) repeatLiterals(seed uint64) {
	if !g.possible.Has(feature.DuplicateLiterals) {
		return
	}
	r := draw.New(draw.Mix(seed ^ draw.Golden>>2))
	plain, t := g.again()
	var lits []int32
	for i := range plain.Calls {
		c := &plain.Calls[i]
		if c.Op != apimodel.OpClause || c.Len == 0 || !r.Chance(300) {
			t.Append(plain, c)
			continue
		}
		lits = append(lits[:0], plain.Args(c)...)
		again := lits[r.Below(uint32(len(lits)))]
		for range 1 + r.Below(2) {
			at := int(r.Below(uint32(len(lits) + 1)))
			lits = append(lits, 0)
			copy(lits[at+1:], lits[at:])
			lits[at] = again
		}
		t.Clause(c.Instance, c.Flags&trace.Open == 0, lits...)
		g.use(feature.DuplicateLiterals)
	}
}
