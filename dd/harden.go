package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// harden replaces calls by ones that demand less of the solver: a soft literal by a
// hard clause or an assumption that forbids it, an assumption by a clause.
func harden(r *reducer) error {
	for _, turn := range []struct {
		from, to apimodel.Op
		sign     int32
	}{
		{apimodel.OpSoft, apimodel.OpClause, -1},
		{apimodel.OpAssume, apimodel.OpClause, 1},
	} {
		var places []int
		for i := range r.best.Calls {
			if r.best.Calls[i].Op == turn.from {
				places = append(places, i)
			}
		}
		err := r.items(len(places), func(t *trace.Trace, gone []bool) *trace.Trace {
			return rewrite(t, func(b *builder, i int, c *trace.Call) {
				if place, found := slices.BinarySearch(places, i); found && gone[place] {
					b.call(turn.to, 0, c.Instance, 0, turn.sign*t.Lit(c))
					return
				}
				b.keep(i)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
