package archive

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Every line that begins with this word begins a trace: no call has that name,
// and notes begin with '#'.
var firstWord = []byte("ipafuzz")

func beginsTrace(line []byte) bool {
	return bytes.HasPrefix(line, firstWord) && len(line) > len(firstWord) && (line[len(firstWord)] == ' ' || line[len(firstWord)] == '\t')
}

// splitFrame returns the texts of the traces of a frame.
func splitFrame(text []byte) ([][]byte, error) {
	if !beginsTrace(text) {
		return nil, fmt.Errorf("its text does not begin with a trace, but with %.30q", text)
	}
	if text[len(text)-1] != '\n' {
		return nil, fmt.Errorf("its text ends in the middle of a line")
	}
	var texts [][]byte
	from := 0
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '\n')
		at += next + 1
		if at == len(text) {
			return append(texts, text[from:]), nil
		}
		if beginsTrace(text[at:]) {
			texts = append(texts, text[from:at:at])
			from = at
		}
	}
}

// A Splitter reads the traces that stand in a text one behind the other, as
// zstdcat prints an archive and gen prints traces.
type Splitter struct {
	from  io.Reader
	text  []byte
	seen  int // bytes of text in which no trace but the first begins
	ended bool
}

// NewSplitter returns a splitter.
func NewSplitter(r io.Reader) *Splitter { return &Splitter{from: r} }

// Next returns the text of the next trace, io.EOF behind the last one. It holds
// no more than one trace, or a text that is none, up to the limit of the parser,
// which then says what is wrong.
func (s *Splitter) Next() ([]byte, error) {
	for {
		for at := s.seen; ; {
			line := bytes.IndexByte(s.text[at:], '\n')
			if line < 0 {
				break
			}
			at += line + 1
			if len(s.text)-at <= len(firstWord) && !s.ended {
				break // too little to see what begins here
			}
			s.seen = at
			if beginsTrace(s.text[at:]) {
				next := s.text[:at:at]
				s.text, s.seen = s.text[at:], 0
				return next, nil
			}
		}
		if s.ended || len(s.text) > trace.DefaultLimits.Bytes {
			if len(s.text) == 0 {
				return nil, io.EOF
			}
			next := s.text
			s.text, s.seen, s.ended = nil, 0, true
			return next, nil
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

func (s *Splitter) fill() error {
	const piece = 64 << 10
	have := len(s.text)
	grown := make([]byte, have+max(piece, have)) // fresh memory: what was returned stays as it is
	copy(grown, s.text)
	n, err := io.ReadFull(s.from, grown[have:])
	s.text = grown[:have+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.ended = true
		return nil
	}
	return err
}
