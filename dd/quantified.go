package dd

import (
	"errors"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A prefix lists the calls of a trace of model qbf that append or extend blocks. An
// instance has a prefix for each of its lives.
type prefix struct {
	blocks []int       // the calls that append a block
	outer  map[int]int // for each of blocks, the one before it in its prefix; -1 for the first
	extend []int       // the calls that extend a block
	block  map[int]int // for each of extend, the call that appends the block
}

func isBlock(op apimodel.Op) bool { return op == apimodel.OpExists || op == apimodel.OpForall }

// unbind keeps call i, which lists variables, without some of them. If a call that extends a
// block loses all variables, unbind drops it. It keeps an empty block, because dropping the block
// would change the levels of others.
func (b *builder) unbind(i int, gone func(place int, v int32) bool) {
	c := &b.from.Calls[i]
	var vars []int32
	for place, v := range b.from.Args(c) {
		if !gone(place, v) {
			vars = append(vars, v)
		}
	}
	switch {
	case len(vars) == int(c.Len):
		b.keep(i)
	case len(vars) > 0 || isBlock(c.Op):
		b.call(c.Op, c.Flags, c.Instance, c.Num, vars...)
	}
}

// repairedQuantified removes, one by one, calls that are legal in their state but not after the
// calls before them, such as a pop without its push.
func repairedQuantified(t *trace.Trace) *trace.Trace {
	wrong, ok := errors.AsType[*trace.CheckError](trace.Check(t))
	if !ok || wrong.Call < 0 {
		return t
	}
	return without(t, func(i int) bool { return i == wrong.Call })
}

// prefixOf returns the prefixes of a trace; they are empty for other models.
func prefixOf(t *trace.Trace) *prefix {
	p := new(prefix)
	if !t.Model.Quantified() {
		return p
	}
	p.outer, p.block = make(map[int]int), make(map[int]int)
	byInstance := make(map[uint16][]int)
	for i := range t.Calls {
		c := &t.Calls[i]
		levels := byInstance[c.Instance]
		switch {
		case c.Op == apimodel.OpInit || c.Op == apimodel.OpRelease:
			delete(byInstance, c.Instance)
		case isBlock(c.Op):
			p.outer[i] = -1
			if len(levels) > 0 {
				p.outer[i] = levels[len(levels)-1]
			}
			byInstance[c.Instance] = append(levels, i)
			p.blocks = append(p.blocks, i)
		case c.Op == apimodel.OpExtend && c.Num <= uint64(len(levels)):
			p.block[i] = levels[c.Num-1]
			p.extend = append(p.extend, i)
		}
	}
	return p
}

// A requantifying is a change of the prefixes of a trace. Its maps may be nil.
type requantifying struct {
	into   map[int]int  // blocks that go, each with the block that takes its variables
	turned map[int]bool // blocks that get the other quantifier
	folded map[int]bool // calls that extend a block and go; the block takes their variables
	moves  map[bound]int
}

// A bound is a variable and the call that appends its block.
type bound struct {
	block    int
	variable int32
}

func requantified(t *trace.Trace, p *prefix, q *requantifying) *trace.Trace {
	home := func(block int) int {
		for {
			to, goes := q.into[block]
			if !goes {
				return block
			}
			block = to
		}
	}
	vars := make(map[int][]int32)
	for _, i := range p.blocks {
		for _, v := range t.Args(&t.Calls[i]) {
			to := i
			if block, moves := q.moves[bound{i, v}]; moves {
				to = block
			}
			vars[home(to)] = append(vars[home(to)], v)
		}
	}
	for _, i := range p.extend {
		if q.folded[i] {
			to := home(p.block[i])
			vars[to] = append(vars[to], t.Args(&t.Calls[i])...)
		}
	}
	level := make(map[int]uint64)
	for _, i := range p.blocks {
		if _, goes := q.into[i]; goes {
			continue
		}
		level[i] = 1
		if outer := p.outer[i]; outer >= 0 {
			level[i] = level[home(outer)] + 1
		}
	}
	return rewrite(t, func(b *builder, i int, c *trace.Call) {
		switch _, goes := q.into[i]; {
		case goes || q.folded[i]:
		case isBlock(c.Op):
			op := c.Op
			if q.turned[i] {
				op = apimodel.OpExists + apimodel.OpForall - op
			}
			b.call(op, c.Flags, c.Instance, 0, vars[i]...)
		case c.Op == apimodel.OpExtend:
			b.call(c.Op, c.Flags, c.Instance, level[home(p.block[i])], t.Args(c)...)
		default:
			b.keep(i)
		}
	})
}

// dropBlocks removes blocks with all literals of their variables.
func dropBlocks(r *reducer) error {
	p := prefixOf(r.best)
	byClause := relaxed(relaxationsOf(r.best))
	return r.items(len(p.blocks), func(t *trace.Trace, gone []bool) *trace.Trace {
		vars := make(map[int32]bool)
		for n, i := range p.blocks {
			if !gone[n] {
				continue
			}
			for _, v := range t.Args(&t.Calls[i]) {
				vars[v] = true
			}
		}
		for _, i := range p.extend {
			if at, found := slices.BinarySearch(p.blocks, p.block[i]); found && gone[at] {
				for _, v := range t.Args(&t.Calls[i]) {
					vars[v] = true
				}
			}
		}
		bare := dropLits(t, byClause, func(_, _ int, lit int32) bool { return vars[trace.Var(lit)] })
		return withoutEmpty(bare, gone)
	})
}

// withoutEmpty removes the empty blocks whose numbers are gone.
func withoutEmpty(t *trace.Trace, gone []bool) *trace.Trace {
	p := prefixOf(t)
	if len(p.blocks) != len(gone) {
		return nil
	}
	into := make(map[int]int)
	for n, i := range p.blocks {
		if gone[n] {
			into[i] = p.outer[i] // may be -1: the block is empty, so no block need take its variables
		}
	}
	return requantified(t, p, &requantifying{into: into})
}

// mergeBlocks moves the variables of a block to the block outside of it, so that they get that
// block's quantifier.
func mergeBlocks(r *reducer) error {
	p := prefixOf(r.best)
	inner := slices.DeleteFunc(slices.Clone(p.blocks), func(i int) bool { return p.outer[i] < 0 })
	return r.items(len(inner), func(t *trace.Trace, gone []bool) *trace.Trace {
		into := make(map[int]int)
		for n, i := range inner {
			if gone[n] {
				into[i] = p.outer[i]
			}
		}
		return requantified(t, p, &requantifying{into: into})
	})
}

// turnQuantifiers makes universal blocks existential.
func turnQuantifiers(r *reducer) error {
	p := prefixOf(r.best)
	universal := slices.DeleteFunc(slices.Clone(p.blocks), func(i int) bool {
		return r.best.Calls[i].Op != apimodel.OpForall
	})
	return r.items(len(universal), func(t *trace.Trace, gone []bool) *trace.Trace {
		turned := make(map[int]bool)
		for n, i := range universal {
			turned[i] = gone[n]
		}
		return requantified(t, p, &requantifying{turned: turned})
	})
}

// moveVariables moves variables to the block outside of theirs, and then to the next one
// outside, which mostly has the same quantifier as theirs.
func moveVariables(r *reducer) error {
	for far := 1; far <= 2; far++ {
		p := prefixOf(r.best)
		var vars []bound
		var to []int
		for _, i := range p.blocks {
			block := i
			for n := 0; n < far && block >= 0; n++ {
				block = p.outer[block]
			}
			if block < 0 {
				continue
			}
			for _, v := range r.best.Args(&r.best.Calls[i]) {
				vars, to = append(vars, bound{i, v}), append(to, block)
			}
		}
		err := r.items(len(vars), func(t *trace.Trace, gone []bool) *trace.Trace {
			moves := make(map[bound]int)
			for n, v := range vars {
				if gone[n] {
					moves[v] = to[n]
				}
			}
			return requantified(t, p, &requantifying{moves: moves})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// foldExtensions removes calls that extend a block, and lets the block begin with their variables.
func foldExtensions(r *reducer) error {
	p := prefixOf(r.best)
	return r.items(len(p.extend), func(t *trace.Trace, gone []bool) *trace.Trace {
		folded := make(map[int]bool)
		for n, i := range p.extend {
			folded[i] = gone[n]
		}
		return requantified(t, p, &requantifying{folded: folded})
	})
}

// depthsOf returns how many variables of a trace are universal, and the sum of the levels
// of all variables.
func depthsOf(t *trace.Trace) (universal, depth uint64) {
	if !t.Model.Quantified() {
		return 0, 0
	}
	p := prefixOf(t)
	level := make(map[int]uint64)
	count := func(block int, n uint32) {
		depth += level[block] * uint64(n)
		if t.Calls[block].Op == apimodel.OpForall {
			universal += uint64(n)
		}
	}
	for _, i := range p.blocks {
		if level[i] = 1; p.outer[i] >= 0 {
			level[i] = level[p.outer[i]] + 1
		}
		count(i, t.Calls[i].Len)
	}
	for _, i := range p.extend {
		count(p.block[i], t.Calls[i].Len)
	}
	return universal, depth
}
