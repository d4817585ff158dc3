package dd

import (
	"math/rand/v2"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// This file has the published strategies, for comparison. As with strategy Own, candidates
// are made legal and verdicts are cached: only the candidates and their order differ.

// linesPasses removes every line by itself, then every literal, then renames,
// until nothing changes.
func linesPasses() []*pass {
	passes := []*pass{
		{PassStats: PassStats{Name: "lines"}, run: dropCalls},
		{PassStats: PassStats{Name: "literals"}, run: dropLiterals},
		{PassStats: PassStats{Name: "renaming"}, run: renameAll},
	}
	for _, p := range passes {
		p.search = engine.OneByOne
	}
	return passes
}

// renameAll numbers the variables from 1 in order of first occurrence.
func renameAll(r *reducer) error {
	t := r.best
	_, err := r.try(func() *trace.Trace {
		known := numbering[int32]{}
		return renamed(t, func(lit int32) int32 {
			v := int32(known.of(trace.Var(lit))) + 1
			if lit < 0 {
				return -v
			}
			return v
		})
	})
	return err
}

// wcnfddminPasses removes clauses (here: calls), variables and literals (not in the
// first round), makes what is soft hard, sets weights to 1 and halves weights. It
// tries sets of half the size each time, without complements. Between rounds it
// shuffles clauses and literals and renames variables.
func wcnfddminPasses() []*pass {
	passes := []*pass{
		{PassStats: PassStats{Name: "clauses"}, run: dropCalls},
		{PassStats: PassStats{Name: "variables"}, run: dropVariables},
		{PassStats: PassStats{Name: "literals"}, run: func(r *reducer) error {
			if r.round == 1 {
				return nil
			}
			return dropLiterals(r)
		}},
		{PassStats: PassStats{Name: "soft to hard"}, run: func(r *reducer) error { return r.hardened(apimodel.Op.IsSoft) }},
		{PassStats: PassStats{Name: "weights to 1"}, run: unitWeights},
		{PassStats: PassStats{Name: "binary weights"}, run: binaryWeights},
		{PassStats: PassStats{Name: "renaming"}, run: renameAll},
		{PassStats: PassStats{Name: "shuffle"}, run: shuffle},
	}
	for _, p := range passes {
		p.search = engine.Sweep
	}
	return passes
}

// binaryWeights bisects every weight down to a tenth of its value.
func binaryWeights(r *reducer) error {
	for _, call := range heavy(r.best) {
		low, high := uint64(1), r.best.Calls[call].Num
		for precision := max(1, high/10); high-low > precision; {
			middle := low + (high-low)/2
			t := r.best
			found, err := r.try(func() *trace.Trace {
				return reweighted(t, []int{call}, func(int, uint64) uint64 { return middle })
			})
			if err != nil {
				return err
			}
			if found {
				high = middle
			} else {
				low = middle
			}
		}
	}
	return nil
}

// shuffle permutes neighbouring calls and the literals of clauses. It does so only at the end of
// a round that improved the trace: otherwise the reduction would never end.
func shuffle(r *reducer) error {
	if !r.improved {
		return nil
	}
	rng := rand.New(rand.NewPCG(r.config.Seed, uint64(r.round)))
	t := rewrite(r.best, func(b *builder, i int, c *trace.Call) { b.keep(i) })
	shuffleLiterals(t, rng)
	return r.reshape(callsShuffled(t, rng))
}

// reshape adopts a trace, even one that is not smaller, if it still fails in the same way.
func (r *reducer) reshape(t *trace.Trace) error {
	if !r.legal(t) {
		return nil
	}
	_, candidate, v, err := r.lab.First(engine.Of(func() (*trace.Trace, bool) { return t, true }))
	if err == nil && v.Holds {
		m := measureOf(candidate, r.config.Description)
		r.best, r.verdict = candidate, v.Note.(Verdict)
		r.size = m
		r.problem++
		if !r.verdict.Shift {
			r.unshifted = r.best
		}
	}
	return err
}
