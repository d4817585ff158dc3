package native

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
)

// mostLoads is how many workers are started, one after the other, until one has loaded a target that another one
// has loaded before.
const mostLoads = 10

// restart replaces the process. If it fails, the stream can only be closed.
func (s *stream) restart() error {
	more := s.retire()
	p, took := s.takeStandby()
	if p == nil {
		var err error
		if p, took, err = s.start(s.limits, s.layout, &s.running, &s.interrupted); err != nil {
			return err
		}
	}
	s.process, s.hello, s.idle = p, p.hello, false
	s.age.begins(took)
	if more {
		s.prepareStandby()
	}
	return nil
}

// start starts a worker, waits until it has loaded the target, and returns how long the worker took. The worker is in
// running meanwhile, and ends if unwanted is set. A target may fail to load now and then, for example if a thread that
// its constructor starts crashes. That must not end a campaign.
func (s *stream) start(limits replay.Limits, layout worker.Layout, running *atomic.Pointer[workerProcess],
	unwanted *atomic.Bool) (p *workerProcess, took time.Duration, err error) {
	d, first := s.target.Driver.(*driver), time.Now()
	for loads := 1; ; loads++ {
		begun := time.Now()
		p, err := s.startOnce(limits, layout, running, unwanted)
		var unusable *replay.TargetError
		switch {
		case err == nil:
			d.loaded.Store(true)
			if s.way == replay.Fork && !p.hello.LoadsEach {
				d.bearsFork.Store(true)
			}
			return p, time.Since(begun), nil
		case !errors.As(err, &unusable) || !d.loaded.Load() || unwanted.Load():
			return nil, 0, err
		case loads == mostLoads || time.Since(first) > process.LoadTime:
			return nil, 0, err
		}
		process.NoteDisturbance(fmt.Sprintf("target %s had loaded, and did not load again: %s", unusable.Target,
			unusable.Reason))
	}
}

// startOnce is start with one attempt.
func (s *stream) startOnce(limits replay.Limits, layout worker.Layout, running *atomic.Pointer[workerProcess],
	unwanted *atomic.Bool) (*workerProcess, error) {
	p, err := startWorker(s.target, s.way, limits, layout, s.heap)
	if err != nil {
		return nil, err
	}
	running.Store(p)
	if unwanted.Load() {
		p.Kill()
	}
	if err := p.greet(); err != nil {
		return nil, err
	}
	return p, nil
}

// retire ends the process, and reports whether the next ones will probably die soon, too, so that a standby pays.
// Then nobody waits until everything is freed that belonged to the process.
func (s *stream) retire() (more bool) {
	if p := s.process; p != nil {
		if more = p.Gone() && s.ran < manyTraces && s.layout.Jobs > 1; more {
			s.beside.Go(p.close)
		} else {
			p.close()
		}
	}
	s.process, s.ran, s.collected = nil, 0, 0
	return more
}
