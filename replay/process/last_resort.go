package process

import "time"

// A process that nothing else ends is ended by the kernel when it has used much more time
// than a trace may: nobody may be left to watch it.
const (
	leastResort  = time.Hour
	resortFactor = 20
)

// LastResort returns the limit on the processor time of each process of a target whose
// traces have that limit; 0 is no limit.
func LastResort(limit time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	return max(leastResort, resortFactor*limit)
}

// IsSpent reports whether a process that runs many traces has used so much of its last
// resort that another one should take its place.
func IsSpent(used, lastResort time.Duration) bool { return lastResort > 0 && used > lastResort/2 }
