package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// An Archivist archives every trace of a campaign. Lanes pack their traces into a frame that all of them share; the
// archivist's own goroutine writes full frames. It starts a new archive every minute and after partTraces traces. Every
// Flush extends the archive in place, so a campaign that is killed loses only what was kept since the last Flush.
type Archivist struct {
	dir   string
	start sync.Once
	sent  chan parcel
	ended chan struct{}

	packing sync.Mutex
	frame   *archive.Frame // that lanes fill
	of      struct{ cell, shard uint64 }
	prefix  string // of the names of these traces
	name    []byte

	mu    sync.Mutex
	err   error            // the first error; nothing is written after it
	empty []*archive.Frame // the last one was used last, so it is still in a cache

	// Used only by the goroutine.
	writer *archive.Writer // nil between two archives
	begun  time.Time
}

// A parcel is a frame to write, or the wish to flush all frames before it.
type parcel struct {
	frame   *archive.Frame
	flushed chan struct{}
}

const (
	partTraces = 250_000
	partTime   = time.Minute

	// framesAhead bounds the memory of unwritten traces: lanes that are faster than the archivist wait for it.
	framesAhead = 8
)

// NewArchivist returns an archivist for a campaign directory.
func NewArchivist(dir string) *Archivist {
	dir = filepath.Join(dir, archiveDir)
	return &Archivist{dir: dir, sent: make(chan parcel, framesAhead), ended: make(chan struct{})}
}

// A Kept is a trace to keep, with its number and its notes in the header.
type Kept struct {
	Trace  *trace.Trace
	Header *notes.Header
}

// Keep archives traces of a cell, each named CELL-SHARD-NUMBER. It does not use them after it returned, and returns the
// error of earlier traces.
func (a *Archivist) Keep(cell, shard uint64, traces []Kept) error {
	a.packing.Lock()
	defer a.packing.Unlock()
	if a.prefix == "" || a.of.cell != cell || a.of.shard != shard {
		a.of.cell, a.of.shard = cell, shard
		a.prefix = strconv.FormatUint(cell, 10) + "-" + strconv.FormatUint(shard, 10) + "-"
	}
	for _, kept := range traces {
		if a.frame == nil {
			a.frame = a.emptyFrame()
		}
		a.name = strconv.AppendUint(append(a.name[:0], a.prefix...), kept.Header.Number, 10)
		a.frame.Add(a.name, kept.Header, kept.Trace)
		if a.frame.Full() {
			a.send()
		}
	}
	return a.failure()
}

// send hands the frame to the goroutine. The caller must hold the lock.
func (a *Archivist) send() {
	if a.frame == nil {
		return
	}
	a.start.Do(func() { go a.work() })
	a.sent <- parcel{frame: a.frame}
	a.frame = nil
}

func (a *Archivist) emptyFrame() *archive.Frame {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := len(a.empty) - 1
	if last < 0 {
		return new(archive.Frame)
	}
	frame := a.empty[last]
	a.empty = a.empty[:last]
	return frame
}

func (a *Archivist) emptied(frame *archive.Frame) {
	frame.Reset()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.empty = append(a.empty, frame)
}

// Flush waits until all traces that were kept are in the archive, where they survive a kill.
func (a *Archivist) Flush() error {
	if a == nil {
		return nil
	}
	a.packing.Lock()
	a.send()
	a.packing.Unlock()
	a.start.Do(func() { go a.work() })
	wish := parcel{flushed: make(chan struct{})}
	a.sent <- wish
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

// work writes frames until Finish. After an error it discards them, so that lanes do not wait forever. It gives way to
// lanes, which wake it: where they keep all processors but one busy, the system would stop a lane for it.
func (a *Archivist) work() {
	defer close(a.ended)
	yieldToLanes()
	for p := range a.sent {
		if a.failure() == nil {
			if err := caught.Do(func() error { return a.write(p) }); err != nil {
				a.fail(err)
				a.fail(a.close()) // what was written stays; only the first error counts
			}
		}
		if p.flushed != nil {
			close(p.flushed)
		} else {
			a.emptied(p.frame)
		}
	}
	if err := a.close(); err != nil {
		a.fail(err)
	}
}

func (a *Archivist) write(p parcel) error {
	if p.flushed != nil {
		return nil // the frames before it are written
	}
	if err := a.open(); err != nil {
		return err
	}
	if err := a.writer.Write(p.frame); err != nil {
		return err
	}
	if a.writer.Added >= partTraces || time.Since(a.begun) >= partTime {
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
	a.writer, err = archive.Append(nextPart(a.dir))
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
	a.packing.Lock()
	a.send()
	a.packing.Unlock()
	a.start.Do(func() { go a.work() })
	close(a.sent)
	<-a.ended
	return a.failure()
}

// behindLanes is the nice value of the archivist's thread.
const behindLanes = 10

// yieldToLanes makes the thread of the calling goroutine, which stays on it, give way to others. If the system refuses
// that, traces are only kept more slowly.
func yieldToLanes() {
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), behindLanes)
}
