package trial

import (
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// SolveTime returns the total time of the finished solves of a run.
func SolveTime(run *trace.Run) time.Duration {
	total := uint64(0)
	for i := range run.Answers.Of {
		total += run.Answers.EffortOf(&run.Answers.Of[i]).Nanos
	}
	return time.Duration(total)
}

// CutSolve reports whether a time limit ended the run in a solve, and how long that solve had taken.
func CutSolve(t *trace.Trace, run *trace.Run) (took time.Duration, cut bool) {
	if !run.End.IsTimeLimit() || run.Call >= len(t.Calls) || t.Calls[run.Call].Op != apimodel.OpSolve {
		return 0, false
	}
	return time.Duration(run.Usage.WallNanos) - SolveTime(run), true
}

// Describe asks a target for its description.
func Describe(target *replay.Target, limits replay.Limits) (*apimodel.Description, error) {
	hello, err := replay.Greet(target, limits)
	return hello.Description, err
}

// LeastLimit returns the smaller of the two time limits: a run that met one of them took at least that
// long.
func LeastLimit(limits replay.Limits) time.Duration {
	if limits.CPU == 0 || limits.Wall > 0 && limits.Wall < limits.CPU {
		return limits.Wall
	}
	return limits.CPU
}
