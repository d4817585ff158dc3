package store

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/internal/reuse"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// An Archivist archives every trace of a campaign, in its own goroutine: lanes only copy their traces into
// parcels. It starts a new archive every minute and after partTraces traces. Every Flush extends the
// archive in place, so a campaign that is killed loses only what was sent since the last Flush.
type Archivist struct {
	dir   string
	start sync.Once
	sent  chan *Parcel
	ended chan struct{}

	mu      sync.Mutex
	emptied sync.Cond // signals that a parcel became empty
	empty   []*Parcel // the last one is taken first: its memory is still in the caches
	err     error     // the first error; nothing is written after it

	// Used only by the goroutine.
	writer *archive.PackedWriter // nil between two archives
	begun  time.Time
	name   []byte
}

const (
	partTraces = 250_000
	partTime   = time.Minute

	// parcelsAhead bounds the memory of unwritten traces: a lane that is faster than the archivist waits
	// for it.
	parcelsAhead = 32
)

// NewArchivist returns an archivist for a campaign directory.
func NewArchivist(dir string) *Archivist {
	a := &Archivist{dir: filepath.Join(dir, archiveDir), sent: make(chan *Parcel, parcelsAhead),
		ended: make(chan struct{})}
	a.emptied.L = &a.mu
	for range parcelsAhead {
		a.empty = append(a.empty, new(Parcel))
	}
	return a
}

// A Parcel holds some traces of a cell on their way into an archive. They share memory, which later parcels
// reuse.
type Parcel struct {
	flushed     chan struct{} // not nil: the parcel is empty and asks to write all traces before it
	cell, shard uint64
	items       []parcelItem
	calls       []trace.Call
	lits        []int32
	bytes       []byte
}

type parcelItem struct {
	number             uint64
	header             func() []string
	model              *apimodel.Model
	calls, lits, bytes int          // ends of the trace's parts in the parcel
	whole              *trace.Trace // instead, for a trace with more than calls
}

// Parcel returns an empty parcel for traces of a cell. The caller must call Send.
func (a *Archivist) Parcel(cell, shard uint64) *Parcel {
	p := a.takeEmpty()
	p.cell, p.shard = cell, shard
	p.items, p.calls, p.lits, p.bytes = p.items[:0], reuse.Empty(p.calls), reuse.Empty(p.lits), reuse.Empty(p.bytes)
	return p
}

func (a *Archivist) takeEmpty() *Parcel {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.empty) == 0 {
		a.emptied.Wait()
	}
	last := len(a.empty) - 1
	p := a.empty[last]
	a.empty = a.empty[:last]
	return p
}

func (a *Archivist) putEmpty(p *Parcel) {
	clear(p.items)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.empty = append(a.empty, p)
	a.emptied.Signal()
}

// Add copies a trace into the parcel. header returns the notes of the trace; the archivist calls it in
// another goroutine.
func (p *Parcel) Add(number uint64, t *trace.Trace, header func() []string) {
	item := parcelItem{number: number, header: header, model: t.Model}
	if len(t.Planted) > 0 || len(t.Want.Of) > 0 || len(t.Got.Of) > 0 {
		item.whole = t.Clone()
	} else {
		p.calls, p.lits, p.bytes = append(p.calls, t.Calls...), append(p.lits, t.Lits...), append(p.bytes, t.Bytes...)
	}
	item.calls, item.lits, item.bytes = len(p.calls), len(p.lits), len(p.bytes)
	p.items = append(p.items, item)
}

// Send hands over a parcel. It returns the error of an earlier parcel.
func (a *Archivist) Send(p *Parcel) error {
	a.start.Do(func() { go a.work() })
	a.sent <- p
	return a.failure()
}

// Flush waits until all traces that were sent are in the archive, where they survive a kill.
func (a *Archivist) Flush() error {
	if a == nil {
		return nil
	}
	a.start.Do(func() { go a.work() })
	wish := &Parcel{flushed: make(chan struct{})}
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

// work writes parcels until Finish. After an error it discards them, so that lanes do not wait forever.
func (a *Archivist) work() {
	defer close(a.ended)
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
			a.putEmpty(p)
		}
	}
	if err := a.close(); err != nil {
		a.fail(err)
	}
}

func (a *Archivist) write(p *Parcel) error {
	if p.flushed != nil {
		if a.writer == nil {
			return nil
		}
		return a.writer.Flush()
	}
	if err := a.open(); err != nil {
		return err
	}
	var calls, lits, bytes int
	for i := range p.items {
		item := &p.items[i]
		t := item.whole
		if t == nil {
			t = &trace.Trace{Model: item.model, Calls: p.calls[calls:item.calls], Lits: p.lits[lits:item.lits],
				Bytes: p.bytes[bytes:item.bytes]}
		}
		calls, lits, bytes = item.calls, item.lits, item.bytes
		t.Notes = item.header()
		a.name = strconv.AppendUint(a.name[:0], p.cell, 10)
		a.name = strconv.AppendUint(append(a.name, '-'), p.shard, 10)
		a.name = strconv.AppendUint(append(a.name, '-'), item.number, 10)
		if err := a.writer.Add(string(a.name), t); err != nil {
			return err
		}
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

// Finish waits until all traces are written and completes the last archive. No lane may call Send
// afterwards.
func (a *Archivist) Finish() error {
	if a == nil {
		return nil
	}
	a.start.Do(func() { go a.work() })
	close(a.sent)
	<-a.ended
	return a.failure()
}
