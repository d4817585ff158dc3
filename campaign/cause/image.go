package cause

import (
	"math/rand/v2"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An image of a trace poses the same problems with other variable names, other polarities, and another
// order of clauses and literals. A failure that depends on the path of a search may show in one image and
// not in another.

// mostImages is the number of images that are tried.
const mostImages = 4

// Images returns images of the trace, always the same for the same trace. The first only flips all
// polarities.
func Images(t *trace.Trace) []*trace.Trace { return images(t, mostImages) }

// images returns at most that many images.
func images(t *trace.Trace, most int) (images []*trace.Trace) {
	if t.Model.Quantified() { // the order of blocks matters, and their variables have no polarities
		return nil
	}
	vars := variablesOf(t)
	r := rand.New(rand.NewPCG(1, 2))
	for k := range most {
		to, image := make(map[int32]int32, len(vars)), (*trace.Trace)(nil)
		if k == 0 {
			for _, v := range vars {
				to[v] = -v
			}
			image = renamed(t, inOrder(t), to, nil)
		} else {
			for i, number := range r.Perm(len(vars)) {
				to[vars[i]] = vars[number]
				if r.IntN(2) == 0 {
					to[vars[i]] = -vars[number]
				}
			}
			image = renamed(t, shuffled(t, r), to, r)
		}
		if image != nil {
			images = append(images, image)
		}
	}
	return images
}

// renamed returns the trace with its calls in that order, other literals for the positive ones and, unless
// r is nil, the literals of clauses in another order. It returns nil if the result is not a legal trace.
func renamed(t *trace.Trace, order []int, to map[int32]int32, r *rand.Rand) *trace.Trace {
	name := func(lit int32) int32 {
		if lit < 0 {
			return -to[-lit]
		}
		return to[lit]
	}
	d := edit(t, func(d *draft, i int, _ *trace.Call) { d.keep(order[i]) })
	for i := range d.to.Calls {
		if c := &d.to.Calls[i]; c.Op.HasLits() {
			lits := d.to.Args(c)
			for k, lit := range lits {
				lits[k] = name(lit)
			}
			if c.Op == apimodel.OpClause && r != nil {
				r.Shuffle(len(lits), func(a, b int) { lits[a], lits[b] = lits[b], lits[a] })
			}
		}
	}
	d.to.Planted = t.RenamePlanted(name)
	return d.legal(nil)
}

func inOrder(t *trace.Trace) []int {
	order := make([]int, len(t.Calls))
	for i := range order {
		order[i] = i
	}
	return order
}

// withImages returns versions. To a single version it adds its images, which pose the same problems.
func withImages(versions []*Version) []*Version {
	if len(versions) != 1 || versions[0] == nil || versions[0].Control != nil {
		return versions
	}
	n := versions[0]
	for _, image := range Images(n.Trace) {
		versions = append(versions, &Version{Trace: image, Shared: n.Shared})
	}
	return versions
}
