package archive

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

// packedMark begins the content of a frame of packed traces. After it, the frame has for each
// trace the length of its record, and the record (trace.Packer).
var packedMark = []byte("IPAFPAK1")

// packedFrame is the minimum number of bytes in a frame of packed traces: some hundred small traces. They mostly fit
// into one block of zstd, which has 128 KiB at most. Frames of a quarter take an eighth more CPU time for each trace.
const packedFrame = 120 << 10

// leastRecord is the size of the shortest record, including its length.
const leastRecord = 4

// A PackedWriter makes an archive of packed traces. It takes a fraction of the time of a Writer,
// but only ipafuzz can read the archive. A PackedWriter neither hashes traces nor looks for
// duplicates. It is not for concurrent use.
//
// The file grows batch by batch, under its final name and under a lock. If the writer is
// killed, a reader finds the batches so far, and Repair completes the file.
type PackedWriter struct {
	w      *Writer
	packer trace.Packer
	record []byte
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
	w.encoder, w.index.unhashed, w.fill, w.batch = newEncoderOf(zstd.SpeedFastest), true, packedFrame, new(batch)
	return &PackedWriter{w: w}, nil
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

// Add adds a trace. The caller must not add a trace that Parse would refuse.
func (p *PackedWriter) Add(name string, t *trace.Trace) error {
	w := p.w
	if w.err != nil {
		return w.err
	}
	if err := checkName(name); err != nil {
		return err
	}
	if len(w.frame) == 0 {
		p.packer.Reset()
		w.frame = append(w.frame, packedMark...)
	}
	p.record = p.packer.Append(p.record[:0], t)
	w.frame = append(binary.AppendUvarint(w.frame, uint64(len(p.record))), p.record...)
	w.inFrame++
	w.index.addName(name)
	w.Added++
	if len(w.frame) >= w.fill {
		w.endFrame()
	}
	return w.err
}

// textsOf returns the texts of the traces in a frame, packed or not.
func textsOf(content []byte) ([][]byte, error) {
	records, packed := bytes.CutPrefix(content, packedMark)
	if !packed {
		return splitFrame(content)
	}
	var texts [][]byte
	var unpacker trace.Unpacker
	total := 0
	for len(records) > 0 {
		length, n := binary.Uvarint(records)
		if n <= 0 || length > math.MaxInt32 || uint64(len(records)-n) < length {
			return nil, fmt.Errorf("the record of its trace %d is cut off", len(texts)+1)
		}
		text, err := unpacker.Text(records[n:][:length])
		if err == nil && (!beginsTrace(text) || text[len(text)-1] != '\n') {
			err = fmt.Errorf("its text does not begin with a trace, or ends in the middle of a line")
		}
		if err == nil {
			if total += len(text); total > maxFrame { // small forged records can make large texts by repeating notes
				err = fmt.Errorf("the text is longer than %d bytes", maxFrame)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", len(texts)+1, err)
		}
		texts = append(texts, text)
		records = records[n:][length:]
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	return texts, nil
}
