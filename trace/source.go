package trace

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
)

// A source returns the lines of a file or of a text in memory. Of a file, it holds one piece,
// which is at most twice as long as the longest legal line.
type source struct {
	from    io.Reader // nil: piece is the whole text
	piece   []byte
	begin   int // where the next line begins
	scanned int // no line ends between begin and scanned
	ended   bool
	read    int // number of bytes returned
	limits  *Limits
}

const firstPiece = 32 << 10

var (
	errLineTooLong = errors.New("the line is too long")
	errFileTooLong = errors.New("the file is too long")
)

// line returns the next line without its line end, and whether it had one: only the last line
// may lack it. The bytes are valid until the next call. At the end of the file, line returns
// io.EOF.
func (s *source) line() (line []byte, whole bool, err error) {
	for {
		rest := s.piece[s.scanned:]
		if at := bytes.IndexByte(rest, '\n'); at >= 0 {
			line = s.piece[s.begin : s.scanned+at]
			s.begin = s.scanned + at + 1
			s.scanned = s.begin
			return s.account(line, true)
		}
		s.scanned = len(s.piece)
		if s.scanned-s.begin > s.limits.Line+1 { // 1 more for the '\r' of a line end
			return s.piece[s.begin:], false, errLineTooLong
		}
		if s.ended || s.from == nil {
			line = s.piece[s.begin:]
			s.begin = len(s.piece)
			if len(line) == 0 {
				return nil, false, io.EOF
			}
			return s.account(line, false)
		}
		if err := s.fill(); err != nil {
			return nil, false, err
		}
	}
}

func (s *source) account(line []byte, whole bool) ([]byte, bool, error) {
	s.read += len(line)
	if whole {
		s.read++
	}
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	switch {
	case len(line) > s.limits.Line:
		return line, whole, errLineTooLong
	case s.read > s.limits.Bytes:
		return line, whole, errFileTooLong
	}
	return line, whole, nil
}

// fill reads more of the file. It moves the unfinished line to the front of the piece, and
// doubles the piece if the line fills it.
func (s *source) fill() error {
	kept := copy(s.piece, s.piece[s.begin:])
	s.piece = s.piece[:kept]
	s.begin, s.scanned = 0, kept
	if kept == cap(s.piece) {
		grown := make([]byte, kept, max(firstPiece, 2*kept))
		copy(grown, s.piece)
		s.piece = grown
	}
	for range 100 { // as in bufio: for a reader that returns nothing, fill fails and does not hang
		n, err := s.from.Read(s.piece[kept:cap(s.piece)])
		if n < 0 || n > cap(s.piece)-kept {
			return errors.New("the reader returned an impossible count")
		}
		s.piece = s.piece[:kept+n]
		if err == io.EOF {
			s.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// A ParseError reports where a text is not a trace, what the parser found there, and what it
// expected. A column is the number of a byte in its line, from 1.
type ParseError struct {
	File         string
	Line, Column int
	Got, Want    string
	Err          error // an error of the reader, an *apimodel.IllegalCall or a *Misuse; usually nil
}

// Error returns the message.
func (e *ParseError) Error() string {
	file := cmp.Or(e.File, "trace")
	return file + ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ": want " + e.Want + ", got " + e.Got
}

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }
