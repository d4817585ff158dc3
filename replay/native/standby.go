package native

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
)

// A standby is a worker that starts beside another one and takes its place when that one dies. It has loaded the
// target and has run nothing. A library that hangs in one trace of a hundred needs a new process every few
// milliseconds, and to start one takes as long as to run a hundred traces.
type standby struct {
	limits   replay.Limits
	layout   worker.Layout
	worker   atomic.Pointer[workerProcess] // also while it starts
	unwanted atomic.Bool

	done  chan struct{}  // closed when the fields below are set
	ready *workerProcess // nil if it could not start
	took  time.Duration  // to start
}

// A stream has a standby if its last process ran fewer than manyTraces before it died. Others need none.
const manyTraces = 1000

// canSpareFiles reports whether there are enough descriptors for standbys: each takes four, and a campaign may have
// many.
var canSpareFiles = sync.OnceValue(func() bool {
	var limit unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur >= 1024
})

// prepareStandby begins to start the standby, unless there is one.
func (s *stream) prepareStandby() {
	if s.standby.Load() != nil || !canSpareFiles() {
		return
	}
	next := &standby{limits: s.limits, layout: s.layout, done: make(chan struct{})}
	s.standby.Store(next)
	if s.interrupted.Load() {
		next.end()
	}
	s.beside.Go(func() {
		defer close(next.done)
		caught.Do(func() (err error) { // an error will show again when the stream itself starts a worker
			next.ready, next.took, err = s.start(next.limits, next.layout, &next.worker, &next.unwanted)
			return err
		})
	})
}

// takeStandby returns the standby as the next process, or nil if there is none that can run traces.
func (s *stream) takeStandby() (p *workerProcess, took time.Duration) {
	next := s.standby.Load()
	if next == nil {
		return nil, 0
	}
	if next.layout != s.layout || !startsAlike(next.limits, s.limits) {
		s.dropStandby()
		return nil, 0
	}
	<-next.done
	if next.ready == nil || next.ready.Gone() {
		s.dropStandby()
		return nil, 0
	}
	limits := s.limits
	next.ready.limits.Store(&limits)
	s.running.Store(next.ready)
	s.standby.Store(nil)
	if s.interrupted.Load() {
		next.ready.Kill()
	}
	return next.ready, next.took
}

// startsAlike reports whether processes that start with these limits are alike. The watchdog applies the others.
func startsAlike(a, b replay.Limits) bool {
	if process.LastResort(a.CPU) != process.LastResort(b.CPU) {
		return false
	}
	a.CPU, a.Wall, a.Growth, a.Warmup = b.CPU, b.Wall, b.Growth, b.Warmup
	return a == b
}

func (s *stream) dropStandby() {
	next := s.standby.Swap(nil)
	if next == nil {
		return
	}
	next.end()
	s.beside.Go(func() {
		<-next.done
		if next.ready != nil {
			next.ready.close()
		}
	})
}

// end ends the process of a standby, also while it starts. It may be called from any goroutine.
func (n *standby) end() {
	n.unwanted.Store(true)
	if p := n.worker.Load(); p != nil {
		p.Kill()
	}
}
