// Package turns reads how long threads ran and how long they waited for a processor. The kernel counts a wait when
// it is over.
package turns

import (
	"fmt"
	"os"
	"time"
)

// A Turn is what a thread, or several together, did so far.
type Turn struct{ Ran, Waited time.Duration }

// Of returns the turns of the threads of a process by their numbers. It lacks threads of which the kernel counts none.
func Of(pid int) map[string]Turn {
	tasks := fmt.Sprintf("/proc/%d/task/", pid)
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	all := make(map[string]Turn, len(threads))
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + thread.Name() + "/schedstat")
		if err != nil {
			continue
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			all[thread.Name()] = Turn{Ran: time.Duration(ran), Waited: time.Duration(waited)}
		}
	}
	return all
}

// Sum returns the turns of all threads of some processes together.
func Sum(processes []int) (sum Turn) {
	for _, pid := range processes {
		for _, t := range Of(pid) {
			sum.Ran, sum.Waited = sum.Ran+t.Ran, sum.Waited+t.Waited
		}
	}
	return sum
}
