package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// A WallLimit decides whether a trace has exceeded its limit of wall time. The time in
// which its threads only waited for a processor does not count: on a busy machine, a
// healthy trace may take seconds for what needs milliseconds. The zero value is ready to
// use, for any number of traces that follow one another.
type WallLimit struct {
	known  bool
	before turns // when the trace had run for a while
	last   turns // at the last look that found the limit exceeded
}

// turns is what the threads of some processes had of the processors.
type turns struct{ ran, waited time.Duration }

const (
	// shortTrace is how long a trace has run when its waiting begins to count, so that the
	// many short ones cost nothing.
	shortTrace = 100 * time.Millisecond
	// starved is how many times its limit a trace may take even if it waits for a
	// processor all the time. Several threads may wait at once, so waiting alone proves
	// nothing.
	starved = 50
)

// Exceeded reports whether a trace that has run for so long in the processes has exceeded
// the limit; a limit of 0 is none.
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
	// The kernel counts a wait when it is over: in the middle of one, nothing is known.
	return ran-max(now.waited-w.before.waited, 0) > limit && (hasRun || areAsleep(processes))
}

// areAsleep reports whether no thread of the processes wants a processor.
func areAsleep(processes []int) bool {
	for _, pid := range processes {
		if asleep, _ := Idle(pid); !asleep && syscall.Kill(pid, 0) == nil {
			return false
		}
	}
	return true
}

// turnsOf returns what the threads of the processes had so far; nothing where the kernel
// does not count it.
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
