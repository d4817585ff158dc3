package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The profile longhand makes traces like those of other API fuzzers. IPASIR has a function for one
// literal, so their traces have a call for every literal and one for the end of a clause. They set
// options by the hundred before the first clause.

const (
	longhandCalls     = 5   // for a clause, on average: its literals and its end
	fewestOptionCalls = 100 // of a solver
	mostOptionCalls   = 500
	longhandWoven     = 4 // a quarter of the spare calls is for weaving
)

// writeLonghand splits clauses into a call for each literal and one for the end, as far as the bound
// on calls has room.
func (g *emitter) writeLonghand() {
	if !g.possible.Has(feature.SplitClause) {
		return
	}
	plain, t := g.again()
	spare := g.config.MaxCalls - len(plain.Calls)
	if g.model.Extends != nil {
		spare -= spare / longhandWoven
	}
	for i := range plain.Calls {
		c := &plain.Calls[i]
		closed := c.Flags&trace.Open == 0
		more := int(c.Len)
		if !closed {
			more--
		}
		if c.Op != apimodel.OpClause || more <= 0 || more > spare {
			t.Append(plain, c)
			continue
		}
		spare -= more
		for _, l := range plain.Args(c) {
			t.Clause(c.Instance, false, l)
		}
		if closed {
			t.Clause(c.Instance, true)
		}
		g.use(feature.SplitClause)
	}
}

// manyOptions sets hundreds of options of a new solver to any values or to the ends of their ranges. If the target has
// fewer options, it sets them repeatedly.
func (s *instance) manyOptions(g *emitter) {
	c := &g.settings
	r := &g.rand
	n := min(r.Between(fewestOptionCalls, mostOptionCalls), g.config.MaxCalls/4/g.plan.instances)
	ends := r.Chance(200)
	for range n {
		i := int(r.Below(uint32(len(c.options))))
		o := &c.options[i]
		sample := uint8(r.Below(uint32(len(o.samples))))
		if ends {
			sample = o.low
			if r.Flip() {
				sample = o.high
			}
		}
		s.setOption(g, i, sample)
	}
}
