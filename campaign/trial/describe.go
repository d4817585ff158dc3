package trial

import (
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// SolveTime is how long the solves took that came to an end.
func SolveTime(run *trace.Run) time.Duration {
	total := uint64(0)
	for i := range run.Answers.Of {
		total += run.Answers.EffortOf(&run.Answers.Of[i]).Nanos
	}
	return time.Duration(total)
}

// Describe asks a target what it offers.
func Describe(target *replay.Target, limits replay.Limits) (*apimodel.Description, error) {
	hello, err := replay.Greet(target, limits)
	return hello.Description, err
}

// LeastLimit is what a run that met its time limit took at least.
func LeastLimit(limits replay.Limits) time.Duration {
	if limits.CPU == 0 || limits.Wall > 0 && limits.Wall < limits.CPU {
		return limits.Wall
	}
	return limits.CPU
}
