package dd

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mostMerged is how many variables a trace may have for two of them to be merged: with more, it takes
// too many tests until few are left.
const mostMerged = 12

// mergeVariables replaces a variable by another one or its negation. It tries only a few
// partners for each variable, since most pairs cannot be merged. It begins with partners that
// make a clause of two literals true, because that clause then goes, too.
func mergeVariables(r *reducer) error {
	const vain = 4 // partners that are tried in vain
	for {
		t := r.best
		pairs := partners(t, mostMerged)
		at := 0
		index, err := r.first(func() (engine.Trial[*trace.Trace], bool) {
			if at == len(pairs) || at >= vain {
				return nil, false
			}
			p := pairs[at]
			at++
			return r.trial(func() *trace.Trace { return merged(t, p[0], p[1]) }), true
		})
		if err != nil || index < 0 {
			return err
		}
	}
}

// partners returns pairs of a variable and the literal that may replace it.
func partners(t *trace.Trace, most int) [][2]int32 {
	vars := t.Variables()
	if len(vars) > most {
		return nil
	}
	var pairs [][2]int32
	add := func(v, lit int32) {
		if v < trace.Var(lit) {
			v, lit = trace.Var(lit), v*(lit/trace.Var(lit))
		}
		if pair := [2]int32{v, lit}; v != trace.Var(lit) && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op.IsClause() && c.Len == 2 && !inPieces(t, i) {
			a, b := t.Args(c)[0], t.Args(c)[1]
			if a < 0 {
				a, b = -a, -b
			}
			add(a, -b)
		}
	}
	for distance := 1; distance <= 2; distance++ {
		for high := len(vars) - 1; high >= distance; high-- {
			add(vars[high], vars[high-distance])
			add(vars[high], -vars[high-distance])
		}
	}
	return pairs
}

// merged replaces a variable by a literal, and removes clauses that become true.
func merged(t *trace.Trace, v, lit int32) *trace.Trace {
	if t.Model.Quantified() { // the other variable stays in its block
		t = rewrite(t, func(b *builder, i int, c *trace.Call) {
			if c.Op.Binds() {
				b.unbind(i, func(_ int, bound int32) bool { return bound == v })
				return
			}
			b.keep(i)
		})
	}
	to := renamed(t, func(l int32) int32 {
		switch l {
		case v:
			return lit
		case -v:
			return -lit
		}
		return l
	})
	return without(to, func(i int) bool {
		c := &to.Calls[i]
		return c.Op.IsClause() && slices.Contains(to.Args(c), lit) && slices.Contains(to.Args(c), -lit) &&
			!inPieces(to, i)
	})
}

// flipPolarity negates variables that are mostly negated.
func flipPolarity(r *reducer) error {
	balance := balanceOf(r.best)
	var negated []int32
	for _, v := range r.best.Variables() {
		if balance[v] < 0 {
			negated = append(negated, v)
		}
	}
	return r.items(len(negated), func(t *trace.Trace, gone []bool) *trace.Trace {
		return renamed(t, func(lit int32) int32 {
			if place := slices.Index(negated, trace.Var(lit)); place >= 0 && gone[place] {
				return -lit
			}
			return lit
		})
	})
}

// balanceOf returns, for each variable, the number of its positive minus that of its negative
// occurrences.
func balanceOf(t *trace.Trace) map[int32]int {
	balance := make(map[int32]int)
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() {
			continue
		}
		for _, lit := range t.Args(c) {
			if lit < 0 {
				balance[-lit]--
			} else {
				balance[lit]++
			}
		}
	}
	return balance
}

// makePositive negates single negative literals. Formulas mostly need both signs of a variable, so
// only a thorough search tries this in them.
func makePositive(r *reducer) error {
	negative := func(c *trace.Call, lit int32) bool {
		return lit < 0 && (r.thorough || !c.Op.IsClause() && !c.Op.IsSoft())
	}
	n := 0
	for i := range r.best.Calls {
		if c := &r.best.Calls[i]; c.Op.HasLits() {
			for _, lit := range r.best.Args(c) {
				if negative(c, lit) {
					n++
				}
			}
		}
	}
	return r.items(n, func(t *trace.Trace, gone []bool) *trace.Trace {
		at := 0
		return rewrite(t, func(b *builder, i int, c *trace.Call) {
			b.keep(i)
			if !c.Op.HasLits() {
				return
			}
			changed := false
			lits := b.to.Args(&b.to.Calls[len(b.to.Calls)-1])
			for place, lit := range lits {
				if negative(c, lit) {
					if gone[at] {
						lits[place], changed = -lit, true
					}
					at++
				}
			}
			if changed && len(b.to.Want.Of) > 0 {
				b.to.Want.Of[len(b.to.Want.Of)-1] = trace.Answer{}
			}
		})
	})
}

// renumber numbers instances from 0 and variables from 1, in order of first
// occurrence: all at once, then one by one. If the failure needs a gap, the gap
// becomes the smallest that shows it, unless the number behind it has one digit.
func renumber(r *reducer) error {
	if err := renumberInstances(r); err != nil {
		return err
	}
	if err := renameAll(r); err != nil {
		return err
	}
	for i := range r.best.Variables() {
		vars := r.best.Variables()
		v, free := vars[i], int32(1)
		for slices.Contains(vars, free) {
			free++
		}
		if free > v {
			continue
		}
		number := func(t *trace.Trace, n uint64) *trace.Trace {
			if slices.Contains(vars, int32(n)) {
				return nil
			}
			return renamed(t, func(lit int32) int32 {
				switch lit {
				case v:
					return int32(n)
				case -v:
					return -int32(n)
				}
				return lit
			})
		}
		if !r.worthwhile(uint64(v)) {
			if _, err := r.try(func() *trace.Trace { return number(r.best, uint64(free)) }); err != nil {
				return err
			}
			continue
		}
		if err := r.least(uint64(free), uint64(v), hunt{near: true}, number); err != nil {
			return err
		}
	}
	return nil
}

func renumberInstances(r *reducer) error {
	t := r.best
	all := func() *trace.Trace {
		known := numbering[uint16]{}
		return reinstanced(t, func(instance uint16) uint16 { return uint16(known.of(instance)) })
	}
	if done, err := r.try(all); done || err != nil {
		return err
	}
	for i := range r.best.Instances() {
		t := r.best
		instances := instancesOf(t)
		from, free := instances[i], uint16(0)
		for slices.Contains(instances, free) {
			free++
		}
		if free > from {
			continue
		}
		if _, err := r.try(func() *trace.Trace {
			return reinstanced(t, func(instance uint16) uint16 {
				if instance == from {
					return free
				}
				return instance
			})
		}); err != nil {
			return err
		}
	}
	return nil
}

func instancesOf(t *trace.Trace) []uint16 {
	var list []uint16
	for i := range t.Calls {
		if instance := t.Calls[i].Instance; !slices.Contains(list, instance) {
			list = append(list, instance)
		}
	}
	return list
}

func reinstanced(t *trace.Trace, number func(instance uint16) uint16) *trace.Trace {
	to := *t
	to.Calls = slices.Clone(t.Calls)
	for i := range to.Calls {
		to.Calls[i].Instance = number(to.Calls[i].Instance)
	}
	to.Planted = slices.Clone(t.Planted)
	for i := range to.Planted {
		to.Planted[i].Instance = number(to.Planted[i].Instance)
	}
	return &to
}
