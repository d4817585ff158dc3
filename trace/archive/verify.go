package archive

import (
	"bytes"
	"strconv"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Report is the result of Verify.
type Report struct {
	Traces, Frames, Indexes int
	Problems                []error // the first few
	Wrong                   int     // the number of all problems
}

const problemsKept = 20

// Verify reads everything: each frame against its checksum, each trace against
// its hash and through the parser, each name.
func (r *Reader) Verify() Report {
	report := Report{Frames: len(r.frames), Indexes: len(r.indexes)}
	wrong := func(err error) {
		if report.Wrong++; len(report.Problems) < problemsKept {
			report.Problems = append(report.Problems, err)
		}
	}
	if r.Torn != nil {
		wrong(r.damage(r.Torn.Offset, "the archive is torn, %d bytes are of no use: %s", r.Torn.Bytes, r.Torn.Why))
	}
	seen := make(map[Hash]struct{})
	for i := range r.frames {
		f := &r.frames[i]
		texts, err := r.decode(f)
		if err != nil {
			wrong(err)
			continue
		}
		for k, text := range texts {
			report.Traces++
			number := f.first + k
			hash, _, err := r.Entry(number)
			if err != nil {
				wrong(err)
				break
			}
			if hash != HashOf(text) {
				wrong(r.damage(f.at, "trace %d is not the one of which the index has the hash", number+1))
			}
			if _, twice := seen[hash]; twice {
				wrong(r.damage(f.at, "trace %d is there twice", number+1))
			}
			seen[hash] = struct{}{}
			if _, err := trace.Parse(bytes.NewReader(text), r.path+":"+strconv.Itoa(number+1)); err != nil {
				wrong(err)
			}
		}
	}
	return report
}

// Stats are the sizes of an archive.
type Stats struct {
	Traces    int    `json:"traces"`
	Frames    int    `json:"frames"`
	Indexes   int    `json:"indexes"`
	FileBytes int64  `json:"file_bytes"`
	TextBytes uint64 `json:"text_bytes"` // of packed frames: before compression
	DataBytes uint64 `json:"data_bytes"` // compressed text
	Tables    uint64 `json:"table_bytes"`
	Packed    bool   `json:"packed,omitempty"` // some frames are packed
	Torn      *Torn  `json:"torn,omitempty"`
}

// Stats returns the sizes, from the tables alone.
func (r *Reader) Stats() Stats {
	s := Stats{Traces: r.Len(), Frames: len(r.frames), Indexes: len(r.indexes), FileBytes: r.size, Torn: r.Torn}
	for i := range r.indexes {
		s.Packed = s.Packed || r.indexes[i].unhashed
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
