package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A block is a block of a prefix: the call that appends it, and the calls that extend it.
type block struct {
	call    int
	extends []int
	outer   *block // in the same life; nil for the outermost
}

func (b *block) isEmpty(t *trace.Trace) bool { return t.Calls[b.call].Len == 0 && len(b.extends) == 0 }

// prefixesOf returns the blocks of a trace in the order of their calls.
func prefixesOf(t *trace.Trace) (blocks []*block) {
	lives, _ := livesOf(t)
	for _, l := range lives {
		var levels []*block
		for _, i := range l.calls {
			switch c := &t.Calls[i]; c.Op {
			case apimodel.OpExists, apimodel.OpForall:
				b := &block{call: i}
				if len(levels) > 0 {
					b.outer = levels[len(levels)-1]
				}
				levels = append(levels, b)
			case apimodel.OpExtend:
				levels[c.Num-1].extends = append(levels[c.Num-1].extends, i)
			}
		}
		blocks = append(blocks, levels...)
	}
	return blocks
}

// requantified makes a version that merges each block for which goes reports true into the next outer
// block. A block for which folds reports true gets the variables at once that later calls add. more has more variables
// for blocks, by their calls. The formulas stay the same if merged blocks are empty or have the same quantifier as the
// outer block.
func requantified(t *trace.Trace, goes, folds func(b *block) bool, more map[int][]int32) []*Version {
	if !t.Model.Quantified() {
		return nil
	}
	blocks := prefixesOf(t)
	into := func(b *block) *block {
		for b != nil && goes(b) {
			b = b.outer
		}
		return b
	}
	vars, level := make(map[int][]int32), make(map[int]uint64)
	folded, gone := make(map[int]bool), make(map[int]bool)
	for _, b := range blocks {
		home := into(b)
		gone[b.call] = home != b
		if home == nil { // an empty block without an outer one
			continue
		}
		vars[home.call] = append(vars[home.call], t.Args(&t.Calls[b.call])...)
		if home == b {
			vars[b.call] = append(vars[b.call], more[b.call]...)
			level[b.call] = 1
			if outer := into(b.outer); outer != nil {
				level[b.call] = level[outer.call] + 1
			}
		}
		for _, i := range b.extends {
			if folded[i] = folds(b); folded[i] {
				vars[home.call] = append(vars[home.call], t.Args(&t.Calls[i])...)
			}
			level[i] = level[home.call]
		}
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		switch {
		case gone[i] || folded[i]:
		case c.Op == apimodel.OpExists || c.Op == apimodel.OpForall:
			d.to.List(c.Instance, c.Op, vars[i]...)
			d.origin = append(d.origin, i)
		case c.Op == apimodel.OpExtend:
			d.keepWeight(i, level[i])
		default:
			d.keep(i)
		}
	}).version(nil)}
}

func never(*block) bool { return false }

// noEmptyBlocks drops blocks without variables.
func noEmptyBlocks(t *trace.Trace) []*Version {
	return requantified(t, func(b *block) bool { return b.isEmpty(t) }, never, nil)
}

// joinedBlocks joins a block with the next outer one if both have the same quantifier and only empty blocks lie in
// between, which it drops. Free variables join an outermost existential block.
func joinedBlocks(t *trace.Trace) []*Version {
	if !t.Model.Quantified() {
		return nil
	}
	free := make(map[int][]int32)
	lives, _ := livesOf(t)
	for _, l := range lives {
		if vars := l.free(t); len(vars) > 0 {
			if first := l.firstExists(t); first >= 0 {
				free[first] = vars
			}
		}
	}
	gone := make(map[int]bool) // by call
	for _, b := range prefixesOf(t) {
		same := func(outer *block) bool { return outer != nil && t.Calls[outer.call].Op == t.Calls[b.call].Op }
		outer, between := b.outer, []int(nil)
		for outer != nil && outer.isEmpty(t) {
			between, outer = append(between, outer.call), outer.outer
		}
		switch {
		case same(b.outer):
			gone[b.call] = true
		case same(outer) && !b.isEmpty(t):
			for _, call := range append(between, b.call) {
				gone[call] = true
			}
		}
	}
	return requantified(t, func(b *block) bool { return gone[b.call] }, never, free)
}

