package archive

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A batch is what one write adds to a growing archive: a notice, the frames that it announces, and their index. If the
// writer is killed, the archive ends with a whole batch or with a part of one. In a part, the notice tells how many
// traces the batch had.
//
// The notice is a skippable frame:
//
//	u32 0x184D2A5A, u32 24
//	"IPAFBAT1", u32 frames, u32 traces
//	u64 xxhash of the bytes before, from "IPAFBAT1" on
type batch struct {
	data   []byte
	blocks int // number of blocks that the writer had before the batch
	at     int64
}

// fullBatch is the size after which a PackedWriter writes a batch that nobody has flushed. A campaign flushes every
// second, and makes many megabytes in that time: a buffer for them costs more than the writes that it saves.
const fullBatch = 512 << 10

const (
	noticeWord  = "IPAFBAT1"
	noticeBytes = skippableHead + len(noticeWord) + 2*4 + sumBytes
)

// begin leaves space for the notice, whose numbers are not yet known.
func (b *batch) begin(w *Writer) {
	b.blocks, b.at = len(w.blocks), w.at
	b.data = append(b.data[:0], make([]byte, noticeBytes)...)
	w.blocks = append(w.blocks, block{at: w.at, size: uint32(noticeBytes), listed: true})
	w.at += int64(noticeBytes)
}

func (b *batch) fillNotice(frames, traces int) {
	notice := binary.LittleEndian.AppendUint32(b.data[:0], indexMagic)
	notice = binary.LittleEndian.AppendUint32(notice, uint32(noticeBytes-skippableHead))
	notice = append(notice, noticeWord...)
	notice = binary.LittleEndian.AppendUint32(notice, uint32(frames))
	notice = binary.LittleEndian.AppendUint32(notice, uint32(traces))
	binary.LittleEndian.AppendUint64(notice, xxhash.Sum64(notice[skippableHead:]))
}

// Flush writes the traces so far, so that a reader finds them even if nobody closes the archive. If Flush fails, the
// file ends with the batch before.
func (p *PackedWriter) Flush() error {
	w := p.w
	if len(w.batch.data) == 0 || w.err != nil {
		return w.err
	}
	frames, traces := len(w.index.counts), w.index.traces
	var index []byte
	if index, w.err = w.index.appendTo(nil, w.encoder); w.err == nil {
		w.write(index, 0, 0)
		w.batch.fillNotice(frames, traces)
		_, w.err = w.file.Write(w.batch.data)
	}
	if w.err != nil {
		w.giveUpBatch()
		return w.err
	}
	w.index = w.index.next()
	w.batch.data = w.batch.data[:0]
	return nil
}

// giveUpBatch truncates the file to the end of the batch before.
func (w *Writer) giveUpBatch() {
	w.blocks, w.at = w.blocks[:w.batch.blocks], w.batch.at
	w.batch.data, w.index = w.batch.data[:0], w.index.next()
	w.file.Truncate(w.at) // if this fails, the rest is the torn end of an archive
	w.file.Seek(w.at, 0)
}

// A notice is the last notice that the reader has read.
type notice struct {
	frames, traces int // numbers of frames and traces that it announces
	before         int // number of frames in the file before it
}

// readNotice reads the notice of a batch. It returns false if the block is not a notice.
func (r *Reader) readNotice(b block) (bool, error) {
	if b.size != uint32(noticeBytes) {
		return false, nil
	}
	data, err := r.read(b.at, noticeBytes)
	if err != nil {
		return false, err
	}
	summed := data[skippableHead : noticeBytes-sumBytes]
	if binary.LittleEndian.Uint32(data) != indexMagic || string(summed[:len(noticeWord)]) != noticeWord {
		return false, nil
	}
	if binary.LittleEndian.Uint64(data[noticeBytes-sumBytes:]) != xxhash.Sum64(summed) {
		return true, r.damage(b.at, "the checksum of the notice of a batch is wrong")
	}
	word := func(i int) int { return int(binary.LittleEndian.Uint32(summed[len(noticeWord)+4*i:])) }
	r.notice = notice{frames: word(0), traces: word(1), before: len(r.frames)}
	return true, nil
}

// lost returns how many traces of the last batch are missing, or -1 if it cannot know.
func (r *Reader) lost() int {
	n, had := &r.notice, 0
	if n.frames == 0 || len(r.frames) > n.before+n.frames || len(r.frames) < n.before {
		return -1
	}
	for _, f := range r.frames[n.before:] {
		had += f.count
	}
	return max(-1, n.traces-had)
}
