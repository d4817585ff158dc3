package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// A WallLimit decides whether a trace has exceeded its limit of wall time. Time in which its
// threads waited for a processor does not count: on a busy machine, a healthy trace may take
// seconds for milliseconds of work. The zero value is ready to use, for any number of traces
// one after the other.
type WallLimit struct {
	known  bool
	before turns // after the first shortTrace of the trace
	last   turns // at the last look after the limit
}

// turns is how long the threads of some processes ran and how long they waited for a processor.
type turns struct{ ran, waited time.Duration }

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
		w.before, w.last, w.known = turnsOf(processes), turns{}, true
	}
	if ran <= limit || ran > starved*limit {
		return ran > limit
	}
	now := turnsOf(processes)
	hasRun := now.ran != w.last.ran && w.last.ran != 0 || now.ran == 0
	w.last = now
	// The kernel counts a wait only when it is over. So the sum is complete only if the threads have
	// run since the last look or sleep.
	return ran-max(now.waited-w.before.waited, 0) > limit && (hasRun || areAsleep(processes))
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

// turnsOf returns the turns of the processes so far, or zeros if the kernel does not count them.
func turnsOf(processes []int) (sum turns) {
	for _, pid := range processes {
		tasks := fmt.Sprintf("/proc/%d/task/", pid)
		threads, err := os.ReadDir(tasks)
		if err != nil {
			continue
		}
		for _, thread := range threads {
			text, err := os.ReadFile(tasks + thread.Name() + "/schedstat")
			if err != nil {
				continue
			}
			var ran, waited int64
			if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
				sum.ran, sum.waited = sum.ran+time.Duration(ran), sum.waited+time.Duration(waited)
			}
		}
	}
	return sum
}
