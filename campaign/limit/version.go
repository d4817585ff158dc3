package limit

import (
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Most versions of a failing trace take no longer than the trace itself, and slower ones seldom show the
// same failure. So their limits follow from a run of the trace.
const (
	// LeastCPU is the least processor time that a version gets.
	LeastCPU = 200 * time.Millisecond
	// HangingCPU is the least processor time that a version gets in a target that hangs in some traces. There, many
	// versions hang for a reason of their own, and each of them uses up its time.
	HangingCPU = 25 * time.Millisecond
	// LeastWall is the least wall time that a version gets, unless the failure is about wall time. A
	// version that waited for a processor must not count as passing, or results would depend on the
	// machine's load.
	LeastWall = 5 * time.Second

	// A version of a trace that takes too much memory gets a share of its limit, but not less than leastMemory.
	leastMemory = 128 << 20
	memoryShare = 8

	slack       = 20 // times the time of the run
	wallOverCPU = 4  // other processes use the machine, too
)

// Near returns the limits for versions of a trace that failed in the given run.
func Near(full replay.Limits, run *trace.Run) replay.Limits {
	return Within(full, time.Duration(run.Usage.WallNanos), LeastCPU, LeastWall)
}

// ToMeet returns the limits for versions of a trace that met a limit in the given run. A version that fails takes
// as long as its limits allow, so they follow from the time that the trace took before the call that met its limit.
func ToMeet(full replay.Limits, class oracle.Class, run *trace.Run, leastCPU time.Duration) replay.Limits {
	switch {
	case class == oracle.TooMuchMemory:
		full.Memory = Lower(full.Memory, max(leastMemory, full.Memory/memoryShare))
		return full
	case run.End == trace.OutOfTime:
		return Within(full, run.SolveTime(), leastCPU, 0)
	}
	return Within(full, run.SolveTime(), leastCPU, LeastWall)
}

// Within lowers the time limits to a multiple of the time that a run took, but not below the least
// times.
func Within(full replay.Limits, took, leastCPU, leastWall time.Duration) replay.Limits {
	cpu := max(leastCPU, slack*took)
	full.CPU = Lower(full.CPU, cpu)
	full.Wall = Lower(full.Wall, max(leastWall, wallOverCPU*cpu))
	return full
}

// Shorten lowers the time limits so that a run gets at most that much processor time, and enough wall time for it on a
// busy machine.
func Shorten(full replay.Limits, cpu time.Duration) replay.Limits {
	const leastWall = 200 * time.Millisecond
	full.CPU, full.Wall = Lower(full.CPU, cpu), Lower(full.Wall, max(leastWall, wallOverCPU*cpu))
	return full
}

// Lower returns the smaller number. If full is 0, there is no limit yet.
func Lower[N ~int64 | ~uint64](full, wanted N) N {
	if full == 0 {
		return wanted
	}
	return min(full, wanted)
}

// Least returns the smaller of the two time limits: a run that met one of them took at least that long.
func Least(limits replay.Limits) time.Duration {
	if limits.CPU == 0 || limits.Wall > 0 && limits.Wall < limits.CPU {
		return limits.Wall
	}
	return limits.CPU
}
