// Package read splits proofs into letters and numbers, in text and in binary, and says where a proof is wrong.
package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// A Reader reads a proof step by step. In text, a step is a line. In binary, it is a letter and numbers. Each byte of a
// number has seven of its bits, the lowest first.
type Reader struct {
	src    io.Reader
	err    error // of src, other than io.EOF
	buffer []byte
	at     int
	end    int
	isEnd  bool // src has no more
	binary bool
	free   bool // steps may extend over several lines

	base      int64 // offset of buffer[0]
	line      int64
	start     int64 // of the current step
	startLine int64
}

const (
	bufferSize = 1 << 16
	longest    = 32 // more bytes than a number or a word has
)

// New returns a reader of a proof.
func New(src io.Reader, isBinary bool) *Reader {
	r := &Reader{}
	r.Reset(src, isBinary)
	return r
}

// Reset prepares the reader for another proof. It reuses the memory.
func (r *Reader) Reset(src io.Reader, isBinary bool) {
	buffer := r.buffer
	if buffer == nil {
		buffer = make([]byte, bufferSize)
	}
	*r = Reader{src: src, buffer: buffer, binary: isBinary, line: 1}
}

// A Place is where a step begins.
type Place struct{ Offset, Line int64 }

// Place returns the place of the current step.
func (r *Reader) Place() Place { return Place{r.start, r.startLine} }

// Restart goes back to an earlier step. The source must be at that step.
func (r *Reader) Restart(src io.Reader, at Place) {
	*r = Reader{src: src, buffer: r.buffer, binary: r.binary, free: r.free, base: at.Offset, line: at.Line}
}

// FreeLines lets steps extend over several lines.
func (r *Reader) FreeLines() { r.free = true }

// Binary reports whether the proof is binary.
func (r *Reader) Binary() bool { return r.binary }

// Line returns the number of the line of the current step or, in binary, of its first byte.
func (r *Reader) Line() int64 {
	if r.binary {
		return r.start
	}
	return r.startLine
}

// Err returns the error of the source, if there was one.
func (r *Reader) Err() error { return r.err }

// fill reads on until the buffer has n bytes or the source ends.
func (r *Reader) fill(n int) {
	if r.end-r.at >= n || r.isEnd {
		return
	}
	copy(r.buffer, r.buffer[r.at:r.end])
	r.base += int64(r.at)
	r.end -= r.at
	r.at = 0
	for empty := 0; r.end < n; {
		count, err := r.src.Read(r.buffer[r.end:])
		r.end += count
		if err == nil && count == 0 {
			if empty++; empty == 100 {
				err = io.ErrNoProgress
			}
		}
		if err != nil {
			r.isEnd = true
			if !errors.Is(err, io.EOF) {
				r.err = fmt.Errorf("reading the proof: %w", err)
			}
			return
		}
	}
}

// skipBlanks goes to the next character that is not a blank. With free lines, line ends are blanks, too.
func (r *Reader) skipBlanks() {
	for {
		r.fill(longest)
		for ; r.at < r.end; r.at++ {
			switch r.buffer[r.at] {
			case ' ', '\t', '\r':
				continue
			case '\n':
				if r.free {
					r.line++
					continue
				}
			}
			return
		}
		if r.isEnd {
			return
		}
	}
}

// Next goes to the next step, and reports whether there is one. It skips empty lines and comments, which begin with c.
func (r *Reader) Next() bool {
	if r.binary {
		r.fill(longest)
		r.start = r.base + int64(r.at)
		return r.at < r.end
	}
	for {
		r.skipBlanks()
		r.start, r.startLine = r.base+int64(r.at), r.line
		switch {
		case r.at == r.end:
			return false
		case r.buffer[r.at] == '\n':
			r.at++
			r.line++
		case r.buffer[r.at] == 'c':
			r.skipLine()
		default:
			return true
		}
	}
}

// NextStrict is like Next, but does not skip comments. It returns an error for an empty line, unless no step follows.
func (r *Reader) NextStrict() (bool, error) {
	if r.binary {
		return r.Next(), nil
	}
	for empty := false; ; empty = true {
		r.skipBlanks()
		if !empty || r.at == r.end {
			r.start, r.startLine = r.base+int64(r.at), r.line
		}
		switch {
		case r.at == r.end:
			return false, nil
		case r.buffer[r.at] != '\n' && empty:
			return false, errors.New("an empty line")
		case r.buffer[r.at] != '\n':
			return true, nil
		}
		r.at++
		r.line++
	}
}

func (r *Reader) skipLine() {
	for {
		r.fill(longest)
		if i := bytes.IndexByte(r.buffer[r.at:r.end], '\n'); i >= 0 {
			r.at += i
			return
		}
		r.at = r.end
		if r.isEnd {
			return
		}
	}
}

// Letter consumes the letter of a step, or returns 0 if the step begins with something else. In text, a letter is a
// word of its own.
func (r *Reader) Letter() byte {
	if r.binary {
		r.fill(longest)
		if r.at == r.end {
			return 0
		}
		r.at++
		return r.buffer[r.at-1]
	}
	r.skipBlanks()
	r.fill(longest)
	if r.at == r.end || !isLetter(r.buffer[r.at]) || r.at+1 < r.end && !isSpace(r.buffer[r.at+1]) {
		return 0
	}
	r.at++
	return r.buffer[r.at-1]
}

