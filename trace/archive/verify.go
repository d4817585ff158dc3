package archive

import (
	"bytes"
	"strconv"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Report is the result of Verify.
type Report struct {
	Traces, Frames int
	Problems       []error // the first few
	Wrong          int     // number of all problems
}

const problemsKept = 20

func (r *Report) wrong(err error) {
	if r.Wrong++; len(r.Problems) < problemsKept {
		r.Problems = append(r.Problems, err)
	}
}

// Verify checks everything: each section against its checksums, each name, and each trace with the parser.
func (r *Reader) Verify() Report {
	report := Report{Frames: len(r.sections)}
	if r.Torn != nil {
		report.wrong(r.damage(r.Torn.Offset, "the archive is torn (%s); bytes of no use: %d", r.Torn.Why, r.Torn.Bytes))
	}
	seen := make(map[Hash]struct{})
	for i := range r.sections {
		s := &r.sections[i]
		for k := range s.count {
			text, err := r.Text(s.first + k)
			if err != nil {
				report.wrong(err)
				break
			}
			report.Traces++
			number := s.first + k + 1
			hash := HashOf(text)
			if _, twice := seen[hash]; twice {
				report.wrong(r.damage(s.at, "trace %d is there twice", number))
			}
			seen[hash] = struct{}{}
			if _, err := trace.Parse(bytes.NewReader(text), r.path+":"+strconv.Itoa(number)); err != nil {
				report.wrong(err)
			}
		}
	}
	return report
}

// Stats are the sizes of an archive.
type Stats struct {
	Traces    int    `json:"traces"`
	Frames    int    `json:"frames"`
	FileBytes int64  `json:"file_bytes"`
	Bytes     uint64 `json:"packed_bytes"` // of the packed traces before compression
	Torn      *Torn  `json:"torn,omitempty"`
}

// Stats returns the sizes, from the heads alone.
func (r *Reader) Stats() Stats {
	s := Stats{Traces: r.Len(), Frames: len(r.sections), FileBytes: r.size, Torn: r.Torn}
	for i := range r.sections {
		s.Bytes += uint64(r.sections[i].plain)
	}
	return s
}
