package dd

import (
	"slices"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// leastAllocations searches for the smallest number of an allocation whose failure the trace
// needs. Bisection would not work, because each number is another place in the code. So
// leastAllocations tries the smallest numbers one by one, and then goes down in steps.
func leastAllocations(r *reducer) error {
	for i := range r.best.Calls {
		for {
			least, ok := allocationOf(r.best, i)
			if !ok {
				break
			}
			found := false
			for _, n := range smallerAllocations(least) {
				var err error
				found, err = r.try(func() *trace.Trace { return withAllocation(r.best, i, n) })
				if err != nil {
					return err
				}
				if found {
					break
				}
			}
			if !found {
				break
			}
		}
	}
	return nil
}

// allocationOf returns the number of the allocation that a call causes to fail.
func allocationOf(t *trace.Trace, call int) (uint64, bool) {
	c := &t.Calls[call]
	if c.Op != apimodel.OpOption {
		return 0, false
	}
	name, value := t.Option(c)
	n, err := strconv.ParseUint(value, 10, 64)
	return n, err == nil && name == apimodel.FailAllocation
}

func smallerAllocations(most uint64) (numbers []uint64) {
	for n := uint64(1); n < most && n <= 16; n++ {
		numbers = append(numbers, n)
	}
	for _, n := range []uint64{most / 8, most / 4, most / 2, most - most/4, most - most/8, most - 4, most - 3, most - 2,
		most - 1} {
		if n > 16 && n < most {
			numbers = append(numbers, n)
		}
	}
	return slices.Compact(numbers)
}

// withAllocation returns the trace with allocation n in a call that causes one to fail.
func withAllocation(t *trace.Trace, call int, n uint64) *trace.Trace {
	return rewrite(t, func(b *builder, i int, c *trace.Call) {
		if i != call {
			b.keep(i)
			return
		}
		b.to.SetOption(c.Instance, apimodel.FailAllocation, strconv.FormatUint(n, 10))
		b.expect(trace.Answer{})
	})
}
