package cause

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// isSoftLiteral reports whether a call makes one literal soft. In a formula file, the literal of a soft clause costs if
// it is false.
func isSoftLiteral(c *trace.Call) bool { return c.Op.IsSoft() && c.Len == 1 }

// declarations returns the calls of a life that make one literal soft, by literal, and the literals in the order of
// their first calls.
func (l *life) declarations(t *trace.Trace) (order []int32, of map[int32][]int) {
	of = make(map[int32][]int)
	for _, i := range l.of(t, apimodel.OpSoft, apimodel.OpSoftClause) {
		if !isSoftLiteral(&t.Calls[i]) {
			continue
		}
		lit := t.Lit(&t.Calls[i])
		if len(of[lit]) == 0 {
			order = append(order, lit)
		}
		of[lit] = append(of[lit], i)
	}
	return order, of
}

// A span is the part of a life between two calls.
type span struct {
	instance uint16
	from, to int
}

// within reports whether a call is in one of the spans.
func within(t *trace.Trace, spans []span, call int) bool {
	return slices.ContainsFunc(spans, func(s span) bool {
		return s.instance == t.Calls[call].Instance && s.from < call && call < s.to
	})
}

// costsOutside returns a function for version: only the optima of solves in the spans differ.
func costsOutside(t *trace.Trace, spans []span) func(solve int) (same, cost bool) {
	return func(solve int) (bool, bool) { return true, !within(t, spans, solve) }
}

// softOnce declares every soft literal once, with its last weight.
func softOnce(t *trace.Trace) []*Version {
	if t.Model.File { // all weights count
		return nil
	}
	gone := make(map[int]bool)
	lives, _ := livesOf(t)
	var spans []span
	for _, l := range lives {
		order, all := l.declarations(t)
		for _, lit := range order {
			calls := all[lit]
			last := len(calls) - 1
			for _, i := range calls[:last] {
				gone[i] = true
				spans = append(spans, span{l.instance, i, calls[last]})
			}
		}
	}
	return dropping(t, gone, costsOutside(t, spans))
}

func detailSoftOnce(t *trace.Trace) string {
	lives, _ := livesOf(t)
	for _, l := range lives {
		order, all := l.declarations(t)
		for _, lit := range order {
			for _, i := range all[lit][1:] {
				if t.Calls[i].Num != t.Calls[all[lit][0]].Num {
					return "the same soft literal declared twice with different weights"
				}
			}
		}
	}
	return "the same soft literal declared twice"
}

// dropping returns a version without some calls, or nil if there are no such calls.
func dropping(t *trace.Trace, gone map[int]bool, has func(solve int) (same, cost bool)) []*Version {
	if len(gone) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, _ *trace.Call) {
		if !gone[i] {
			d.keep(i)
		}
	}).version(has)}
}

// onePolarity declares a fresh variable soft in place of a literal whose negation is already soft, and
// makes the variable equal to the literal.
func onePolarity(t *trace.Trace) []*Version {
	type place struct {
		life *life
		lit  int32
	}
	second := make(map[place]bool)
	first := make(map[int]bool) // the first soft call of such a literal
	lives, of := livesOf(t)
	for _, l := range lives {
		order, all := l.declarations(t)
		for at, lit := range order {
			if slices.Contains(order[:at], -lit) {
				second[place{l, lit}] = true
				first[all[lit][0]] = true
			}
		}
	}
	if len(first) == 0 {
		return nil
	}
	fresh := make(map[place]int32)
	n := edit(t, func(d *draft, i int, c *trace.Call) {
		if !isSoftLiteral(c) || !second[place{of[i], t.Lit(c)}] {
			d.keep(i)
			return
		}
		p := place{of[i], t.Lit(c)}
		if first[i] {
			fresh[p] = d.fresh()
			d.equal(c.Instance, fresh[p], t.Lit(c))
		}
		d.keepWith(i, fresh[p])
	}).version(nil)
	fill := make(insertions)
	for i := range first {
		fill.before(i, filler(t.Calls[i].Instance, 2))
	}
	return []*Version{fill.with(t).control(n)}
}

// noZeroWeights drops declarations of soft literals with weight 0.
func noZeroWeights(t *trace.Trace) []*Version {
	gone := make(map[int]bool)
	lives, _ := livesOf(t)
	var spans []span
	for _, l := range lives {
		order, all := l.declarations(t)
		for _, lit := range order {
			for place, i := range all[lit] {
				if t.Calls[i].Num != 0 {
					continue
				}
				for _, earlier := range all[lit][:place+1] {
					gone[earlier] = true
					spans = append(spans, span{l.instance, earlier, i})
				}
			}
		}
	}
	return dropping(t, gone, costsOutside(t, spans))
}

// largest is the largest weight that counts as small.
const largest = 1<<8 - 1

