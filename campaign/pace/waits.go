package pace

import (
	"fmt"
	"os"
	"time"
)

// waits is how long each thread of this process has waited for a processor, by its number.
type waits map[string]time.Duration

// waitsSoFar returns the waits of all threads, or none where the kernel does not count them. The kernel counts a
// wait when it is over.
func waitsSoFar() waits {
	const tasks = "/proc/self/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	all := make(waits, len(threads))
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + thread.Name() + "/schedstat")
		if err != nil {
			continue
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			all[thread.Name()] = time.Duration(waited)
		}
	}
	return all
}

// longest returns the longest time for which a thread has waited since before.
func (w waits) longest(before waits) time.Duration {
	most := time.Duration(0)
	for thread, waited := range w {
		most = max(most, waited-before[thread])
	}
	return most
}
