package atomicfile

import "sync"

// mostAtOnce bounds the files that a Group has open.
const mostAtOnce = 4

// A Group writes files at the same time: most of the time goes by until they are on the disk.
// The zero value is ready to use.
type Group struct {
	all    sync.WaitGroup
	open   sync.Once
	slots  chan struct{}
	mu     sync.Mutex // guards failed
	failed error
}

// Do calls write, in another goroutine. It waits if the group writes many files already.
func (g *Group) Do(write func() error) {
	g.open.Do(func() { g.slots = make(chan struct{}, mostAtOnce) })
	g.slots <- struct{}{}
	g.all.Go(func() {
		defer func() { <-g.slots }()
		err := write()
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.failed == nil {
			g.failed = err
		}
	})
}

// Wait waits for all writes and returns the first error: a full disk fails all of them in the same way.
func (g *Group) Wait() error {
	g.all.Wait()
	return g.failed
}
