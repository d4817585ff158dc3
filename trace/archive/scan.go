package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"
)

// readSeekTable reads the seek table at the end of the file. It returns false if there is
// none: the writer was killed, or was another program.
func (r *Reader) readSeekTable() (bool, error) {
	if r.size < skippableHead+seekFoot {
		return false, nil
	}
	foot, err := r.read(r.size-seekFoot, seekFoot)
	if err != nil {
		return false, err
	}
	if binary.LittleEndian.Uint32(foot[5:]) != seekTableEnd {
		return false, nil
	}
	entry := int64(8)
	if foot[4]&(1<<7) != 0 {
		entry = seekEntry
	}
	length := skippableHead + seekFoot + entry*int64(binary.LittleEndian.Uint32(foot))
	at := r.size - length
	if at < 0 {
		return false, r.damage(r.size-seekFoot, "the seek table would be longer than the file: it lists %d frames",
			binary.LittleEndian.Uint32(foot))
	}
	data, err := r.read(at, int(length))
	if err != nil {
		return false, err
	}
	table, err := seekable.NewSeekTable(data)
	if err != nil {
		return false, r.damage(at, "the seek table is wrong: %v", err)
	}
	end := int64(0)
	for i := range table.NumFrames() {
		e, _ := table.EntryByID(i)
		b := block{at: end, size: e.CompressedSize, plain: e.DecompressedSize, sum: e.Checksum, listed: table.HasChecksums()}
		end += int64(b.size)
		if end > at {
			return false, r.damage(at, "the frames of the seek table overlap it: frame %d would end at byte %d", i+1, end)
		}
		if b.plain > maxFrame || uint64(b.plain) > plausible(b.size) {
			return false, r.damage(at, "frame %d at byte %d, of %d bytes, would have %d bytes of text, more than it can have",
				i+1, b.at, b.size, b.plain)
		}
		r.blocks = append(r.blocks, b)
	}
	if end != at {
		return false, r.damage(at, "the frames of the seek table end at byte %d, the table begins at byte %d", end, at)
	}
	r.blocks = append(r.blocks, block{at: at, size: uint32(length), listed: true})
	return true, nil
}

// scan finds the frames of a file without a seek table at its end. The file is torn at the first
// frame that is not whole.
func (r *Reader) scan() error {
	for at := int64(0); at < r.size; {
		b, err := r.blockAt(at)
		if err != nil {
			if len(r.blocks) == 0 {
				return r.damage(at, "this is not an archive: %v", err)
			}
			r.tear(at, err.Error())
			r.Torn.unsure = err != errCutOff && !r.zeroFrom(at)
			return nil
		}
		if foot := r.brokenTable(b); foot > 0 {
			r.tear(at, "the seek table has no end")
			r.Torn.unsure = !r.zeroFrom(foot)
			return nil
		}
		r.blocks = append(r.blocks, b)
		at += int64(b.size)
	}
	if len(r.blocks) == 0 {
		return r.damage(0, "this is not an archive: the file is empty")
	}
	// All frames are whole, but the seek table is missing.
	r.tear(r.size, "there is no seek table: the writing was cut off, or another program wrote the file")
	return nil
}

// plausible returns the maximum length of a text that zstd compresses to size bytes: a block of
// four bytes stands for at most 128 KiB.
func plausible(size uint32) uint64 { return uint64(size) << 15 }

var errCutOff = errors.New("the file ends in the middle of a frame")

// blockAt reads the headers of the frame at a place. It does not decompress the text.
func (r *Reader) blockAt(at int64) (block, error) {
	b := block{at: at}
	head, err := r.read(at, int(min(zstd.HeaderMaxSize, r.size-at)))
	if err != nil {
		return b, err
	}
	var header zstd.Header
	if err := header.Decode(head); err != nil {
		if len(head) < zstd.HeaderMaxSize {
			return b, errCutOff
		}
		return b, errors.New("no zstd frame begins here")
	}
	if header.Skippable {
		size := int64(header.HeaderSize) + int64(header.SkippableSize)
		if size > r.size-at {
			return b, errCutOff
		}
		b.size = uint32(size)
		return b, nil
	}
	if header.HasFCS && (header.FrameContentSize == 0 || header.FrameContentSize > maxFrame) {
		return b, fmt.Errorf("the frame would have %d bytes of text", header.FrameContentSize)
	}
	b.plain = uint32(header.FrameContentSize)
	size := int64(header.HeaderSize)
	for last := false; !last; {
		if size+3 > r.size-at {
			return b, errCutOff
		}
		head, err := r.read(at+size, 3)
		if err != nil {
			return b, err
		}
		word := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
		last = word&1 != 0
		size += 3
		if word>>1&3 == 1 { // a block of one repeated byte
			size++
		} else {
			size += int64(word >> 3)
		}
	}
	if header.HasCheckSum {
		size += 4
	}
	if size > r.size-at || size > maxFrame {
		return b, errCutOff
	}
	b.size = uint32(size)
	if !header.HasFCS {
		if err := r.measure(&b); err != nil {
			return b, err
		}
	}
	if uint64(b.plain) > plausible(b.size) {
		return b, errors.New("the frame says that its text is longer than it can be")
	}
	return b, nil
}

// brokenTable returns the place of the last word of a seek table if that word is wrong, or else 0. After a power
// failure, a file may have its full length, but zeros in place of the end of a table.
func (r *Reader) brokenTable(b block) int64 {
	if b.plain > 0 || b.size < skippableHead+seekFoot || len(r.blocks) == 0 {
		return 0
	}
	head, err := r.read(b.at, 4)
	if err != nil || binary.LittleEndian.Uint32(head) != seekTableMagic {
		return 0
	}
	at := b.at + int64(b.size) - 4
	if end, err := r.read(at, 4); err == nil && binary.LittleEndian.Uint32(end) == seekTableEnd {
		return 0
	}
	return at
}

// zeroFrom reports whether the rest of the file is zeros, as after a power failure.
func (r *Reader) zeroFrom(at int64) bool {
	for at < r.size {
		piece, err := r.read(at, int(min(64<<10, r.size-at)))
		if err != nil || len(bytes.Trim(piece, "\x00")) > 0 {
			return false
		}
		at += int64(len(piece))
	}
	return true
}

// measure finds the length of the text of a frame that does not state it. Only very small frames
// may omit it.
func (r *Reader) measure(b *block) error {
	const small = 256
	tooLong := errors.New("the frame does not say how long its text is, and is not small")
	if b.size > 2*small {
		return tooLong
	}
	data, err := r.read(b.at, int(b.size))
	if err != nil {
		return err
	}
	text, err := r.decoder.DecodeAll(data, make([]byte, 0, small))
	if err != nil || len(text) == 0 {
		return tooLong
	}
	b.plain = uint32(len(text))
	return nil
}
