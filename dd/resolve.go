package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// resolve replaces the only two clauses of a variable, in which it has different signs, by their
// resolvent. What follows for the other variables stays the same. The resolvent with a soft clause is
// soft: of both clauses, a solution need only falsify the cheaper one.
func resolve(r *reducer) error {
	t := r.best
	pivots := pivotsOf(t)
	return r.guessed(len(pivots), guess{others: one}, func(t *trace.Trace, gone []bool) *trace.Trace {
		into := make(map[int]int) // from a clause to the clause that takes its literals
		root := func(i int) int {
			for into[i] != i {
				i = into[i]
			}
			return i
		}
		pivot := make(map[place]bool)
		for n, p := range pivots {
			if !gone[n] {
				continue
			}
			for _, i := range p.clauses {
				if _, known := into[i]; !known {
					into[i] = i
				}
			}
			a, b := root(p.clauses[0]), root(p.clauses[1])
			into[max(a, b)] = min(a, b)
			pivot[p.place] = true
		}
		lits, weight := make(map[int][]int32), make(map[int]uint64)
		for i := range t.Calls {
			if _, joined := into[i]; !joined {
				continue
			}
			c := &t.Calls[i]
			to := root(i)
			if c.Op.IsSoft() && (weight[to] == 0 || c.Num < weight[to]) {
				weight[to] = c.Num
			}
			for _, lit := range t.Args(c) {
				if !pivot[place{c.Instance, trace.Var(lit)}] && !slices.Contains(lits[to], lit) {
					lits[to] = append(lits[to], lit)
				}
			}
		}
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			if _, joined := into[i]; !joined {
				b.keep(i)
			} else if root(i) == i && len(lits[i]) > 0 {
				op := apimodel.OpClause
				if weight[i] > 0 {
					op = apimodel.OpSoftClause
				}
				b.call(op, c.Flags, c.Instance, weight[i], lits[i]...)
			}
		})
	})
}

// A pivot is a variable that occurs in two clauses only, with both signs.
type pivot struct {
	place
	clauses [2]int
}

func pivotsOf(t *trace.Trace) []pivot {
	type occurrence struct {
		n, sum  int
		clauses [2]int
	}
	occurs := make(map[place]*occurrence)
	var order []place
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() || c.Op.Does(apimodel.Asks) {
			continue
		}
		whole := c.Op.IsClause() && !inPieces(t, i)
		for _, lit := range t.Args(c) {
			at := place{c.Instance, trace.Var(lit)}
			o := occurs[at]
			if o == nil {
				o = new(occurrence)
				occurs[at] = o
				order = append(order, at)
			}
			if o.n < 2 && whole {
				o.clauses[o.n] = i
			}
			o.n++
			if !whole {
				o.n = 3
			}
			if lit > 0 {
				o.sum++
			}
		}
	}
	var pivots []pivot
	for _, at := range order {
		if o := occurs[at]; o.n == 2 && o.sum == 1 && o.clauses[0] != o.clauses[1] {
			pivots = append(pivots, pivot{at, o.clauses})
		}
	}
	return pivots
}
