package measure

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A prefix is what an Inspection knows about the blocks of a solver.
type prefix struct {
	blocks []block
	bound  map[int32]bool // the variables in blocks: whether they are universal
}

type block struct {
	universal bool
	vars      int
}

// innermost returns the innermost block that has variables.
func (p *prefix) innermost() (b block, any bool) {
	for i := len(p.blocks) - 1; i >= 0; i-- {
		if p.blocks[i].vars > 0 {
			return p.blocks[i], true
		}
	}
	return block{}, false
}

func (p *prefix) bind(vars []int32, level int) {
	if p.bound == nil {
		p.bound = make(map[int32]bool)
	}
	p.blocks[level].vars += len(vars)
	for _, v := range vars {
		p.bound[v] = p.blocks[level].universal
	}
}

// quantified finds the features of quantified formulas.
func (in *Inspection) quantified(c *trace.Call, s *seen, lits []int32) {
	p := &s.prefix
	switch c.Op {
	case apimodel.OpExists, apimodel.OpForall:
		universal := c.Op == apimodel.OpForall
		before, any := p.innermost()
		in.mark(feature.EmptyBlock, len(lits) == 0)
		in.mark(feature.NeighbourBlocks, any && len(lits) > 0 && before.universal == universal)
		in.mark(feature.LateBlock, s.clauses > 0)
		p.blocks = append(p.blocks, block{universal: universal})
		p.bind(lits, len(p.blocks)-1)
		s.changed = true
	case apimodel.OpExtend:
		in.mark(feature.LateBlock, s.clauses > 0)
		p.bind(lits, int(c.Num)-1)
		s.changed = true
	case apimodel.OpClause:
		for _, l := range lits {
			_, bound := p.bound[trace.Var(l)]
			in.mark(feature.FreeVariables, !bound)
		}
	case apimodel.OpAssume:
		in.mark(feature.UniversalAssumption, p.bound[trace.Var(lits[0])])
	case apimodel.OpSolve:
		innermost, _ := p.innermost()
		in.mark(feature.InnermostUniversal, innermost.universal)
	default:
		f := feature.Of(c.Op)
		s.changed = s.changed || f == feature.Frames || f == feature.Groups
	}
}
