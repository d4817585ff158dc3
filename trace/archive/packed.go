package archive

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

// packedMark2 begins the content of frames that earlier builds packed. It has four columns, and the notes are in the
// first of them.
var packedMark2 = []byte("IPAFPAK2")

// A PackedWriter makes an archive of packed traces. It takes a fraction of the time of a Writer,
// but only ipafuzz can read the archive. A PackedWriter neither hashes traces nor looks for
// duplicates. It is not for concurrent use.
//
// The file grows batch by batch, under its final name and under a lock. If the writer is
// killed, a reader finds the batches so far, and Repair completes the file.
type PackedWriter struct {
	w     *Writer
	coder huffmanFrame
	full  int // bytes after which a batch is written
}

// CreatePacked makes a new archive. It returns an error if there is a file of that name.
func CreatePacked(path string) (*PackedWriter, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(file); errors.Is(err, ErrBusy) { // Repair has the lock, and will remove the empty file
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	w := newWriter(file, path)
	w.encoder.Close()
	w.encoder, w.index.word, w.batch = newEncoderOf(zstd.SpeedFastest), numberedWord, new(batch)
	return &PackedWriter{w: w, full: fullBatch}, nil
}

// Added returns the number of traces added so far.
func (p *PackedWriter) Added() int { return p.w.Added }

// Close writes the last batch and the tables, and waits until they are on the disk. If Close
// fails, the file keeps the batches so far, as if the writer had been killed.
func (p *PackedWriter) Close() error {
	err := p.Flush()
	w := p.w
	w.encoder.Close()
	if w.at == 0 {
		return errors.Join(err, os.Remove(w.path), w.file.Close())
	}
	if _, failed := w.file.Write(appendSeekTable(nil, w.blocks)); failed != nil {
		w.file.Truncate(w.at)
		err = cmp.Or(err, failed)
	}
	return cmp.Or(err, w.file.Sync(), w.file.Close(), atomicfile.SyncDir(filepath.Dir(w.path)))
}

// Write adds the traces of a frame, which the caller may empty then. It flushes when a batch is large.
func (p *PackedWriter) Write(f *PackedFrame) error {
	w := p.w
	if w.err != nil || f.count == 0 {
		return w.err
	}
	for i := range f.names {
		if err := checkName(f.names[i].prefix); err != nil {
			return err
		}
	}
	content, ends := f.appendTo(w.frame[:0])
	sum, begin := checksum(content), 0
	w.out = p.coder.begin(w.out[:0], len(content))
	for _, end := range ends {
		w.out, begin = p.coder.add(w.out, content[begin:end]), end
	}
	w.out = p.coder.end(w.out, sum)
	w.write(w.out, uint32(len(content)), sum)
	w.index.addFrame(f)
	w.Added += int(f.count)
	w.frame = content
	if len(w.batch.data) >= p.full {
		return p.Flush()
	}
	return w.err
}

// textsOf returns the texts of the traces in a frame, packed or not.
func textsOf(content []byte) ([][]byte, error) {
	if !bytes.HasPrefix(content, packedMark[:len(packedMark)-1]) {
		return splitFrame(content)
	}
	packed, err := unpack(content)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	total := 0
	for packed.left() > 0 {
		text, err := packed.next()
		if err == nil && (!beginsTrace(text) || text[len(text)-1] != '\n') {
			err = fmt.Errorf("its text does not begin with a trace, or ends in the middle of a line")
		}
		if err == nil {
			if total += len(text); total > maxFrame { // small forged frames can make large texts by repeating notes
				err = fmt.Errorf("the text is longer than %d bytes", maxFrame)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", len(texts)+1, err)
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	return texts, nil
}

// An unpacker reads the traces of a frame.
type unpacker interface {
	left() int // bytes that were not yet read
	next() ([]byte, error)
}

type unpacker3 struct {
	headers headerReader
	traces  *trace.Unpacker
}

func (u *unpacker3) left() int { return len(u.headers.data) + u.traces.Left() }

func (u *unpacker3) next() ([]byte, error) {
	notes, err := u.headers.next()
	if err != nil {
		return nil, err
	}
	return u.traces.Next(notes)
}

type unpacker2 struct{ traces *trace.Unpacker2 }

func (u unpacker2) left() int { return u.traces.Left() }

func (u unpacker2) next() ([]byte, error) { return u.traces.Next() }

// unpack returns the packed traces of a frame that begins with packedMark, perhaps of another version.
func unpack(content []byte) (unpacker, error) {
	if rest, ok := bytes.CutPrefix(content, packedMark2); ok {
		c, err := splitColumns(rest, 4)
		if err != nil {
			return nil, err
		}
		return unpacker2{trace.NewUnpacker2(c[0], c[1], c[2], c[3])}, nil
	}
	rest, ok := bytes.CutPrefix(content, packedMark)
	if !ok {
		return nil, fmt.Errorf("another version of ipafuzz packed it (%q; this one reads %q and %q)",
			content[:min(len(content), len(packedMark))], packedMark2, packedMark)
	}
	c, err := splitColumns(rest, 5)
	if err != nil {
		return nil, err
	}
	return &unpacker3{headerReader{data: c[0]}, trace.NewUnpacker(c[1], c[2], c[3], c[4])}, nil
}

// splitColumns splits a frame, after its mark, into its columns.
func splitColumns(rest []byte, columns int) ([][]byte, error) {
	lengths := make([]uint64, columns-1)
	for i := range lengths {
		n := 0
		if lengths[i], n = binary.Uvarint(rest); n <= 0 {
			return nil, fmt.Errorf("the lengths of its columns are cut off")
		}
		rest = rest[n:]
	}
	var split [][]byte
	for _, length := range lengths {
		if length > uint64(len(rest)) {
			return nil, fmt.Errorf("its columns are cut off")
		}
		split, rest = append(split, rest[:length]), rest[length:]
	}
	return append(split, rest), nil
}
