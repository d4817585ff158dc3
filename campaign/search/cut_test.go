package search

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestCutAt checks which calls of a trace are confirmed.
func TestCutAt(t *testing.T) {
	three := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\nsolve\nsolve\n")
	for _, row := range []struct {
		end          trace.End
		failed, call int
		want         int // calls; 0: all
	}{
		{trace.OutOfCPU, 0, 2, 2},
		{trace.OutOfTime, 1, 2, 2},
		{trace.OutOfMemory, 0, 1, 1},
		{trace.OutOfCPU, 2, 2, 0}, // the failure is the hang
		{trace.OutOfCPU, 0, 3, 0}, // the final release hangs
		{trace.Killed, 0, 2, 0},
		{trace.Finished, 0, 0, 0},
	} {
		cut := cutAt(row.failed, three, &trace.Run{End: row.end, Call: row.call})
		if cut == nil && row.want > 0 || cut != nil && cut.Calls != row.want {
			t.Errorf("%+v: %+v", row, cut)
		}
	}
}