// smallWeights makes all weights small and scales down large ones in proportion. Optima differ.
func smallWeights(t *trace.Trace) []*Version {
	heaviest := uint64(0)
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op.IsSoft() {
			heaviest = max(heaviest, c.Num)
		}
	}
	if heaviest <= largest {
		return nil
	}
	shift := bits.Len64(heaviest) - bits.Len64(largest)
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		if !c.Op.IsSoft() || c.Num <= 1 {
			d.keep(i)
			return
		}
		d.keepWeight(i, max(c.Num>>shift, 1))
	}).version(func(int) (bool, bool) { return true, false })}
}

func detailLargeWeights(t *trace.Trace) string {
	heaviest, sums := uint64(0), make(map[uint16]uint64)
	var most uint64
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.IsSoft() {
			continue
		}
		heaviest = max(heaviest, c.Num)
		sum, carry := bits.Add64(sums[c.Instance], c.Num, 0)
		if carry > 0 {
			sum = 1<<64 - 1
		}
		sums[c.Instance] = sum
		most = max(most, sum)
	}
	if most == heaviest {
		return fmt.Sprintf("large weights (%d)", heaviest)
	}
	return fmt.Sprintf("large weights (a sum of %d)", most)
}

const (
	mostCopies = 48 // most literals that unitWeights adds
	splittable = 16 // the largest weight that it splits
)

// unitWeights replaces a heavier soft literal by several fresh ones of weight 1.
func unitWeights(t *trace.Trace) []*Version {
	if t.Model.File {
		return unitSofts(t)
	}
	lives, _ := livesOf(t)
	copies, fill := 0, make(insertions)
	split := make(map[int]bool)
	for _, l := range lives {
		order, all := l.declarations(t)
		for _, lit := range order {
			for _, i := range all[lit] {
				c := &t.Calls[i]
				switch {
				case c.Num <= 1:
				case c.Num > splittable || len(all[lit]) > 1:
					return nil
				default:
					split[i] = true
					copies += int(c.Num) - 1
					fill.before(i, func(d *draft) {
						other := d.fresh()
						for range c.Num - 1 {
							fresh := d.fresh()
							d.equal(c.Instance, fresh, other)
							d.soft(c.Instance, fresh, 1)
						}
					})
				}
			}
		}
	}
	if copies == 0 || copies > mostCopies {
		return nil
	}
	n := edit(t, func(d *draft, i int, c *trace.Call) {
		if !split[i] {
			d.keep(i)
			return
		}
		for range c.Num - 1 {
			fresh := d.fresh()
			d.equal(c.Instance, fresh, t.Lit(c))
			d.soft(c.Instance, fresh, 1)
		}
		d.keepWeight(i, 1)
	}).version(nil)
	return []*Version{fill.with(t).control(n)}
}

// hasUnequalWeights reports whether a weight is above 1.
func hasUnequalWeights(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Calls, func(c trace.Call) bool { return c.Op.IsSoft() && c.Num > 1 })
}

// anySoft declares a fresh variable soft in each solver that has a solve without soft literals: as the first call that
// is about the problem, and as the second. A solver may search in the order in which it meets variables, and one of the
// two controls may fail where the other passes.
func anySoft(t *trace.Trace) (versions []*Version) {
	if !t.Model.Optimizes() {
		return nil
	}
	lives, _ := livesOf(t)
	for _, first := range []bool{true, false} {
		soft, fill := make(insertions), make(insertions)
		for _, l := range lives {
			at := l.start(t)
			if !first && at >= 0 {
				at = l.following(t, at)
			}
			if at >= 0 && l.solvesWithoutSoft(t) {
				soft.before(at, func(d *draft) { d.soft(l.instance, d.fresh(), 1) })
				fill.before(at, filler(l.instance, 1))
			}
		}
		if len(soft) > 0 {
			versions = append(versions, fill.with(t).control(soft.with(t).version(nil)))
		}
	}
	return versions
}

const needsNoSoft = "a solve without soft literals"

func detailNoSoft(t *trace.Trace) string {
	if t.Model.File {
		return "a file without soft clauses"
	}
	return needsNoSoft
}

// following returns the call of the life that follows the given one if it is a clause, too; else -1.
func (l *life) following(t *trace.Trace, at int) int {
	i := slices.Index(l.calls, at) + 1
	if i == len(l.calls) || t.Calls[at].Op != apimodel.OpClause || t.Calls[at].Flags&trace.Open != 0 ||
		t.Calls[l.calls[i]].Op != apimodel.OpClause {
		return -1
	}
	return l.calls[i]
}

// solvesWithoutSoft reports whether a solve of the life has no soft literal; a life without solves counts
// as it is at its end. Literals whose last weight is 0 do not count.
func (l *life) solvesWithoutSoft(t *trace.Trace) bool {
	soft, solved := make(map[int32]bool), false
	for _, i := range l.calls {
		switch c := &t.Calls[i]; {
		case c.Op == apimodel.OpSoftClause:
			soft[0] = true
		case c.Op == apimodel.OpSoft && c.Num > 0:
			soft[t.Lit(c)] = true
		case c.Op == apimodel.OpSoft:
			delete(soft, t.Lit(c))
		case c.Op.Does(apimodel.Clears):
			if solved = true; len(soft) == 0 {
				return true
			}
		}
	}
	return !solved && len(soft) == 0
}
