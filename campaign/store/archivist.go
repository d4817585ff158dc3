package store

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// An Archivist archives every trace of a campaign. Lanes copy their traces into a parcel that all of them share; the
// archivist's own goroutine packs and writes full parcels. It starts a new archive every minute and after partTraces
// traces. Every Flush extends the archive in place, so a campaign that is killed loses only what was kept since the
// last Flush.
type Archivist struct {
	dir   string
	start sync.Once
	ended chan struct{}

	mu      sync.Mutex
	filling *parcel // by lanes
	of      struct{ cell, shard uint64 }
	prefix  string    // of the names of these traces
	sent    []*parcel // oldest first
	waiting int       // bytes of the traces in sent and in the parcel that is being written
	closed  bool      // no parcel will follow
	more    sync.Cond // a parcel was sent, or closed is set
	fewer   sync.Cond // a parcel was written
	empty   []*parcel // the last one is most likely in the processor's caches
	err     error     // the first error; nothing is written after it

	// Used only by the goroutine.
	frame  *archive.PackedFrame
	writer *archive.PackedWriter // nil between two archives
	begun  time.Time
}

const (
	partTraces = 250_000
	partTime   = time.Minute

	// mostWaiting bounds the memory of unwritten traces in bytes: lanes that are faster than the archivist wait for it.
	mostWaiting = 16 << 20

	mostEmpty = 16 // parcels that are kept for later
)

// NewArchivist returns an archivist for a campaign directory.
func NewArchivist(dir string) *Archivist {
	a := &Archivist{dir: filepath.Join(dir, archiveDir), ended: make(chan struct{}), frame: archive.NewPackedFrame()}
	a.more.L, a.fewer.L = &a.mu, &a.mu
	return a
}

// A Kept is a trace to keep, with its number and its notes in the header.
type Kept struct {
	Trace  *trace.Trace
	Header *notes.Header
}

// Keep archives traces of a cell, each named CELL-SHARD-NUMBER. It does not use them after it returned, and returns the
// error of earlier traces.
func (a *Archivist) Keep(cell, shard uint64, traces []Kept) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, kept := range traces {
		if a.prefix == "" || a.of.cell != cell || a.of.shard != shard { // while a lane waits, others keep traces
			a.of.cell, a.of.shard = cell, shard
			a.prefix = strconv.FormatUint(cell, 10) + "-" + strconv.FormatUint(shard, 10) + "-"
		}
		if a.filling == nil {
			a.filling = a.emptyParcel()
		}
		a.filling.add(a.prefix, kept)
		if a.filling.size < fullParcel {
			continue
		}
		a.send()
		for a.waiting > mostWaiting {
			a.fewer.Wait()
		}
	}
	return unwritable(a.dir, a.err)
}

func (a *Archivist) emptyParcel() *parcel {
	n := len(a.empty)
	if n == 0 {
		return new(parcel)
	}
	p := a.empty[n-1]
	a.empty = a.empty[:n-1]
	return p
}

// send hands the parcel to the goroutine. The caller must hold the lock.
func (a *Archivist) send() {
	if a.filling != nil {
		a.sendNext(a.filling)
		a.filling = nil
	}
}

func (a *Archivist) sendNext(p *parcel) {
	a.start.Do(func() { go a.work() })
	a.sent, a.waiting = append(a.sent, p), a.waiting+p.size
	a.more.Signal()
}

// Flush waits until all traces that were kept are in the archive, where they survive a kill.
func (a *Archivist) Flush() error {
	if a == nil {
		return nil
	}
	wish := &parcel{flushed: make(chan struct{})}
	a.mu.Lock()
	a.send()
	a.sendNext(wish)
	a.mu.Unlock()
	<-wish.flushed
	return a.failure()
}

func (a *Archivist) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return unwritable(a.dir, a.err)
}

func (a *Archivist) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

// work writes parcels until Finish. After an error it discards them, so that lanes do not wait forever.
func (a *Archivist) work() {
	defer close(a.ended)
	for p := a.next(); p != nil; p = a.next() {
		a.do(func() error { return a.write(p) })
		a.done(p)
	}
	a.do(func() error { return cmp.Or(a.writeFrame(), a.close()) })
}

func (a *Archivist) do(what func() error) {
	if a.failure() != nil {
		return
	}
	if err := caught.Do(what); err != nil {
		a.fail(err)
		a.fail(a.close()) // what was written stays; only the first error counts
	}
}

// next waits for a parcel. It returns nil after the last one.
func (a *Archivist) next() *parcel {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.sent) == 0 {
		if a.closed {
			return nil
		}
		a.more.Wait()
	}
	return a.sent[0]
}

// done takes the oldest parcel from those that wait.
func (a *Archivist) done(p *parcel) {
	size := p.size
	again := p.flushed == nil && p.reset()
	a.mu.Lock()
	a.sent, a.waiting = append(a.sent[:0], a.sent[1:]...), a.waiting-size
	if again && len(a.empty) < mostEmpty {
		a.empty = append(a.empty, p)
	}
	a.fewer.Broadcast()
	a.mu.Unlock()
	if p.flushed != nil {
		close(p.flushed)
	}
}

func (a *Archivist) write(p *parcel) error {
	if p.flushed == nil {
		return p.pack(a.frame, a.writeFrame)
	}
	if err := a.writeFrame(); err != nil || a.writer == nil {
		return err
	}
	return a.writer.Flush()
}

func (a *Archivist) writeFrame() error {
	defer a.frame.Reset()
	if a.frame.Empty() {
		return nil
	}
	if err := a.open(); err != nil {
		return err
	}
	if err := a.writer.Write(a.frame); err != nil {
		return err
	}
	if a.writer.Added() >= partTraces || time.Since(a.begun) >= partTime {
		return a.close()
	}
	return nil
}

// open creates the next archive, with the number after those of earlier runs.
func (a *Archivist) open() error {
	if a.writer != nil {
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return err
	}
	var err error
	a.writer, err = archive.CreatePacked(nextPart(a.dir))
	a.begun = time.Now()
	return err
}

func (a *Archivist) close() error {
	if a.writer == nil {
		return nil
	}
	err := a.writer.Close()
	a.writer = nil
	return err
}

// Finish waits until all traces are written and completes the last archive. No lane may call Keep
// afterwards.
func (a *Archivist) Finish() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	a.send()
	a.closed = true
	a.start.Do(func() { go a.work() })
	a.more.Signal()
	a.mu.Unlock()
	<-a.ended
	return a.failure()
}
