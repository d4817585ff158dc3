package file

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// mostPlanted is the maximum number of variables of an assignment in a header.
const mostPlanted = 4000

// plant adds the assignment that the family knows to the trace, if it still satisfies the hard clauses.
func (g *Emitter) plant(t *trace.Trace) {
	if len(g.f.Planted) == 0 || int(g.vars) > mostPlanted {
		return
	}
	isTrue := func(lit int32) bool {
		v := max(lit, -lit)
		return (int(v) < len(g.f.Planted) && g.f.Planted[v]) == (lit > 0)
	}
	cost := uint64(0)
	for i := range g.lines {
		switch l := &g.lines[i]; {
		case slices.ContainsFunc(l.lits, isTrue):
		case l.isHard():
			return
		default:
			cost += l.weight
		}
	}
	p := t.Plant(0)
	p.Cost = cost
	for v := int32(1); v <= g.vars; v++ {
		name := g.name(v)
		if !isTrue(v) {
			name = -name
		}
		p.Lits = append(p.Lits, name)
	}
}
