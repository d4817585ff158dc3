package archive

import (
	"bytes"
	"io"

	"github.com/ipafuzz/ipafuzz/trace"
)

// firstWord begins every trace. No other line begins with it: no call has that name, and notes
// begin with '#'.
var firstWord = []byte("ipafuzz")

func beginsTrace(line []byte) bool {
	rest, found := bytes.CutPrefix(line, firstWord)
	return found && len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t')
}

// A Splitter reads traces that follow one another in a text, such as the output of ipafuzz gen
// or of ipafuzz archive cat.
type Splitter struct {
	from  io.Reader
	text  []byte
	seen  int // no trace begins between the first byte of text and this one
	ended bool
}

// NewSplitter returns a splitter.
func NewSplitter(r io.Reader) *Splitter { return &Splitter{from: r} }

// Next returns the text of the next trace, or io.EOF after the last one. The text need not be a
// trace: Next leaves it to the parser to say what is wrong, and returns at most a little more
// than the parser accepts.
func (s *Splitter) Next() ([]byte, error) {
	for {
		for at := s.seen; ; {
			line := bytes.IndexByte(s.text[at:], '\n')
			if line < 0 {
				break
			}
			at += line + 1
			if len(s.text)-at <= len(firstWord) && !s.ended {
				break // too short to tell whether a trace begins here
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
	grown := make([]byte, have+max(piece, have)) // new memory, because the caller keeps the texts returned before
	copy(grown, s.text)
	n, err := io.ReadFull(s.from, grown[have:])
	s.text = grown[:have+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.ended = true
		return nil
	}
	return err
}
