// Package qbf holds quantified Boolean formulas in prenex conjunctive normal form:
// what a trace of the model qbf asks about in one solve, and what a QDIMACS file is.
package qbf

// A Block quantifies variables that may be reordered among themselves.
type Block struct {
	Universal bool
	Vars      []int32 // positive, each in one block only
}

// A Formula is a prefix, outermost block first, and clauses. Blocks may be empty, and
// neighbours may have the same quantifier. A variable of a clause that no block names
// is free: it is existential and outside of all blocks, as QDIMACS 1.1 has it.
type Formula struct {
	Prefix  []Block
	Clauses [][]int32
}
