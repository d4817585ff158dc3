package process

import "time"

// The kernel ends a process that has used much more CPU time than a trace may use. It is the
// last resort if ipafuzz and the warden are gone and nobody watches the process.
const (
	leastResort  = time.Hour
	resortFactor = 20
)

// LastResort returns the limit on the CPU time of each process of a target, given the limit
// for a trace; 0 means no limit.
func LastResort(limit time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	return max(leastResort, resortFactor*limit)
}

// IsSpent reports whether a process that runs many traces has used half of its last resort:
// then another process should take its place.
func IsSpent(used, lastResort time.Duration) bool { return lastResort > 0 && used > lastResort/2 }
