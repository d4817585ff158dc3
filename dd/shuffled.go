package dd

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// dropShuffled removes a call or a literal, or merges two variables, and shuffles the rest. Some
// failures come and go with the path that a solver's search takes. Often nothing can go from their
// traces, until variables change their signs or clauses their order. In large traces, the other
// passes find more.
//
// A search with more tests in vain finds more, but few traces show such failures, and all others pay for it.
func dropShuffled(r *reducer) error {
	const (
		least, most = 23, 120 // bulk of traces that are shuffled
		vain        = 8       // tests in vain after which the pass ends
	)
	for {
		t, bulk := r.best, r.bulkNow()
		if bulk < least || bulk > most {
			return nil
		}
		key, n := keyOf(t), uint64(0)
		seed := binary.LittleEndian.Uint64(key[:])
		index, err := r.first(func() (engine.Trial[*trace.Trace], bool) {
			if n == vain {
				return nil, false
			}
			n++
			stream := n
			return r.trial(func() *trace.Trace {
				rng := rand.New(rand.NewPCG(seed, stream))
				if smaller := lessened(t, rng); smaller != nil {
					return shuffled(smaller, rng)
				}
				return nil
			}), true
		})
		if err != nil || index < 0 {
			return err
		}
	}
}

// lessened returns the trace without a call or a literal, or with two variables merged. It returns
// nil if the choice fell on nothing that can go.
func lessened(t *trace.Trace, rng *rand.Rand) *trace.Trace {
	var problem, long []int // calls that can go; clauses that can lose a literal
	for i := range t.Calls {
		if !movable(t, i) {
			continue
		}
		problem = append(problem, i)
		if c := &t.Calls[i]; c.Op.IsClause() && c.Len > 1 {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return nil
	}
	relaxations, vars := relaxationsOf(t), t.Variables()
	switch n := rng.IntN(10); {
	case n < 5:
		gone := []int{problem[rng.IntN(len(problem))]}
		for i := range t.Calls { // a soft clause goes as a whole or by half
			x := relaxed(relaxations)[i]
			if x != nil && (x.clause == gone[0] || slices.Contains(x.softs, gone[0])) && rng.IntN(2) == 0 {
				gone = append(slices.Clone(x.softs), x.clause)
				break
			}
		}
		return without(t, func(i int) bool { return slices.Contains(gone, i) })
	case n < 8 || len(vars) > mostMerged:
		call := long[rng.IntN(len(long))]
		place := rng.IntN(int(t.Calls[call].Len))
		return dropLits(t, relaxed(relaxations), func(i, at int, _ int32) bool { return i == call && at == place })
	}
	v, lit := vars[rng.IntN(len(vars))], vars[rng.IntN(len(vars))]
	if v == lit {
		return nil
	}
	if rng.IntN(2) == 0 {
		lit = -lit
	}
	return merged(t, v, lit)
}

// shuffled negates half of the variables, and reorders the literals of clauses, the calls, both or
// neither.
func shuffled(t *trace.Trace, rng *rand.Rand) *trace.Trace {
	negated := make(map[int32]bool)
	for _, v := range t.Variables() {
		negated[v] = rng.IntN(2) == 0
	}
	to := renamed(t, func(lit int32) int32 {
		if negated[trace.Var(lit)] {
			return -lit
		}
		return lit
	})
	if rng.IntN(2) == 0 {
		shuffleLiterals(to, rng)
	}
	if rng.IntN(2) == 0 {
		to = callsShuffled(to, rng)
	}
	return to
}

// shuffleLiterals permutes the literals of each clause, in place.
func shuffleLiterals(t *trace.Trace, rng *rand.Rand) {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op.IsClause() {
			lits := t.Args(c)
			rng.Shuffle(len(lits), func(i, j int) { lits[i], lits[j] = lits[j], lits[i] })
		}
	}
}

// callsShuffled returns the trace with the movable calls between two others permuted.
func callsShuffled(t *trace.Trace, rng *rand.Rand) *trace.Trace {
	order := identity(len(t.Calls))
	for from := 0; from < len(order); {
		to := endOfRun(t, from)
		if run := order[from:max(to, from)]; len(run) > 1 {
			rng.Shuffle(len(run), func(i, j int) { run[i], run[j] = run[j], run[i] })
		}
		from = max(to, from+1)
	}
	return reordered(t, order)
}
