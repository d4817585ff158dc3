package pace

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/turns"
)

// leastGap is the shortest time without a new trace that counts as a standstill. Batches cause shorter
// gaps.
const leastGap = 100 * time.Millisecond

// Standstill is the time without a new trace. It does not include the time in which the library ran traces
// to their end: a slow library does not stand still.
type Standstill struct {
	Total   time.Duration `json:"total_ns"`
	Longest time.Duration `json:"longest_ns"`
	// Stopped is the time in which ipafuzz itself did not run, because somebody stopped or froze the
	// process. The other fields do not include it.
	Stopped time.Duration `json:"stopped_ns,omitempty"`
}

const (
	// lookInterval is how often the search looks at the clock. If it misses a look, ipafuzz was stopped.
	lookInterval = 100 * time.Millisecond
	// leastStop is the shortest time without a look that counts as stopped.
	leastStop = 2 * time.Second
	// mostUse bounds the processor time that a stopped process can have used shortly before and after the
	// stop: one part in mostUse of the time without a look.
	mostUse = 20
	// mostWait bounds, in the same way, how long a thread of a stopped process can have waited for a processor. On
	// a busy machine a look may be late by many seconds. Then a few threads waited one after the other, and one of
	// them for longer than this.
	mostWait = 4
)

// A Search measures how long a search stands still. The zero value is ready for Begin.
type Search struct {
	mu    sync.Mutex
	last  time.Time // when the last trace was judged; zero while no trace is expected
	stood Standstill
	// doubtful is the part of the time since last in which the target may have run traces that end
	// normally.
	doubtful time.Duration
	// finished is when the search ended for good; zero before.
	finished time.Time

	looked time.Time        // time of the last look that Watch took; zero without Watch
	used   time.Duration    // processor time at that look
	turns  threadTurns      // of this process, shortly before that look
	clock  func() time.Time // nil: time.Now
	cpu    func() time.Duration
	now    func() threadTurns
}

// Watch notices when this process is stopped, until end is called.
func (s *Search) Watch() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setClocks()
	s.looked, s.used, s.turns = s.clock(), s.cpu(), s.now()
	ticker, done := time.NewTicker(lookInterval), make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-ticker.C:
				used, turns := s.cpu(), s.now() // slow, so lanes must not wait for them
				s.mu.Lock()
				s.looked, s.used, s.turns = s.look(), used, turns
				s.mu.Unlock()
			case <-done:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(done)
		looking.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.looked = time.Time{}
	}
}

// threadTurns are the turns of the threads of this process, by their numbers.
type threadTurns = map[string]turns.Turn

// longestWait returns the longest time for which one thread has waited for a processor between two looks.
func longestWait(before, now threadTurns) (most time.Duration) {
	for thread, turn := range now {
		most = max(most, turn.Waited-before[thread].Waited)
	}
	return most
}

// look returns the time, and notices if this process was stopped since the last look.
func (s *Search) look() time.Time {
	s.setClocks()
	now := s.clock()
	gap := now.Sub(s.looked)
	if s.looked.IsZero() || gap < leastStop {
		return now
	}
	used := s.cpu()
	if used-s.used < gap/mostUse && longestWait(s.turns, s.now()) < gap/mostWait {
		s.stood.Stopped += gap
		if !s.last.IsZero() {
			s.last = s.last.Add(gap)
		}
	}
	s.looked, s.used = now, used
	return now
}

// setClocks sets the clocks, unless a test has.
func (s *Search) setClocks() {
	if s.clock == nil {
		s.clock, s.cpu = time.Now, processorTime
		s.now = func() threadTurns { return turns.Of(os.Getpid()) }
	}
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Begin starts the search, or continues it after a pause.
func (s *Search) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = s.look()
}

// Done records that new traces were judged, and how long they ran in the library.
func (s *Search) Done(ran time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if more := s.last.Add(ran).Sub(s.look()); more > 0 { // they began to run before the last trace was judged
		s.stood.Total -= min(more, s.doubtful)
	}
	s.done(ran)
	s.doubtful = 0
}

// DoneBeside is Done for traces that ran beside others of the target. If these end normally, the rest of the time
// before was not a standstill either.
func (s *Search) DoneBeside(ran time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.stood.Total
	s.done(ran)
	s.doubtful += s.stood.Total - before
}

func (s *Search) done(ran time.Duration) {
	now := s.look()
	if s.last.IsZero() {
		return
	}
	s.last = s.last.Add(ran)
	s.stood = s.at(now)
	s.last = now
}

// End ends the search, or interrupts it for a pause.
func (s *Search) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stood = s.at(s.look())
	s.last = time.Time{}
}

// Finish ends the search for good.
func (s *Search) Finish() {
	s.End()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = s.look()
}

// Finished returns the time since the search ended for good; 0 before.
func (s *Search) Finished() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished.IsZero() {
		return 0
	}
	return s.look().Sub(s.finished)
}

// Stood returns the standstills so far, and the time since the last trace.
func (s *Search) Stood() (stood Standstill, since time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.look()
	if !s.last.IsZero() {
		since = now.Sub(s.last)
	}
	return s.at(now), since
}

// Continue adds the standstills of an earlier part of the campaign.
func (s *Search) Continue(before Standstill) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stood.Total += before.Total
	s.stood.Longest = max(s.stood.Longest, before.Longest)
	s.stood.Stopped += before.Stopped
}

func (s *Search) at(now time.Time) Standstill {
	stood := s.stood
	if s.last.IsZero() {
		return stood
	}
	if gap := now.Sub(s.last); gap > leastGap { // last may lie in the future
		stood.Total += gap
		stood.Longest = max(stood.Longest, gap)
	}
	return stood
}
