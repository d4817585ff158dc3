package format

import (
	"io"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A text writes words and numbers to a writer, and keeps the writer's first error.
type text struct {
	to  io.Writer
	buf []byte
	err error
}

const textPiece = 64 << 10

func (o *text) words(s string) *text {
	o.buf = append(o.buf, s...)
	return o
}

func (o *text) number(n uint64) *text {
	o.buf = strconv.AppendUint(o.buf, n, 10)
	return o
}

// lits writes literals and the final 0, and ends the line.
func (o *text) lits(lits ...int32) {
	for _, lit := range lits {
		o.buf = append(strconv.AppendInt(o.buf, int64(lit), 10), ' ')
	}
	o.words("0").line()
}

func (o *text) line() {
	o.buf = append(o.buf, '\n')
	if len(o.buf) >= textPiece {
		o.flush()
	}
}

func (o *text) flush() {
	if o.err == nil {
		_, o.err = o.to.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

func (o *text) close() error {
	o.flush()
	return o.err
}

// comments writes notes, with sign before each line.
func (o *text) comments(sign string, notes []string) {
	for _, note := range notes {
		for line := range strings.SplitSeq(printable.Text(note), "\n") {
			o.words(strings.TrimRight(sign+" "+strings.TrimRight(line, "\r"), " ")).line()
		}
	}
}
