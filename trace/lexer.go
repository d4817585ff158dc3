package trace

import "math"

// A lexer splits a line into fields, which blanks and tabs separate. A field that begins with
// '#' begins a comment, which is the rest of the line.
type lexer struct {
	line  []byte // without its line end
	at    int    // index of the next byte
	start int    // index of the first byte of the last field
}

func (l *lexer) reset(line []byte) { *l = lexer{line: line} }

// next returns the next field, or nil at the end of the line or a comment.
func (l *lexer) next() []byte {
	line, i := l.line, l.at
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	l.start = i
	if i == len(line) || line[i] == '#' {
		l.at = i
		return nil
	}
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	l.at = i
	return line[l.start:i]
}

// back makes next return the last field again.
func (l *lexer) back() { l.at = l.start }

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// isSign reports whether the field is the single character sign.
func isSign(field []byte, sign byte) bool { return len(field) == 1 && field[0] == sign }

// ParseUnsigned reads a number from 0 to max. A number has only one spelling: no '+', no leading
// zeros. So printing does not change a trace, and equal traces have equal texts.
func ParseUnsigned(field []byte, max uint64) (uint64, bool) {
	if len(field) == 0 || len(field) > 20 || field[0] == '0' && len(field) > 1 {
		return 0, false
	}
	var n uint64
	for _, b := range field {
		digit := uint64(b - '0')
		if digit > 9 || n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, n <= max
}

// parseInt32 reads a number from -2^31 to 2^31-1. As in ParseUnsigned, it has only one spelling;
// "-0" is none.
func parseInt32(field []byte) (int32, bool) {
	digits := field
	negative := len(field) > 0 && field[0] == '-'
	if negative {
		digits = field[1:]
	}
	if len(digits) == 0 || len(digits) > 10 || digits[0] == '0' && len(field) > 1 {
		return 0, false
	}
	var n int64 // 10 digits fit
	for _, b := range digits {
		digit := b - '0'
		if digit > 9 {
			return 0, false
		}
		n = n*10 + int64(digit)
	}
	if negative {
		n = -n
	}
	return int32(n), n >= math.MinInt32 && n <= math.MaxInt32
}

// odd reports whether the field is a number in a spelling that parseInt32 refuses.
func odd(field []byte) bool {
	digits := field
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) == 0 || digits[0] != '0' && field[0] != '+' || len(field) == 1 {
		return false
	}
	for _, b := range digits {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}
