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

// packedMark begins the content of a frame of packed traces; its last byte is the version. After it, the frame has the
// lengths of the first three columns as varints, and the columns (trace.Packer).
var packedMark = []byte("IPAFPAK2")

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
	if !bytes.HasPrefix(content, packedMark[:len(packedMark)-1]) {
		return splitFrame(content)
	}
	packed, err := unpack(content)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	total := 0
	for packed.Left() > 0 {
		text, err := packed.Next()
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

// unpack returns the packed traces of a frame that begins with packedMark, perhaps of another version.
func unpack(content []byte) (*trace.Unpacker, error) {
	rest, ok := bytes.CutPrefix(content, packedMark)
	if !ok {
		return nil, fmt.Errorf("another version of ipafuzz packed it (%q; this one reads %q)",
			content[:min(len(content), len(packedMark))], packedMark)
	}
	var columns [3][]byte
	var lengths [len(columns)]uint64
	for i := range lengths {
		n := 0
		if lengths[i], n = binary.Uvarint(rest); n <= 0 {
			return nil, fmt.Errorf("the lengths of its columns are cut off")
		}
		rest = rest[n:]
	}
	for i, length := range lengths {
		if length > uint64(len(rest)) {
			return nil, fmt.Errorf("its columns are cut off")
		}
		columns[i], rest = rest[:length], rest[length:]
	}
	return trace.NewUnpacker(columns[0], columns[1], columns[2], rest), nil
}
