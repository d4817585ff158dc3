package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Writer makes an archive or adds to one. It never rewrites what is there: it appends sections. It is not for
// concurrent use.
type Writer struct {
	file      *os.File
	path      string
	fresh     *atomicfile.File // the file if it is new, or nil
	endBefore int64            // end of what stays if the writer gives up
	at        int64
	changed   bool          // an end mark is needed
	encoder   *zstd.Encoder // of the traces of Add
	coder     huffman       // of those of Write
	frame     Frame
	name      []byte
	seen      map[Hash]struct{}
	out       []byte
	err       error // the first error, after which the writer writes nothing more

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
	return &Writer{file: file, path: path, seen: make(map[Hash]struct{}), changed: true}
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
	w := newWriter(file, path)
	w.endBefore, w.at, w.changed = r.end, r.end, r.Torn != nil
	for i := range r.Len() {
		hash, err := r.Hash(i)
		if err != nil {
			return nil, fmt.Errorf("nothing is added to a damaged archive ('ipafuzz archive verify %s' lists all problems): %w",
				path, err)
		}
		w.seen[hash] = struct{}{}
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
	if w.err != nil {
		return false, w.err
	}
	text := t.AppendText(nil)
	if err := checkTrace(name, t, text); err != nil {
		return false, err
	}
	hash := HashOf(text)
	if _, known := w.seen[hash]; known {
		w.Known++
		return false, nil
	}
	w.seen[hash] = struct{}{}
	w.name = append(w.name[:0], name...)
	w.frame.Add(w.name, &notes.Header{Form: notes.NewForm(t.Notes)}, t)
	w.Added++
	if w.frame.Full() {
		w.endFrame()
	}
	return true, w.err
}

// Write adds the traces of a frame, which the caller may empty then. It takes a fraction of the time of Add, but does
// not look for duplicates. The traces stay in the archive whatever becomes of the writer.
func (w *Writer) Write(f *Frame) error {
	w.write(f, &w.coder)
	if w.err == nil {
		w.endBefore, w.Added = w.at, w.Added+f.count
	}
	return w.err
}

func (w *Writer) endFrame() {
	if w.frame.count > 0 && w.encoder == nil {
		w.encoder = newEncoder()
	}
	w.write(&w.frame, w.encoder)
	w.frame.Reset()
}

// write appends a frame. If it fails, the file ends with the section before.
func (w *Writer) write(f *Frame, with encoder) {
	if w.err != nil || f.count == 0 {
		return
	}
	data, plain := f.appendTo(append(w.out[:0], endMark...), with)
	w.out = data
	if plain > maxFrame || len(data) > maxFrame {
		w.err = fmt.Errorf("the traces of a frame have more than %d bytes", maxFrame)
		return
	}
	appendHead(data[:0], f.count, plain, data[headBytes:])
	w.append(data)
}

func (w *Writer) append(data []byte) {
	if _, w.err = w.file.Write(data); w.err != nil {
		w.file.Truncate(w.at) // if this fails, the rest is the torn end of an archive
		w.file.Seek(w.at, 0)
		return
	}
	w.at, w.changed = w.at+int64(len(data)), true
}

// Close completes the archive, and waits until it is on the disk. If Close fails, the archive stays as it was before,
// with what Write has written.
func (w *Writer) Close() error {
	w.endFrame()
	changed := w.changed
	if w.err == nil && changed {
		w.append(endMark)
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
	w.closeEncoder()
	if w.fresh != nil {
		return w.fresh.Commit()
	}
	return errors.Join(w.file.Close(), atomicfile.SyncDir(filepath.Dir(w.path)))
}

func (w *Writer) closeEncoder() {
	if w.encoder != nil {
		w.encoder.Close()
	}
}

// Abort closes the archive without the traces that were added.
func (w *Writer) Abort() error {
	w.closeEncoder()
	if w.fresh != nil {
		return w.fresh.Abandon()
	}
	err := w.file.Truncate(w.endBefore)
	if w.endBefore == 0 && isAt(w.file, w.path) {
		err = errors.Join(err, os.Remove(w.path))
	}
	return errors.Join(err, w.file.Close())
}