// noExtensions gives blocks all their variables at once.
func noExtensions(t *trace.Trace) []*Version {
	return requantified(t, never, func(*block) bool { return true }, nil)
}

// noFreeVariables adds the free variables to the outermost block. If that is universal, they get a block of their own.
func noFreeVariables(t *trace.Trace) []*Version {
	if !t.Model.Quantified() {
		return nil
	}
	p, more := newPrefixes(t), make(map[int][]int32)
	lives, _ := livesOf(t)
	for _, l := range lives {
		vars := l.free(t)
		if len(vars) == 0 {
			continue
		}
		if first := l.firstExists(t); first >= 0 {
			more[first] = vars
		} else {
			p.begin(l, func(*draft) []int32 { return vars })
		}
	}
	if len(p.first)+len(more) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, c *trace.Call) {
		if vars := more[i]; vars != nil {
			d.to.List(c.Instance, c.Op, append(slices.Clone(t.Args(c)), vars...)...)
			d.origin = append(d.origin, i)
			return
		}
		p.keep(d, i)
	}).version(nil)}
}

func hasFreeVariables(t *trace.Trace) bool {
	lives, _ := livesOf(t)
	return t.Model.Quantified() && slices.ContainsFunc(lives, func(l *life) bool { return len(l.free(t)) > 0 })
}

// free returns the free variables of the life.
func (l *life) free(t *trace.Trace) (free []int32) {
	bound := make(map[int32]bool)
	for _, i := range l.calls {
		c := &t.Calls[i]
		for _, v := range listedVariables(t, c) {
			bound[v] = true
		}
		if c.Op != apimodel.OpClause {
			continue
		}
		for _, lit := range t.Args(c) {
			if v := trace.Var(lit); !bound[v] {
				bound[v] = true
				free = append(free, v)
			}
		}
	}
	return free
}

// firstExists returns the first block of the life if it is existential and precedes all clauses and assumptions, or -1.
// Empty blocks before it do not count.
func (l *life) firstExists(t *trace.Trace) int {
	extended := make(map[uint64]bool) // by level
	for _, i := range l.of(t, apimodel.OpExtend) {
		extended[t.Calls[i].Num] = true
	}
	level := uint64(1)
	for _, i := range l.calls {
		switch op := t.Calls[i].Op; {
		case op == apimodel.OpForall && t.Calls[i].Len == 0 && !extended[level]:
			level++
		case op == apimodel.OpExists:
			return i
		case op == apimodel.OpForall, op == apimodel.OpClause, op == apimodel.OpAssume:
			return -1
		}
	}
	return -1
}

// prefixes begins the prefixes of solvers with one more existential block.
type prefixes struct {
	t        *trace.Trace
	first    insertions
	extended map[int]bool // extensions of blocks that are now one level further inside
}

func newPrefixes(t *trace.Trace) *prefixes {
	return &prefixes{t: t, first: make(insertions), extended: make(map[int]bool)}
}

// begin adds a block to the prefix of a life.
func (p *prefixes) begin(l *life, vars func(d *draft) []int32) {
	p.first.before(l.start(p.t), func(d *draft) {
		d.to.List(l.instance, apimodel.OpExists, vars(d)...)
		d.origin = append(d.origin, -1)
	})
	for _, i := range l.of(p.t, apimodel.OpExtend) {
		p.extended[i] = true
	}
}

// at adds the block that belongs before call number i.
func (p *prefixes) at(d *draft, i int) { p.first.at(d, i) }

// keep copies call number i, after the block that belongs before it.
func (p *prefixes) keep(d *draft, i int) {
	p.at(d, i)
	p.keepAlone(d, i)
}

// keepAlone copies call number i.
func (p *prefixes) keepAlone(d *draft, i int) {
	if p.extended[i] {
		d.keepWeight(i, p.t.Calls[i].Num+1)
		return
	}
	d.keep(i)
}

// listedVariables returns the variables that a call puts into a block.
func listedVariables(t *trace.Trace, c *trace.Call) []int32 {
	if c.Op.Binds() {
		return t.Args(c)
	}
	return nil
}
