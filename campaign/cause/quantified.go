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
// block. A block for which folds reports true gets the variables at once that later calls add. The formulas
// stay the same if merged blocks are empty or have the same quantifier as the outer block.
func requantified(t *trace.Trace, goes, folds func(b *block) bool) []*Version {
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
	return requantified(t, func(b *block) bool { return t.Calls[b.call].Len == 0 && len(b.extends) == 0 }, never)
}

// joinedBlocks joins a block with the next outer one if both have the same quantifier.
func joinedBlocks(t *trace.Trace) []*Version {
	return requantified(t, func(b *block) bool {
		return b.outer != nil && t.Calls[b.call].Op == t.Calls[b.outer.call].Op
	}, never)
}

// noExtensions gives blocks all their variables at once.
func noExtensions(t *trace.Trace) []*Version {
	return requantified(t, never, func(*block) bool { return true })
}

// noFreeVariables begins each prefix with an existential block of the free variables.
func noFreeVariables(t *trace.Trace) []*Version {
	if !t.Model.Quantified() {
		return nil
	}
	p := newPrefixes(t)
	lives, _ := livesOf(t)
	for _, l := range lives {
		bound, free := make(map[int32]bool), []int32(nil)
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
		if len(free) > 0 {
			p.begin(l, func(*draft) []int32 { return free })
		}
	}
	if len(p.first) == 0 {
		return nil
	}
	return []*Version{edit(t, func(d *draft, i int, _ *trace.Call) { p.keep(d, i) }).version(nil)}
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

// usedInFormula adds a clause for every variable of a prefix that is assumed but in no clause. A fresh variable in the
// innermost existential block lets the clause be satisfied. The control has the clauses, but of fresh variables.
func usedInFormula(t *trace.Trace) []*Version {
	lives, of := livesOf(t)
	home, unused := make(map[int][]int32), make(map[int][]int32) // by the call of the block; by the call after the prefix
	for _, l := range lives {
		if block, after := l.innermost(t); block >= 0 && after >= 0 {
			if vars := l.assumedOnly(t); len(vars) > 0 {
				home[block], unused[after] = vars, vars
			}
		}
	}
	if len(home) == 0 {
		return nil
	}
	with := func(control bool) *draft {
		fresh := make(map[*life][]int32) // the last one is only in the control
		return edit(t, func(d *draft, i int, c *trace.Call) {
			its := fresh[of[i]]
			for k, v := range unused[i] {
				if control {
					v = its[len(its)-1]
				}
				d.clause(c.Instance, v, its[k])
			}
			if home[i] == nil {
				d.keep(i)
				return
			}
			for range home[i] {
				its = append(its, d.fresh())
			}
			if control {
				its = append(its, d.fresh())
			}
			fresh[of[i]] = its
			d.to.List(c.Instance, c.Op, append(slices.Clone(t.Args(c)), its...)...)
			d.origin = append(d.origin, i)
		})
	}
	return []*Version{with(true).control(with(false).version(nil))}
}

// innermost returns the innermost existential block that the life begins with, and the first call after all blocks that
// it begins with; -1 stands for none.
func (l *life) innermost(t *trace.Trace) (block, after int) {
	block = -1
	for _, i := range l.calls {
		switch op := t.Calls[i].Op; {
		case op == apimodel.OpExists:
			block = i
		case op != apimodel.OpForall && op.Does(apimodel.Poses|apimodel.Clears|apimodel.Hints):
			return block, i
		}
	}
	return block, -1
}

// assumedOnly returns the variables that the blocks at the beginning of the life have and that are assumed, but are in
// no clause.
func (l *life) assumedOnly(t *trace.Trace) (vars []int32) {
	_, after := l.innermost(t)
	bound := make(map[int32]bool)
	for _, i := range l.calls {
		c := &t.Calls[i]
		for _, v := range listedVariables(t, c) {
			bound[v] = bound[v] || i < after
		}
	}
	for _, i := range l.of(t, apimodel.OpClause) {
		for _, lit := range t.Args(&t.Calls[i]) {
			bound[trace.Var(lit)] = false
		}
	}
	for _, i := range l.of(t, apimodel.OpAssume) {
		if v := trace.Var(t.Lit(&t.Calls[i])); bound[v] {
			vars, bound[v] = append(vars, v), false
		}
	}
	return vars
}

// noFrames gives each solver only the clauses of its last solve, without push and pop. Earlier solves
// remain as history, but on other formulas.
func noFrames(t *trace.Trace) []*Version { return flat(t, apimodel.OpPush, apimodel.OpPop) }

// noGroups gives each solver only the clauses of its last solve, without groups.
func noGroups(t *trace.Trace) []*Version {
	return flat(t, apimodel.OpOpen, apimodel.OpClose, apimodel.OpActivate, apimodel.OpDeactivate, apimodel.OpDelete)
}

// flat drops the calls of the operations that begin and end frames or groups. It also drops the clauses
// that do not count in the last solve of their solver. A free variable that only such clauses name and that is
// assumed gets a block, also in the control: an outermost one, where free variables are.
func flat(t *trace.Trace, ops ...apimodel.Op) []*Version {
	gone, last, p := make(map[int]bool), make(map[int]bool), newPrefixes(t)
	lives, _ := livesOf(t)
	clauses := clausesOf(t)
	for _, l := range lives {
		calls := l.of(t, ops...)
		if len(calls) == 0 {
			for _, i := range l.of(t, apimodel.OpSolve) {
				last[i] = true // the calls of this life stay as they are
			}
			continue
		}
		solve := l.lastSolve(t)
		last[solve] = true
		for _, i := range calls {
			gone[i] = true
		}
		for _, i := range l.without(t, solve) {
			for _, piece := range clauses[i].pieces {
				gone[piece] = true
			}
		}
		if vars := l.assumedWithout(t, gone); len(vars) > 0 {
			p.begin(l, func(*draft) []int32 { return vars })
		}
	}
	if len(gone) == 0 {
		return nil
	}
	n := edit(t, func(d *draft, i int, _ *trace.Call) {
		if p.at(d, i); !gone[i] {
			p.keepAlone(d, i)
		}
	}).version(only(last))
	if len(p.first) == 0 {
		return []*Version{n}
	}
	return []*Version{edit(t, func(d *draft, i int, _ *trace.Call) { p.keep(d, i) }).control(n)}
}

// assumedWithout returns the variables that the life assumes and that no block has, nor, before the assumption, a
// clause that is left.
func (l *life) assumedWithout(t *trace.Trace, gone map[int]bool) (vars []int32) {
	named := make(map[int32]bool)
	for _, i := range l.calls {
		for _, v := range listedVariables(t, &t.Calls[i]) {
			named[v] = true
		}
	}
	for _, i := range l.calls {
		c := &t.Calls[i]
		switch {
		case c.Op == apimodel.OpClause && !gone[i]:
			for _, lit := range t.Args(c) {
				named[trace.Var(lit)] = true
			}
		case c.Op == apimodel.OpAssume:
			if v := trace.Var(t.Lit(c)); !named[v] {
				vars, named[v] = append(vars, v), true
			}
		}
	}
	return vars
}

// without returns the clauses, by their last calls, that precede a solve but do not count in it.
func (l *life) without(t *trace.Trace, solve int) (absent []int) {
	var frames [][]int // the clauses of each frame
	groups := make(map[uint64][]int)
	off := make(map[uint64]bool)
	open, isOpen := uint64(0), false
	for _, i := range l.calls {
		if i >= solve {
			break
		}
		switch c := &t.Calls[i]; c.Op {
		case apimodel.OpPush:
			frames = append(frames, nil)
		case apimodel.OpPop:
			absent = append(absent, frames[len(frames)-1]...)
			frames = frames[:len(frames)-1]
		case apimodel.OpOpen:
			open, isOpen = c.Num, true
		case apimodel.OpClose:
			isOpen = false
		case apimodel.OpActivate, apimodel.OpDeactivate:
			off[c.Num] = c.Op == apimodel.OpDeactivate
		case apimodel.OpDelete:
			absent = append(absent, groups[c.Num]...)
			delete(groups, c.Num)
		case apimodel.OpClause:
			switch {
			case c.Flags&trace.Open != 0:
			case isOpen:
				groups[open] = append(groups[open], i)
			case len(frames) > 0:
				frames[len(frames)-1] = append(frames[len(frames)-1], i)
			}
		}
	}
	for group, clauses := range groups {
		if off[group] {
			absent = append(absent, clauses...)
		}
	}
	slices.Sort(absent)
	return absent
}
