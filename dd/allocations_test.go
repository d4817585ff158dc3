package dd

import (
	"context"
	"strconv"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestLeastAllocation: the result has the least number of a failing allocation that shows the failure, even if numbers
// between it and the given one do not show it.
func TestLeastAllocation(t *testing.T) {
	given, err := trace.ParseString("ipafuzz 1 ipasir\noption ipafuzz.fail-allocation 900\nadd 1 2 0\nadd 3 0\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	for want, fails := range map[uint64]func(n uint64) bool{
		5:   func(n uint64) bool { return n == 5 || n > 800 },
		447: func(n uint64) bool { return n >= 447 },
		3:   func(n uint64) bool { return n >= 3 },
	} {
		test := TestFunc(func(_ context.Context, _ int, c *trace.Trace) (Verdict, error) {
			for i := range c.Calls {
				if c.Calls[i].Op != apimodel.OpOption {
					continue
				}
				_, value := c.Option(&c.Calls[i])
				n, err := strconv.ParseUint(value, 10, 64)
				return Verdict{Same: err == nil && fails(n) && c.Solves() == 1, Call: -1}, nil
			}
			return Verdict{Call: -1}, nil
		})
		result, err := Minimize(context.Background(), given, test, Config{})
		if err != nil {
			t.Fatal(err)
		}
		wanted := "ipafuzz 1 ipasir\noption ipafuzz.fail-allocation " + strconv.FormatUint(want, 10) + "\nsolve\n"
		if result.Trace.String() != wanted {
			t.Errorf("got\n%s\nwant\n%s", result.Trace, wanted)
		}
	}
}
