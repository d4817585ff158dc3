package archive

import (
	"errors"
	"fmt"
	"os"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Writer makes an archive or adds to one. It never rewrites what is there: it appends new
// frames, their index, and a seek table of everything. It is not for concurrent use.
type Writer struct {
	file    *os.File
	path    string
	fresh   *atomicfile.File // the file if it is new, or nil
	was     int64            // end of the old frames; the rest of the file is new
	at      int64
	encoder *zstd.Encoder
	blocks  []block
	frame   []byte // text of the current frame
	inFrame uint32
	index   index  // index of the frames since the last index in the file
	batch   *batch // collects what to write in one piece; nil: each frame is written immediately
	seen    map[Hash]struct{}
	out     []byte
	fill    int   // bytes of text after which a frame ends
	err     error // the first error, after which the writer writes nothing more

	Added, Known int  // numbers of traces that were new, and that the archive had already
	Dropped      Torn // the torn end that Append dropped; zero if there was none
}

// Create makes a new archive. Until Close, it has a temporary name, and a file with its
// final name stays as it is.
func Create(path string) (*Writer, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s cannot be replaced: it is not a regular file", path)
	}
	fresh, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	w := newWriter(fresh.File, path)
	w.fresh = fresh
	return w, nil
}

func newWriter(file *os.File, path string) *Writer {
	return &Writer{file: file, path: path, encoder: newEncoder(), seen: make(map[Hash]struct{}), fill: FrameBytes,
		index: index{word: indexWord}}
}

// Append opens an archive to add traces, or makes one if there is none. It drops the torn end of
// a torn archive.
func Append(path string) (*Writer, error) {
	for {
		// Abort removes what it takes for an archive without traces, which a device or a pipe is not.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return nil, notRegular(path)
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		w, err := appendTo(file, path)
		if err == nil {
			return w, nil
		}
		file.Close()
		if !errors.Is(err, errReplaced) {
			return nil, err
		}
	}
}

// errReplaced reports a file that has lost its name, so that traces added to it would be lost.
var errReplaced = errors.New("another process has replaced or removed it; nothing was added")

// isAt reports whether the path still names the file.
func isAt(file *os.File, path string) bool {
	ours, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(ours, named)
}

// ErrBusy reports an archive to which another process is adding.
var ErrBusy = errors.New("another process is adding to it")

// lock locks the file against other writers. The kernel releases the lock when the file is closed.
func lock(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}

