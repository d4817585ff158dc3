package cause

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// LiteralOrder is the name of the experiments that give the literals of clauses in another order. They are
// not a variant, since they take nothing out: no order is more special than another. If a mistake depends
// on the order, the search makes it.
const LiteralOrder = "literal-order"

// mostOrders bounds the orders that are tried. A mistake of the search may show in most orders.
const mostOrders = 8

// reordered returns the trace with its clauses, their literals and its soft literals in other orders, all
// different.
func reordered(t *trace.Trace) (versions []*trace.Trace) {
	r := rand.New(rand.NewPCG(1, 1)) // the same trace gets the same experiments
	seen := []string{t.String()}
	for range 2 * mostOrders {
		order := shuffled(t, r)
		version := edit(t, func(d *draft, i int, c *trace.Call) {
			d.keep(order[i])
			if c.Op == apimodel.OpClause {
				lits := d.to.Args(&d.to.Calls[len(d.to.Calls)-1])
				r.Shuffle(len(lits), func(a, b int) { lits[a], lits[b] = lits[b], lits[a] })
			}
		}).version(nil)
		if version == nil || slices.Contains(seen, version.Trace.String()) {
			continue
		}
		seen = append(seen, version.Trace.String())
		if versions = append(versions, version.Trace); len(versions) == mostOrders {
			break
		}
	}
	return versions
}

// shuffled returns the numbers of the calls in another order. It shuffles consecutive clauses, and soft
// literals unless one of them is declared again, since their order may matter then.
func shuffled(t *trace.Trace, r *rand.Rand) []int {
	order := inOrder(t)
	open := make(map[uint16]bool) // instances with a clause that the next call continues
	for i := 0; i < len(order); {
		first, j := &t.Calls[i], i
		if first.Op == apimodel.OpClause {
			piece := open[first.Instance]
			if open[first.Instance] = first.Flags&trace.Open != 0; piece {
				i++
				continue
			}
		}
		var softs []int32
		for ; j < len(order) && t.Calls[j].Op == first.Op && t.Calls[j].Instance == first.Instance; j++ {
			c := &t.Calls[j]
			if !movable(c) || c.Op == apimodel.OpAssume || c.Op == apimodel.OpSoft && slices.Contains(softs, t.Args(c)[0]) {
				break
			}
			if c.Op == apimodel.OpSoft {
				softs = append(softs, t.Args(c)[0])
			}
		}
		r.Shuffle(j-i, func(a, b int) { order[i+a], order[i+b] = order[i+b], order[i+a] })
		i = max(j, i+1)
	}
	return order
}

// TryOrders runs the root with other orders of literals until it passes.
func (d *Diagnosis) TryOrders(ctx context.Context, root *trace.Trace, shows Shows,
	allowed func(*trace.Trace) bool) error {
	for _, t := range reordered(root) {
		if allowed != nil && !allowed(t) {
			continue
		}
		failed, err := shows(ctx, t)
		if err != nil {
			return err
		}
		d.Experiments = append(d.Experiments, Experiment{Variant: LiteralOrder, Trace: t.String(), Failed: failed})
		if !failed {
			if d.Cause == Nothing {
				d.Sentence += ", though not with every order of literals"
			}
			return nil
		}
	}
	return nil
}

// DependsOnOrder reports whether the failure disappears with another order of literals.
func (d *Diagnosis) DependsOnOrder() bool {
	return slices.ContainsFunc(d.Experiments, func(e Experiment) bool { return e.Variant == LiteralOrder && !e.Failed })
}
