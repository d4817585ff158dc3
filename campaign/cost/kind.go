package cost

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Kind describes what may make a trace expensive.
type Kind struct {
	Profile, Family string
	Features        feature.Set
	Calls           int
	Largest         uint32 // variable
	Heaviest        uint64 // weight
	Assumed         int    // the largest number of assumptions for one solve
	Extra           Extra  // of its profile
}

// An Extra is a profile whose traces have a bounded share of the time: Part times Share. The zero value stands for the
// campaign's own profiles.
type Extra struct {
	Profile string
	Part    float64
}

// hasOwnBound reports whether only the part of its extra profile bounds the time for the trace. If it has large
// variables, it is expensive like any other: the target's tables do not depend on the profile.
func (k *Kind) hasOwnBound() bool { return k.Extra != Extra{} && k.Largest < presumed }

// Extremes sets the largest weight of the trace and the largest number of assumptions for
// one solve.
func (k *Kind) Extremes(t *trace.Trace) {
	k.Heaviest, k.Assumed = 0, 0
	assumed := 0
	for i := range t.Calls {
		switch call := &t.Calls[i]; call.Op {
		case apimodel.OpSoft, apimodel.OpSoftClause:
			k.Heaviest = max(k.Heaviest, call.Num)
		case apimodel.OpAssume:
			assumed++
			k.Assumed = max(k.Assumed, assumed)
		case apimodel.OpSolve:
			assumed = 0
		}
	}
}

// LargestVariable returns the largest variable of a trace.
func LargestVariable(t *trace.Trace) uint32 {
	var most uint32
	for _, lit := range t.Lits {
		v := uint32(lit)
		if lit < 0 {
			v = -v
		}
		most = max(most, v)
	}
	return most
}
