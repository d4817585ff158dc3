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

// packedMark begins the content of a frame of packed traces. After it, the frame has the lengths of the first three
// columns as varints, and the columns (trace.Packer).
var packedMark = []byte("IPAFPAK2")

// recordsMark begins such a frame in older archives. After it, the frame has for each trace the length of its record,
// and the record.
var recordsMark = []byte("IPAFPAK1")

// packedFrame is the minimum number of bytes in a frame of packed traces: some hundred small traces. Smaller frames
// take more time, because each column of each has its own code.
const packedFrame = 120 << 10

// leastRecord is the minimum number of bytes that a packed trace takes.
const leastRecord = 3

// A PackedWriter makes an archive of packed traces. It takes a fraction of the time of a Writer,
// but only ipafuzz can read the archive. A PackedWriter neither hashes traces nor looks for
// duplicates. It is not for concurrent use.
//
// The file grows batch by batch, under its final name and under a lock. If the writer is
// killed, a reader finds the batches so far, and Repair completes the file.
type PackedWriter struct {
	w      *Writer
	packer trace.Packer
	coder  huffmanFrame
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
	p.packer.Add(t)
	w.inFrame++
	w.index.addName(name)
	w.Added++
	if p.packer.Len() >= w.fill {
		p.endFrame()
	}
	return w.err
}

func (p *PackedWriter) endFrame() {
	w, columns := p.w, &p.packer
	if w.inFrame == 0 {
		return
	}
	content := append(w.frame[:0], packedMark...)
	for _, column := range [][]byte{columns.Heads, columns.Calls, columns.Args} {
		content = binary.AppendUvarint(content, uint64(len(column)))
	}
	content = append(content, columns.Heads...)
	ends := [4]int{len(content)}
	for i, column := range [][]byte{columns.Calls, columns.Args, columns.Lits} {
		content = append(content, column...)
		ends[i+1] = len(content)
	}
	sum, begin := checksum(content), 0
	w.out = p.coder.begin(w.out[:0], len(content))
	for _, end := range ends {
		w.out, begin = p.coder.add(w.out, content[begin:end]), end
	}
	w.out = p.coder.end(w.out, sum)
	w.write(w.out, uint32(len(content)), sum)
	w.index.counts = append(w.index.counts, w.inFrame)
	w.frame, w.inFrame = content[:0], 0
	columns.Reset()
}

// textsOf returns the texts of the traces in a frame, packed or not.
func textsOf(content []byte) ([][]byte, error) {
	next, err := unpack(content)
	if next == nil && err == nil {
		return splitFrame(content)
	}
	var texts [][]byte
	total := 0
	for err == nil {
		var text []byte
		if text, err = next(); text == nil && err == nil {
			break
		}
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
	if len(texts) == 0 && err == nil {
		err = fmt.Errorf("it is empty")
	}
	return texts, err
}

// unpack returns a function that returns the text of the next packed trace, or nil after the last; or nil if the frame
// has text.
func unpack(content []byte) (next func() ([]byte, error), err error) {
	if records, ok := bytes.CutPrefix(content, recordsMark); ok {
		return unpackRecords(records), nil
	}
	rest, ok := bytes.CutPrefix(content, packedMark)
	if !ok {
		return nil, nil
	}
	var lengths [3]uint64
	for i := range lengths {
		n := 0
		if lengths[i], n = binary.Uvarint(rest); n <= 0 {
			return nil, fmt.Errorf("the lengths of its columns are cut off")
		}
		rest = rest[n:]
	}
	var columns [3][]byte
	for i, length := range lengths {
		if length > uint64(len(rest)) {
			return nil, fmt.Errorf("its columns are cut off")
		}
		columns[i], rest = rest[:length], rest[length:]
	}
	unpacker := trace.NewUnpacker(columns[0], columns[1], columns[2], rest)
	return func() ([]byte, error) {
		if unpacker.Left() == 0 {
			return nil, nil
		}
		return unpacker.Next()
	}, nil
}

func unpackRecords(records []byte) func() ([]byte, error) {
	var unpacker trace.Unpacker
	return func() ([]byte, error) {
		if len(records) == 0 {
			return nil, nil
		}
		length, n := binary.Uvarint(records)
		if n <= 0 || length > math.MaxInt32 || uint64(len(records)-n) < length {
			return nil, fmt.Errorf("its record is cut off")
		}
		record := records[n:][:length]
		records = records[n+int(length):]
		return unpacker.OfRecord(record)
	}
}