// Number reads the next number of the step. In text, it is decimal. In binary, n is 2n, and -n is 2n+1.
func (r *Reader) Number(what string) (int64, error) {
	if r.binary {
		n, err := r.Unsigned(what)
		if err != nil {
			return 0, err
		}
		if n&1 != 0 {
			if n == 1 {
				return 0, fmt.Errorf("%s expected, not the byte 1", what)
			}
			return -int64(n >> 1), nil
		}
		return int64(n >> 1), nil
	}
	r.skipBlanks()
	buffer, at := r.buffer[:r.end], r.at
	isNegative := at < len(buffer) && buffer[at] == '-'
	if isNegative {
		at++
	}
	first, n := at, uint64(0)
	for ; at < len(buffer) && buffer[at]-'0' < 10; at++ {
		if at-first > 18 {
			return 0, fmt.Errorf("%s is too large", what)
		}
		n = 10*n + uint64(buffer[at]-'0')
	}
	if at == first || at < len(buffer) && !isSpace(buffer[at]) {
		return 0, r.unexpected(what)
	}
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("%s is too large", what)
	}
	r.at = at
	if isNegative {
		return -int64(n), nil
	}
	return int64(n), nil
}

// Unsigned reads a number that has no sign. In binary, it is not doubled.
func (r *Reader) Unsigned(what string) (uint64, error) {
	if !r.binary {
		n, err := r.Number(what)
		if err == nil && n < 0 {
			err = fmt.Errorf("%s is negative: %d", what, n)
		}
		return uint64(n), err
	}
	r.fill(longest)
	n := uint64(0)
	for shift := 0; r.at < r.end; shift += 7 {
		b := r.buffer[r.at]
		r.at++
		if shift == 63 && b > 1 || shift > 63 {
			return 0, fmt.Errorf("%s is too large", what)
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, nil
		}
	}
	return 0, Errorf(Truncated, "%s expected, not the end of the proof", what)
}

// Literals appends the literals up to the next 0.
func (r *Reader) Literals(lits []int32) ([]int32, error) {
	for {
		n, err := r.Number("a literal")
		switch {
		case err != nil:
			return lits, err
		case n == 0:
			return lits, nil
		case n < -math.MaxInt32 || n > math.MaxInt32:
			return lits, fmt.Errorf("%d is not a literal", n)
		}
		lits = append(lits, int32(n))
	}
}

// Word consumes a word, and reports whether it is next. In text, the word must end there. In binary, anything may
// follow.
func (r *Reader) Word(word string) bool {
	if !r.binary {
		r.skipBlanks()
	}
	r.fill(longest)
	if !bytes.HasPrefix(r.buffer[r.at:r.end], []byte(word)) {
		return false
	}
	after := r.at + len(word)
	if !r.binary && after < r.end && !isSpace(r.buffer[after]) {
		return false
	}
	r.at = after
	return true
}

// EndLine consumes the end of a line, or does nothing at the end of the proof.
func (r *Reader) EndLine() error {
	if r.binary || r.free {
		return nil
	}
	r.skipBlanks()
	if r.at == r.end {
		return nil
	}
	if r.buffer[r.at] != '\n' {
		return errors.New("text after the last 0 of the line")
	}
	r.at++
	r.line++
	return nil
}

// unexpected returns an error that says what the proof has in place of what.
func (r *Reader) unexpected(what string) error {
	end := r.at
	for end < r.end && end < r.at+20 && !isSpace(r.buffer[end]) {
		end++
	}
	switch {
	case end > r.at:
		return fmt.Errorf("%s expected, not %q", what, r.buffer[r.at:end])
	case r.at == r.end:
		return Errorf(Truncated, "%s expected, not the end of the proof", what)
	}
	return fmt.Errorf("%s expected, not the end of the line", what)
}

// Unexpected returns the error for a step that does not begin with a letter of its format.
func (r *Reader) Unexpected(what string, letter byte) error {
	if letter == 0 {
		return r.unexpected(what)
	}
	return fmt.Errorf("%s expected, not %q", what, letter)
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// Has consumes a letter, and reports whether it is next.
func (r *Reader) Has(letter byte) bool {
	if !r.binary {
		r.skipBlanks()
	}
	r.fill(longest)
	if r.at == r.end || r.buffer[r.at] != letter ||
		!r.binary && r.at+1 < r.end && !isSpace(r.buffer[r.at+1]) {
		return false
	}
	r.at++
	return true
}

// ID reads the id of a clause. In binary, it is not doubled.
func (r *Reader) ID(what string) (int64, error) {
	n, err := r.Unsigned(what)
	if err == nil && n > math.MaxInt64 {
		err = fmt.Errorf("%s is too large", what)
	}
	return int64(n), err
}

// IDs appends ids up to the next 0. In binary, they are not doubled.
func (r *Reader) IDs(what string, ids []int64) ([]int64, error) {
	for {
		id, err := r.ID(what)
		if err != nil || id == 0 {
			return ids, err
		}
		ids = append(ids, id)
	}
}

// SameLiterals reports whether two lists have the same literals. Their order and repetitions do not matter.
func SameLiterals(a, b []int32) bool {
	if slices.Equal(a, b) {
		return true
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
