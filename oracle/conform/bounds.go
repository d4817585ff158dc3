package conform

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// beyond names the bound of a target that the trace of a case exceeds, if there is one. Such a trace is never
// generated for the target, and what it does with it is no fault.
func (c *Case) beyond(b *apimodel.Bounds) string {
	size := sizeOf(c.Trace)
	switch {
	case b.MaxVars > 0 && size.MaxVars > b.MaxVars:
		return fmt.Sprintf("it has %d variables; the target says max-vars %d", size.MaxVars, b.MaxVars)
	case b.MaxCalls > 0 && size.MaxCalls > b.MaxCalls:
		return fmt.Sprintf("it has %d calls; the target says max-calls %d", size.MaxCalls, b.MaxCalls)
	case b.MaxWeight > 0 && size.MaxWeight > b.MaxWeight:
		return fmt.Sprintf("it has a weight of %d; the target says max-weight %d", size.MaxWeight, b.MaxWeight)
	case b.MaxSum > 0 && size.MaxSum > b.MaxSum:
		return fmt.Sprintf("its weights sum to %d; the target says max-sum %d", size.MaxSum, b.MaxSum)
	}
	return ""
}

// sizeOf returns the tightest bounds that a trace keeps. A sum beyond 64 bits counts as the largest number.
func sizeOf(t *trace.Trace) apimodel.Bounds {
	size := apimodel.Bounds{MaxCalls: uint64(len(t.Calls))}
	instances := make(map[uint16]bool)
	weights := make(map[uint16]map[int32]uint64) // of the literals of each solver
	for i := range t.Calls {
		c := &t.Calls[i]
		instances[c.Instance] = true
		switch c.Op {
		case apimodel.OpRelease:
			size.MaxVars = max(size.MaxVars, uint64(len(t.InUse(c.Instance, i))))
			delete(weights, c.Instance)
		case apimodel.OpSoft:
			if weights[c.Instance] == nil {
				weights[c.Instance] = make(map[int32]uint64)
			}
			weights[c.Instance][t.Lit(c)] = c.Num
			size.MaxWeight = max(size.MaxWeight, c.Num)
			sum := uint64(0)
			for _, weight := range weights[c.Instance] {
				var carry uint64
				if sum, carry = bits.Add64(sum, weight, 0); carry > 0 {
					sum = math.MaxUint64
					break
				}
			}
			size.MaxSum = max(size.MaxSum, sum)
		}
	}
	for instance := range instances {
		size.MaxVars = max(size.MaxVars, uint64(len(t.InUse(instance, len(t.Calls)))))
	}
	return size
}
