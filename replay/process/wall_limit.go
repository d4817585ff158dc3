package process

import (
	"slices"
	"syscall"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/turns"
)

// A WallLimit decides whether a trace has exceeded its limit of wall time. Time in which its
// threads waited for a processor does not count: on a busy machine, a healthy trace may take
// seconds for milliseconds of work. The zero value is ready to use, for any number of traces
// one after the other.
type WallLimit struct {
	known  bool
	before turns.Turn // after the first shortTrace of the trace
	last   turns.Turn // at the last look after the limit
}

const (
	// shortTrace is the age of a trace from which on its turns are read: reading them for
	// the many shorter traces would cost too much.
	shortTrace = 100 * time.Millisecond
	// starved times the limit is the longest that a trace may take even if it only waits for
	// a processor. Several threads may wait at once, so the sum of their waiting times may
	// exceed the time of the trace.
	starved = 50
)

// Exceeded reports whether a trace that has run for the time ran in these processes has
// exceeded the limit; a limit of 0 means no limit.
func (w *WallLimit) Exceeded(ran, limit time.Duration, processes ...int) bool {
	if limit == 0 || ran < min(shortTrace, limit) {
		w.known = false
		return false
	}
	if !w.known {
		w.before, w.last, w.known = turns.Sum(processes), turns.Turn{}, true
	}
	if ran <= limit || ran > starved*limit {
		return ran > limit
	}
	turn := turns.Sum(processes)
	if turn.Ran == 0 && !anyLeft(processes) {
		return false // how they ended is known soon; how long they waited, never
	}
	hasRun := turn.Ran != w.last.Ran && w.last.Ran != 0 || turn.Ran == 0
	w.last = turn
	// The kernel counts a wait only when it is over. So the sum is complete only if the threads have
	// run since the last look or sleep.
	return ran-max(turn.Waited-w.before.Waited, 0) > limit && (hasRun || areAsleep(processes))
}

func anyLeft(processes []int) bool {
	return slices.ContainsFunc(processes, func(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH })
}

// areAsleep reports whether all processes that still exist are idle.
func areAsleep(processes []int) bool {
	for _, pid := range processes {
		if asleep, _ := Idle(pid); !asleep && syscall.Kill(pid, 0) == nil {
			return false
		}
	}
	return true
}
