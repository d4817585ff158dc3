package format

import (
	"iter"
	"math"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A freshVars hands out variables that some clauses do not have: those above the greatest or, if these are used up, the
// smallest that are free.
type freshVars struct {
	greatest int32
	clauses  iter.Seq[[]int32]
	used     map[int32]bool // nil until it is needed
	low      int32
}

func (f *freshVars) next() int32 {
	if f.greatest < math.MaxInt32 {
		f.greatest++
		return f.greatest
	}
	if f.used == nil {
		f.used = make(map[int32]bool)
		for clause := range f.clauses {
			for _, lit := range clause {
				f.used[trace.Var(lit)] = true
			}
		}
	}
	for f.low++; f.used[f.low]; f.low++ { // a file has fewer variables than there are numbers
	}
	return f.low
}
