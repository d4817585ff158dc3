package live

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Faults groups the findings of a running campaign by their fault. It repeats that, but takes only a small
// share of a processor, so the groups may be a little old.
type Faults struct {
	mu     sync.Mutex
	watch  func() []*store.Finding
	groups []fault.Fault
	busy   []*store.Finding
	at     time.Time
	took   time.Duration
}

// lasting bounds the time spent on grouping: a result stays valid for that many times as long as it took to
// make.
const lasting = 20

// NewFaults returns the faults of the findings that watch returns.
func NewFaults(watch func() []*store.Finding) *Faults { return &Faults{watch: watch} }

// Now returns the faults, and the findings that are still being reduced.
func (g *Faults) Now() ([]fault.Fault, []*store.Finding) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.at) < lasting*g.took {
		return g.groups, g.busy
	}
	begun := time.Now()
	var done []*store.Finding
	g.busy = nil
	for _, v := range g.watch() {
		if v.Status < store.Finished {
			g.busy = append(g.busy, v)
		} else {
			done = append(done, v)
		}
	}
	g.groups = fault.Group(done)
	g.at = time.Now()
	g.took = g.at.Sub(begun)
	return g.groups, g.busy
}

// Count returns the numbers of faults and findings as text, and that of further findings that are being reduced: nobody
// knows yet how many faults these are. A resumed campaign also reduces findings that are among the others.
func (g *Faults) Count() string {
	faults, busy := g.Now()
	stored := make(map[oracle.Key]bool)
	for i := range faults {
		for _, f := range faults[i].Findings {
			stored[f.Key] = true
		}
	}
	more := 0
	for i := range busy {
		if !stored[busy[i].Key] {
			more++
		}
	}
	text := fault.Count(faults)
	if more > 0 {
		text += fmt.Sprintf(", %d more being reduced", more)
	}
	return text
}

// newestFirst orders faults by when they were first seen.
func newestFirst(faults []fault.Fault) []fault.Fault {
	first := func(f *fault.Fault) time.Duration {
		return slices.MinFunc(f.Findings, func(a, b *store.Finding) int { return int(a.Elapsed - b.Elapsed) }).Elapsed
	}
	sorted := slices.Clone(faults)
	slices.SortStableFunc(sorted, func(a, b fault.Fault) int { return int(first(&b) - first(&a)) })
	return sorted
}
