package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A scanner returns the lines of a file, and the fields of a line, which blanks and tabs separate. It holds one line.
// To refuse a file, the scanner and the readers panic with a *trace.ParseError, at any depth. Read returns that error.
type scanner struct {
	from   *bufio.Reader
	file   string
	limits trace.Limits
	number int    // number of the line, from 1
	line   []byte // without its line end
	at     int    // index of the next byte
	start  int    // index of the last field
	read   int
	ended  bool
}

func newScanner(r io.Reader, file string, limits trace.Limits) *scanner {
	return &scanner{from: bufio.NewReaderSize(r, 64<<10), file: file, limits: limits}
}

// next goes to the next line. It returns false at the end of the file.
func (s *scanner) next() bool {
	s.line, s.at, s.start = s.line[:0], 0, 0
	if s.ended {
		return false
	}
	s.number++
	for {
		piece, err := s.from.ReadSlice('\n')
		s.line = append(s.line, piece...)
		s.read += len(piece)
		switch {
		case s.read > s.limits.Bytes:
			panic(s.failure("at most "+strconv.Itoa(s.limits.Bytes)+" bytes in all", "more"))
		case len(s.line) > s.limits.Line+1:
			s.line = s.line[:s.limits.Line]
			s.start = s.limits.Line
			panic(s.failure("a line of at most "+strconv.Itoa(s.limits.Line)+" bytes", "a longer one"))
		case err == io.EOF:
			s.ended = true
			if len(s.line) == 0 {
				return false
			}
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			failed := s.failure("the rest of the file", "an error: "+err.Error())
			failed.Err = err
			panic(failed)
		}
		for n := len(s.line); n > 0 && (s.line[n-1] == '\n' || s.line[n-1] == '\r'); n-- {
			s.line = s.line[:n-1]
		}
		return true
	}
}

// field returns the next field of the line, or nil at its end.
func (s *scanner) field() []byte {
	i := s.at
	for i < len(s.line) && (s.line[i] == ' ' || s.line[i] == '\t') {
		i++
	}
	s.start = i
	for i < len(s.line) && s.line[i] != ' ' && s.line[i] != '\t' {
		i++
	}
	s.at = i
	if i == s.start {
		return nil
	}
	return s.line[s.start:i]
}

// back makes field return the last field again.
func (s *scanner) back() { s.at = s.start }

// blank reports whether the line has no field.
func (s *scanner) blank() bool {
	empty := s.field() == nil
	s.back()
	return empty
}

// failure returns an error at the place of the last field.
func (s *scanner) failure(want, got string) *trace.ParseError {
	return &trace.ParseError{File: s.file, Line: s.number, Column: s.start + 1, Want: want, Got: got}
}

// unexpected returns the error for a wrong last field. field is nil at the end of the line.
func (s *scanner) unexpected(field []byte, want string) *trace.ParseError {
	switch {
	case field != nil:
		return s.failure(want, printable.Excerpt(field))
	case s.ended && len(s.line) == 0:
		return s.failure(want, "the end of the file")
	}
	return s.failure(want, "the end of the line")
}

// lit reads a literal, or the 0 that ends a clause. Each number has only one spelling: no
// '+', no leading zeros.
func (s *scanner) lit(field []byte) int32 {
	digits := field
	if len(field) > 0 && field[0] == '-' {
		digits = field[1:]
	}
	n, ok := trace.ParseUnsigned(digits, math.MaxInt32)
	if !ok || n == 0 && len(digits) < len(field) {
		panic(s.unexpected(field,
			"a literal from -2147483647 to 2147483647, or 0 to end the clause (without + or leading zeros)"))
	}
	if len(digits) < len(field) {
		return -int32(n)
	}
	return int32(n)
}

// unsigned reads a number from least to greatest.
func (s *scanner) unsigned(field []byte, what string, least, greatest uint64) uint64 {
	n, ok := trace.ParseUnsigned(field, greatest)
	if !ok || n < least {
		panic(s.unexpected(field,
			fmt.Sprintf("%s from %d to %d (without + or leading zeros)", what, least, greatest)))
	}
	return n
}

// end refuses further fields in the line.
func (s *scanner) end() {
	if field := s.field(); field != nil {
		panic(s.unexpected(field, "the end of the line"))
	}
}
