package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// joinSofts makes one call of two soft literals of a variable that no other kind of call separates.
// Equal literals get the sum of their weights, opposite ones the difference.
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
			case t.Lit(first) == t.Lit(second):
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

// softPairs returns pairs of soft calls about one variable, each call in one pair.
func softPairs(t *trace.Trace) (pairs [][2]int) {
	waiting := make(map[place]int)
	for i := range t.Calls {
		c := &t.Calls[i]
		if !movable(t, i) {
			clear(waiting)
			continue
		}
		if c.Op != apimodel.OpSoft {
			continue
		}
		at := place{c.Instance, trace.Var(t.Lit(c))}
		if first, found := waiting[at]; found && t.Calls[first].Num+c.Num >= c.Num {
			pairs = append(pairs, [2]int{first, i})
			delete(waiting, at)
			continue
		}
		waiting[at] = i
	}
	return pairs
}

// dropLoneSofts removes all soft literals whose variable occurs nowhere else, and gives the others new
// weights, one 2 and the rest 1. Such a literal costs nothing. If the failure seems to need it, it often
// just needs some difference, which another weight makes as well.
func dropLoneSofts(r *reducer) error {
	const most = 4 // other soft literals
	t := r.best
	occurs := make(map[place]int)
	for i := range t.Calls {
		for _, lit := range litsOf(t, i) {
			occurs[place{t.Calls[i].Instance, trace.Var(lit)}]++
		}
	}
	lone := make([]bool, len(t.Calls))
	var others []int
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSoft {
			if lone[i] = occurs[place{c.Instance, trace.Var(t.Lit(c))}] == 1; !lone[i] {
				others = append(others, i)
			}
		}
	}
	if !slices.Contains(lone, true) || len(others) < 2 || len(others) > most {
		return nil
	}
	at := 0
	_, err := r.first(func() (engine.Trial[*trace.Trace], bool) {
		if at == len(others) {
			return nil, false
		}
		heavy := others[at]
		at++
		return r.trial(func() *trace.Trace {
			return rewrite(t, func(b *builder, i int, c *trace.Call) {
				switch {
				case lone[i]:
				case i == heavy:
					b.number(i, 2)
				case c.Op == apimodel.OpSoft:
					b.number(i, 1)
				default:
					b.keep(i)
				}
			})
		}), true
	})
	return err
}
