// Package qbf holds quantified Boolean formulas in prenex conjunctive normal form. Each solve
// of a trace of model qbf asks about such a formula, and each QDIMACS file contains one.
package qbf

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Block quantifies variables. Their order within the block does not matter.
type Block struct {
	Universal bool
	Vars      []int32 // positive, each in only one block
}

// A Formula is a prefix, outermost block first, and clauses. Blocks may be empty, and
// neighbours may have the same quantifier. A variable of a clause that no block has is free:
// it is existential and outside of all blocks, as in QDIMACS 1.1.
type Formula struct {
	Prefix  []Block
	Clauses [][]int32
}

// Append appends calls that add the formula to solver 0.
func (f *Formula) Append(t *trace.Trace) {
	for _, block := range f.Prefix {
		op := apimodel.OpExists
		if block.Universal {
			op = apimodel.OpForall
		}
		t.List(0, op, block.Vars...)
	}
	for _, clause := range f.Clauses {
		t.Clause(0, true, clause...)
	}
}

// Free returns the free variables, in order of first occurrence.
func (f Formula) Free() []int32 {
	known := make(map[int32]bool)
	for _, block := range f.Prefix {
		for _, v := range block.Vars {
			known[v] = true
		}
	}
	var free []int32
	for _, clause := range f.Clauses {
		for _, lit := range clause {
			if v := max(lit, -lit); !known[v] {
				known[v] = true
				free = append(free, v)
			}
		}
	}
	return free
}

// Outermost returns the quantifier and the variables of the outermost block: the free variables
// and those of existential blocks up to the first universal variable. If there are none, they
// are those of universal blocks up to the first existential variable. Without any variables, the
// outermost block is existential.
func (f Formula) Outermost() (universal bool, vars []int32) { return f.outermost(f.Free()) }

func (f Formula) outermost(free []int32) (universal bool, vars []int32) {
	vars = append(vars, free...)
	for _, block := range f.Prefix {
		if len(block.Vars) == 0 {
			continue
		}
		if len(vars) == 0 {
			universal = block.Universal
		}
		if block.Universal != universal {
			break
		}
		vars = append(vars, block.Vars...)
	}
	return universal, vars
}
