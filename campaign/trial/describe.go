package trial

import (
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// CutSolve reports whether a time limit ended the run in a solve, and how long that solve had taken.
func CutSolve(t *trace.Trace, run *trace.Run) (took time.Duration, cut bool) {
	if !run.End.IsTimeLimit() || run.Call >= len(t.Calls) || t.Calls[run.Call].Op != apimodel.OpSolve {
		return 0, false
	}
	return time.Duration(run.Usage.WallNanos) - run.SolveTime(), true
}

// Describe asks a target for its description.
func Describe(target *replay.Target, limits replay.Limits) (*apimodel.Description, error) {
	hello, err := replay.Greet(target, limits)
	return hello.Description, err
}
