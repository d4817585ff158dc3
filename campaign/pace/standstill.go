package pace

import (
	"sync"
	"time"
)

// leastGap is the shortest time without a new trace that counts as a standstill. Shorter
// ones lie between batches.
const leastGap = 100 * time.Millisecond

// Standstill is the time without a new trace. The time in which the library ran traces
// to their end is not part of it: a slow library does not stand still.
type Standstill struct {
	Total   time.Duration `json:"total_ns"`
	Longest time.Duration `json:"longest_ns"`
}

// A Search measures the time in which a search stands still. The zero value is ready for Begin.
type Search struct {
	mu    sync.Mutex
	last  time.Time // when a trace was last done; zero while nothing is due
	stood Standstill
}

// Begin starts the search, or continues it after a pause.
func (s *Search) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

// Done notes that new traces were judged, which ran in the library for that long.
func (s *Search) Done(ran time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() {
		return
	}
	s.last = s.last.Add(ran)
	s.stood = s.now()
	s.last = time.Now()
}

// End ends the search, or interrupts it for a pause.
func (s *Search) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stood = s.now()
	s.last = time.Time{}
}

// Stood returns the standstills so far, and the time since the last trace.
func (s *Search) Stood() (stood Standstill, since time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() {
		since = time.Since(s.last)
	}
	return s.now(), since
}

// Continue adds the standstills of an earlier part of the campaign.
func (s *Search) Continue(before Standstill) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stood.Total += before.Total
	s.stood.Longest = max(s.stood.Longest, before.Longest)
}

func (s *Search) now() Standstill {
	stood := s.stood
	if s.last.IsZero() {
		return stood
	}
	if gap := time.Since(s.last); gap > leastGap { // last may lie in the future
		stood.Total += gap
		stood.Longest = max(stood.Longest, gap)
	}
	return stood
}