func appendTo(file *os.File, path string) (*Writer, error) {
	if err := lock(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !isAt(file, path) { // another process replaced it between open and lock
		return nil, fmt.Errorf("%s: %w", path, errReplaced)
	}
	if info, err := file.Stat(); err != nil || info.Size() == 0 {
		return newWriter(file, path), err
	}
	r, err := openFile(file, path)
	if err != nil {
		return nil, err
	}
	defer r.decoder.Close()
	if r.Torn != nil && r.Torn.unsure {
		return nil,
			fmt.Errorf("%s: at byte %d: %s; this is damage and not a torn end, and adding would drop what follows it "+
				"('ipafuzz archive create NEW %s' keeps what is before it)",
				path, r.Torn.Offset, r.Torn.Why, path)
	}
	if err := r.damaged(); err != nil {
		return nil, fmt.Errorf("nothing is added to a damaged archive ('ipafuzz archive verify %s' lists all problems): %w",
			path, err)
	}
	if err := r.sumUnlisted(); err != nil {
		return nil, err
	}
	w := newWriter(file, path)
	w.was, w.at, w.blocks = r.end, r.end, r.blocks
	for i := range r.Len() {
		hash, err := r.Hash(i)
		if err != nil {
			return nil, err
		}
		w.seen[hash] = struct{}{}
	}
	// A writer that was killed has left these frames without an index.
	for i := r.indexed; i < len(r.frames); i++ {
		w.index.counts = append(w.index.counts, uint32(r.frames[i].count))
		for k := range r.frames[i].count {
			hash, name, err := r.Entry(r.frames[i].first + k)
			if err != nil {
				return nil, err
			}
			w.index.add(hash, name)
		}
	}
	if r.Torn != nil {
		w.Dropped = *r.Torn
		if err := file.Truncate(r.end); err != nil {
			return nil, err
		}
	}
	_, err = file.Seek(r.end, 0)
	return w, err
}

// Add adds a trace, unless the archive has one with the same text. The caller must not
// add a trace that Parse would refuse.
func (w *Writer) Add(name string, t *trace.Trace) (added bool, err error) {
	return w.AddText(name, t.AppendText(nil))
}

// AddText is like Add, for the text of a trace.
func (w *Writer) AddText(name string, text []byte) (added bool, err error) {
	if w.err != nil {
		return false, w.err
	}
	if err := checkName(name); err != nil {
		return false, err
	}
	if len(text) > trace.DefaultLimits.Bytes || len(text) < leastText || !beginsTrace(text) || text[len(text)-1] != '\n' {
		return false, fmt.Errorf("%s: a text of %d bytes that is not a trace, or is longer than a trace may be", name,
			len(text))
	}
	hash := HashOf(text)
	if _, known := w.seen[hash]; known {
		w.Known++
		return false, nil
	}
	w.seen[hash] = struct{}{}
	if len(w.frame) > 0 && len(w.frame)+len(text) > maxFrame {
		w.endFrame()
	}
	w.frame = append(w.frame, text...)
	w.inFrame++
	w.index.add(hash, name)
	w.Added++
	if len(w.frame) >= w.fill {
		w.endFrame()
	}
	return true, w.err
}

func (w *Writer) endFrame() {
	if len(w.frame) == 0 {
		return
	}
	w.out = w.encoder.EncodeAll(w.frame, w.out[:0])
	w.write(w.out, uint32(len(w.frame)), checksum(w.frame))
	w.index.counts = append(w.index.counts, w.inFrame)
	w.frame, w.inFrame = w.frame[:0], 0
}

func (w *Writer) write(data []byte, plain, sum uint32) {
	if w.err != nil {
		return
	}
	if w.batch != nil {
		if len(w.batch.data) == 0 {
			w.batch.begin(w)
		}
		w.batch.data = append(w.batch.data, data...)
	} else if _, err := w.file.Write(data); err != nil {
		w.err = err
		return
	}
	w.blocks = append(w.blocks, block{at: w.at, size: uint32(len(data)), plain: plain, sum: sum, listed: true})
	w.at += int64(len(data))
}

// Close writes the index and the seek table, and waits until they are on the disk. If Close
// fails, the archive stays as it was before.
func (w *Writer) Close() error {
	w.endFrame()
	changed := len(w.index.counts) > 0 || w.fresh != nil || w.was == 0 || w.Dropped.Why != ""
	if changed && w.err == nil && len(w.index.counts) > 0 {
		var index []byte
		if index, w.err = w.index.appendTo(nil, w.encoder); w.err == nil {
			w.write(index, 0, 0)
		}
	}
	if changed && w.err == nil {
		w.write(appendSeekTable(nil, w.blocks), 0, 0)
	}
	if w.err == nil && changed && w.fresh == nil {
		w.err = w.file.Sync()
	}
	if w.err == nil && w.fresh == nil && !isAt(w.file, w.path) {
		w.err = fmt.Errorf("%s: %w", w.path, errReplaced)
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	w.encoder.Close()
	if w.fresh != nil {
		return w.fresh.Commit()
	}
	return w.file.Close()
}

// Abort closes the archive without the traces that were added.
func (w *Writer) Abort() error {
	w.encoder.Close()
	if w.fresh != nil {
		return w.fresh.Abandon()
	}
	err := w.file.Truncate(w.was)
	if w.was == 0 && isAt(w.file, w.path) {
		err = errors.Join(err, os.Remove(w.path))
	}
	return errors.Join(err, w.file.Close())
}
