package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// A Repaired tells what Repair found in a file.
type Repaired struct {
	Traces int   // number of traces in the file
	Torn   *Torn // the torn end before the repair; nil if the archive was whole
}

// Repair completes an archive whose writer was killed. It replaces what follows the last whole
// frame with the tables. Traces keep the names that an index gives them. Repair removes a file
// without any whole trace. It does not change an archive to which another process is adding
// (ErrBusy), or one with damage that the death of a writer does not explain.
func Repair(path string) (Repaired, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return Repaired{}, err
	}
	defer file.Close()
	if err := lock(file); err != nil {
		return Repaired{}, fmt.Errorf("%s: %w", path, err)
	}
	if !isAt(file, path) { // another process replaced it between open and lock
		return Repaired{}, fmt.Errorf("%s: %w", path, ErrBusy)
	}
	info, err := file.Stat()
	if err != nil {
		return Repaired{}, err
	}
	if unbegun(file, info.Size()) {
		return Repaired{Torn: &Torn{Bytes: info.Size(), Why: errCutOff.Error(), Lost: -1}}, os.Remove(path)
	}
	r, err := openFile(file, path)
	if err != nil {
		return Repaired{}, err
	}
	defer r.decoder.Close()
	done := Repaired{Traces: r.Len(), Torn: r.Torn}
	switch {
	case r.Torn == nil:
		return done, nil
	case r.Torn.unsure:
		return done, r.damage(r.Torn.Offset, "%s; this is damage and not a torn end", r.Torn.Why)
	case r.Len() == 0:
		return done, os.Remove(path)
	}
	return done, r.complete(file)
}

// complete writes the tables after the last whole frame of a torn archive.
func (r *Reader) complete(file *os.File) error {
	if err := r.sumUnlisted(); err != nil {
		return err
	}
	w := newWriter(file, r.path)
	defer w.encoder.Close()
	w.was, w.at, w.blocks, w.index.word = r.end, r.end, r.blocks, unhashedWord
	for i := r.indexed; i < len(r.frames); i++ {
		w.index.counts = append(w.index.counts, uint32(r.frames[i].count))
		for k := range r.frames[i].count {
			w.index.addName(recoveredName(r.frames[i].first + k))
		}
	}
	if err := file.Truncate(r.end); err != nil {
		return err
	}
	if _, err := file.Seek(r.end, 0); err != nil {
		return err
	}
	if len(w.index.counts) > 0 {
		index, err := w.index.appendTo(nil, w.encoder)
		if err != nil {
			return err
		}
		w.write(index, 0, 0)
	}
	if w.err == nil {
		w.write(appendSeekTable(nil, w.blocks), 0, 0)
	}
	if w.err != nil {
		return errors.Join(w.err, file.Truncate(r.end))
	}
	return file.Sync()
}

// unbegun reports whether a file ends within its first frame.
func unbegun(file *os.File, size int64) bool {
	head := make([]byte, min(size, 4))
	if _, err := file.ReadAt(head, 0); err != nil {
		return false
	}
	if len(head) < 4 {
		return bytes.HasPrefix(binary.LittleEndian.AppendUint32(nil, indexMagic), head)
	}
	r := &Reader{from: file, size: size}
	_, err := r.blockAt(0)
	return IsArchive(head) && err == errCutOff || r.zeroFrom(0)
}
