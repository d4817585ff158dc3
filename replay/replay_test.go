package replay

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func TestFirst(t *testing.T) {
	tr := &trace.Trace{Model: apimodel.IPAMIR}
	tr.Clause(0, true, 1, -3, 7)
	tr.Clause(0, true, -1, 3)
	tr.Soft(0, 7, 17)
	tr.Soft(0, 1, 3)
	tr.Literal(0, apimodel.OpAssume, 3)
	tr.Plain(0, apimodel.OpSolve)
	tr.Plain(0, apimodel.OpObj)
	tr.Plain(0, apimodel.OpModel)
	tr.Literal(0, apimodel.OpVal, -7)
	tr.Plain(0, apimodel.OpSignature)
	for _, way := range Ways {
		target, err := Resolve("ref", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(target, way, DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		var run trace.Run
		for range 3 {
			if err := r.Run(context.Background(), tr, &run); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%v %+v", way, run)
		r.Close()
	}
}
