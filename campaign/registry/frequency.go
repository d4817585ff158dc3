package registry

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A known fault that fails often hides a rare one with the same key. If the rare one needs a feature, that
// feature is more frequent among the failures of the key than among all traces.
const (
	leastFailures = 3 // of a key, with the feature
	leastLift     = 3 // how many times as frequent it is among them
	leastTraces   = 100

	rareFold = 4 // at most one trace in so many has a rare feature
)

// Frequencies counts traces with each feature.
type Frequencies struct {
	traces uint64
	with   [feature.Most]uint64
}

// Add counts a trace.
func (q *Frequencies) Add(features feature.Set) {
	q.traces++
	for set := uint64(features); set != 0; set &= set - 1 {
		q.with[bits.TrailingZeros64(set)]++
	}
}

func (q *Frequencies) merge(more *Frequencies) {
	q.traces += more.traces
	for f, n := range more.with {
		q.with[f] += n
	}
}

// Ran counts traces that ran, and clears the counts.
func (r *Registry) Ran(more *Frequencies) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran.merge(more)
	*more = Frequencies{}
}

// rare returns the features that few traces have. Most failures of a known fault do not have them.
func (q *Frequencies) rare() (found feature.Set) {
	for f := range feature.Count() {
		if q.with[f]*rareFold < q.traces {
			found |= 1 << f
		}
	}
	return found
}

// conspicuous returns the features that are much more frequent among the failures than among all traces.
func (q *Frequencies) conspicuous(all *Frequencies) (found feature.Set) {
	if all.traces < leastTraces {
		return 0
	}
	for f, n := range q.with {
		if n >= leastFailures && n*all.traces >= leastLift*q.traces*(all.with[f]+1) {
			found |= 1 << f
		}
	}
	return found
}
