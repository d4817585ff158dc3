package dd

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// joinSofts makes one call of two soft literals of a variable, or of two soft clauses with the same literals, that no
// other kind of call separates. Equal ones get the sum of their weights, opposite literals the difference.
func joinSofts(r *reducer) error {
	pairs := softPairs(r.best)
	return r.guessed(len(pairs), guess{others: one}, func(t *trace.Trace, gone []bool) *trace.Trace {
		weights := make(map[int]uint64)
		for n, p := range pairs {
			if !gone[n] {
				continue
			}
			first, second := &t.Calls[p[0]], &t.Calls[p[1]]
			switch {
			case first.Len != 1 || t.Lit(first) == t.Lit(second):
				weights[p[0]], weights[p[1]] = first.Num+second.Num, 0
			case first.Num >= second.Num:
				weights[p[0]], weights[p[1]] = first.Num-second.Num, 0
			default:
				weights[p[0]], weights[p[1]] = 0, second.Num-first.Num
			}
		}
		return rewrite(t, func(b *builder, i int, _ *trace.Call) {
			if weight, joined := weights[i]; !joined {
				b.keep(i)
			} else if weight > 0 {
				b.number(i, weight)
			}
		})
	})
}

// softPairs returns pairs of soft calls about one variable or one set of literals, each call in one pair.
func softPairs(t *trace.Trace) (pairs [][2]int) {
	waiting := make(map[string]int)
	for i := range t.Calls {
		c := &t.Calls[i]
		if !movable(t, i) {
			clear(waiting)
			continue
		}
		if !c.Op.IsSoft() {
			continue
		}
		lits := slices.SortedFunc(slices.Values(t.Args(c)), compareLits)
		if len(lits) == 1 {
			lits[0] = trace.Var(lits[0])
		}
		at := fmt.Sprint(c.Instance, lits)
		if first, found := waiting[at]; found && t.Calls[first].Num+c.Num >= c.Num {
			pairs = append(pairs, [2]int{first, i})
			delete(waiting, at)
			continue
		}
		waiting[at] = i
	}
	return pairs
}
