package archive

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Report is the result of Verify.
type Report struct {
	Traces, Frames, Indexes int
	Problems                []error // the first few
	Wrong                   int     // number of all problems
}

const problemsKept = 20

// Verify checks everything: each frame against its checksum, each trace against its hash
// and with the parser, each name, and the tables against the frames.
func (r *Reader) Verify() Report {
	v := &verifier{Reader: r, report: Report{Frames: len(r.frames), Indexes: len(r.indexes)}}
	if r.Torn != nil {
		v.wrong(r.damage(r.Torn.Offset, "the archive is torn (%s); bytes of no use: %d", r.Torn.Why, r.Torn.Bytes))
	}
	v.blocks()
	seen := make(map[Hash]struct{})
	v.texts(func(f *frame, number int, hash Hash, text []byte) {
		if _, twice := seen[hash]; twice {
			v.wrong(r.damage(f.at, "trace %d is there twice", number+1))
		}
		seen[hash] = struct{}{}
		if _, err := trace.Parse(bytes.NewReader(text), r.path+":"+strconv.Itoa(number+1)); err != nil {
			v.wrong(err)
		}
	})
	return v.report
}

// damaged checks what Verify checks, but does not parse the traces. It returns the first problem.
func (r *Reader) damaged() error {
	v := &verifier{Reader: r}
	v.blocks()
	v.texts(func(*frame, int, Hash, []byte) {})
	if len(v.report.Problems) == 0 {
		return nil
	}
	return v.report.Problems[0]
}

// A verifier compares the parts of an archive.
type verifier struct {
	*Reader
	report Report
}

func (v *verifier) wrong(err error) {
	if v.report.Wrong++; len(v.report.Problems) < problemsKept {
		v.report.Problems = append(v.report.Problems, err)
	}
}

// texts calls do for every trace that can be read.
func (v *verifier) texts(do func(f *frame, number int, hash Hash, text []byte)) {
	for i := range v.frames {
		f := &v.frames[i]
		texts, err := v.decode(f)
		if err != nil {
			v.wrong(err)
			continue
		}
		for k, text := range texts {
			v.report.Traces++
			number := f.first + k
			listed, _, err := v.Entry(number)
			if err != nil {
				v.wrong(err)
				break
			}
			hash := HashOf(text)
			if hash != listed {
				v.wrong(v.damage(f.at, "trace %d does not have the hash that the index gives it", number+1))
			}
			do(f, number, hash, text)
		}
	}
}

// blocks compares every seek table with the frames before it, and looks for frames that no index describes although
// one should.
func (v *verifier) blocks() {
	var found []block
	indexed := v.indexed
	if len(v.indexes) == 0 && v.Torn == nil {
		indexed = len(v.frames) // another program wrote it
	}
	if indexed < len(v.frames) && v.Torn == nil {
		v.wrong(v.damage(v.frames[indexed].at, "no index describes the frame"))
	}
	for _, listed := range v.Reader.blocks {
		b, err := v.blockAt(listed.at)
		if err != nil {
			v.wrong(v.damage(listed.at, "%v", err))
			return
		}
		if b.size != listed.size || (b.plain == 0) != (listed.plain == 0) {
			v.wrong(v.damage(listed.at, "the frame has %d bytes, the seek table says %d", b.size, listed.size))
			return
		}
		if b.plain > 0 {
			text, err := v.decompress(&frame{block: block{at: b.at, size: b.size, plain: b.plain}})
			if err != nil {
				return // texts reports it
			}
			b.sum = checksum(text)
		} else if err := v.skippable(b, found); err != nil {
			v.wrong(err)
		}
		found = append(found, b)
	}
}

// skippable checks a frame without text. Tables of ipafuzz must be what ipafuzz writes.
func (v *verifier) skippable(b block, before []block) error {
	data, err := v.read(b.at, int(b.size))
	if err != nil {
		return err
	}
	switch binary.LittleEndian.Uint32(data) {
	case seekTableMagic:
		want := appendSeekTable(nil, before)
		if bytes.Equal(data, want) || len(data) == skippableHead+seekFoot+8*len(before) {
			return nil // a table of the second length has no checksums: another program wrote it
		}
		for i := range before {
			at := skippableHead + seekEntry*i
			if len(data) == len(want) && !bytes.Equal(data[at:at+seekEntry], want[at:at+seekEntry]) {
				return v.damage(b.at, "the seek table is not that of the frames before it: entry %d is wrong", i+1)
			}
		}
		return v.damage(b.at, "the seek table is not that of the frames before it")
	case indexMagic:
		word := string(data[skippableHead:min(len(data), skippableHead+len(indexWord))])
		if !isIndex(word) && word != noticeWord {
			return v.damage(b.at, "a table of an unknown kind begins here: %q", word)
		}
	default:
		if len(v.indexes) > 0 || v.notice.frames > 0 {
			return v.damage(b.at, "a frame of an unknown kind begins here")
		}
	}
	return nil
}

// Stats are the sizes of an archive.
type Stats struct {
	Traces    int    `json:"traces"`
	Frames    int    `json:"frames"`
	Indexes   int    `json:"indexes"`
	FileBytes int64  `json:"file_bytes"`
	TextBytes uint64 `json:"text_bytes"` // bytes before compression; in packed frames, these are records
	DataBytes uint64 `json:"data_bytes"` // compressed text
	Tables    uint64 `json:"table_bytes"`
	Packed    bool   `json:"packed,omitempty"` // some frames are packed
	Torn      *Torn  `json:"torn,omitempty"`
}

// Stats returns the sizes, from the tables alone.
func (r *Reader) Stats() Stats {
	s := Stats{Traces: r.Len(), Frames: len(r.frames), Indexes: len(r.indexes), FileBytes: r.size, Torn: r.Torn}
	for i := range r.indexes {
		s.Packed = s.Packed || r.indexes[i].word != indexWord
	}
	for i := range r.blocks {
		if b := &r.blocks[i]; b.plain > 0 {
			s.TextBytes += uint64(b.plain)
			s.DataBytes += uint64(b.size)
		} else {
			s.Tables += uint64(b.size)
		}
	}
	return s
}
