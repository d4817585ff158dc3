package lrat

import (
	"errors"
	"fmt"
	"math"
)

// reader splits the text of a proof. Numbers of a line are separated by spaces or tabs; empty lines
// are allowed at the end only.
type reader struct {
	text []byte
	at   int
}

var errLine = errors.New("text after the last 0 of the line")

func (r *reader) skipBlanks() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t' || r.text[r.at] == '\r') {
		r.at++
	}
}

// atEnd reports whether nothing but space is left.
func (r *reader) atEnd() bool {
	for i := r.at; i < len(r.text); i++ {
		switch r.text[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return false
		}
	}
	return true
}

// number reads the next number of the line.
func (r *reader) number(what string) (int64, error) {
	r.skipBlanks()
	start := r.at
	isNegative := r.at < len(r.text) && r.text[r.at] == '-'
	if isNegative {
		r.at++
	}
	first := r.at
	n := int64(0)
	for ; r.at < len(r.text) && r.text[r.at]-'0' < 10; r.at++ {
		digit := int64(r.text[r.at] - '0')
		if n > (math.MaxInt64-digit)/10 {
			return 0, fmt.Errorf("%s is too large", what)
		}
		n = 10*n + digit
	}
	if r.at == first || r.at < len(r.text) && !isSpace(r.text[r.at]) {
		return 0, fmt.Errorf("%s expected, not %s", what, r.word(start))
	}
	if isNegative {
		n = -n
	}
	return n, nil
}

// isDeletion consumes the letter of a deletion, if it is next.
func (r *reader) isDeletion() bool {
	r.skipBlanks()
	if r.at+1 < len(r.text) && r.text[r.at] == 'd' && isSpace(r.text[r.at+1]) {
		r.at++
		return true
	}
	return false
}

func (r *reader) endOfLine() error {
	r.skipBlanks()
	if r.at == len(r.text) {
		return nil
	}
	if r.text[r.at] != '\n' {
		return errLine
	}
	r.at++
	return nil
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// word is the word at a position, for a message.
func (r *reader) word(start int) string {
	end := start
	for end < len(r.text) && end < start+20 && !isSpace(r.text[end]) {
		end++
	}
	switch {
	case end > start:
		return fmt.Sprintf("%q", r.text[start:end])
	case end == len(r.text):
		return "the end of the proof"
	}
	return "the end of the line"
}
