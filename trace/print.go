package trace

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// FormatVersion is the newest version of the text of traces. In version 1, '=' preceded both
// right and recorded answers. Since version 2, it precedes recorded answers, and the word "want"
// precedes right ones.
const FormatVersion = 2

// versionWithoutAnswers is the version in the text of a trace without answers, so that older
// programs can read it. Without answers, the versions do not differ.
const versionWithoutAnswers = 1

const wantWord = "want"

const magicWord = "ipafuzz"

// String returns the text of the trace.
func (t *Trace) String() string { return string(t.AppendText(nil)) }

// AppendText appends the text of the trace. If the trace passes Check, Parse returns an equal
// trace.
func (t *Trace) AppendText(dst []byte) []byte {
	dst = t.appendHead(dst, t.version())
	for i := range t.Calls {
		dst = append(t.AppendCall(dst, i), '\n')
	}
	return dst
}

// WriteTo writes the text of the trace. To save memory, it writes piece by piece.
func (t *Trace) WriteTo(w io.Writer) (int64, error) {
	const piece = 64 << 10
	var written int64
	text := t.appendHead(nil, t.version())
	for i := range t.Calls {
		text = append(t.AppendCall(text, i), '\n')
		if len(text) >= piece {
			n, err := w.Write(text)
			written += int64(n)
			if err != nil {
				return written, err
			}
			text = text[:0]
		}
	}
	n, err := w.Write(text)
	return written + int64(n), err
}

// version returns the oldest version of the text that can express the trace.
func (t *Trace) version() uint64 {
	for _, answers := range []*Answers{&t.Want, &t.Got} {
		for i := range answers.Of {
			if !unsaid(t.replyOf(i), &answers.Of[i]) {
				return FormatVersion
			}
		}
	}
	return versionWithoutAnswers
}

func (t *Trace) appendHead(dst []byte, version uint64) []byte {
	dst = append(dst, magicWord...)
	dst = append(dst, ' ')
	dst = strconv.AppendUint(dst, version, 10)
	dst = append(dst, ' ')
	if t.Model != nil {
		dst = append(dst, t.Model.Name...)
	}
	dst = append(dst, '\n')
	for _, note := range t.Notes {
		dst = appendNote(dst, note)
	}
	for i := range t.Planted {
		dst = append(t.Planted[i].appendText(append(dst, "# "...)), '\n')
	}
	return dst
}

// appendNote appends a note as comments, one for each line of the note.
func appendNote(dst []byte, note string) []byte {
	for line := range strings.SplitSeq(note, "\n") {
		dst = append(dst, '#')
		line = printable.Text(strings.TrimRight(line, "\r")) // a note of an archive may contain control codes
		if line != "" {
			dst = append(append(dst, ' '), line...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// AppendCall appends the line of one call with its answers, without the line end. Check need not
// accept the call.
func (t *Trace) AppendCall(dst []byte, call int) []byte {
	return t.appendLine(dst, call, &t.Got, &t.Want)
}

// AppendRequest appends the line of one call without its answers and without the line end.
func (t *Trace) AppendRequest(dst []byte, call int) []byte {
	return t.appendLine(dst, call, nil, nil)
}

func (t *Trace) appendLine(dst []byte, i int, got, want *Answers) []byte {
	c := &t.Calls[i]
	if c.Instance != 0 {
		dst = append(dst, '@')
		dst = strconv.AppendUint(dst, uint64(c.Instance), 10)
		dst = append(dst, ' ')
	}
	var call *apimodel.Call
	if t.Model != nil {
		call = t.Model.Call(c.Op)
	}
	if call == nil {
		return append(dst, c.Op.String()...)
	}
	dst = append(dst, call.Name...)
	for _, arg := range call.Args {
		dst = t.appendArg(dst, c, arg)
	}
	end := len(dst)
	if got != nil && i < len(got.Of) {
		dst = appendAnswer(dst, " =", call.Reply, &got.Of[i], got)
	}
	if want == nil || i >= len(want.Of) {
		return dst
	}
	sign := " " + wantWord
	if len(dst) > end {
		sign = ", " + wantWord
	}
	return appendAnswer(dst, sign, call.Reply, &want.Of[i], want)
}

func (t *Trace) appendArg(dst []byte, c *Call, arg apimodel.Arg) []byte {
	switch arg {
	case apimodel.ArgClause, apimodel.ArgLits, apimodel.ArgVars, apimodel.ArgLit:
		if uint64(c.Pos)+uint64(c.Len) > uint64(len(t.Lits)) {
			return append(dst, " ?"...)
		}
		dst = appendLits(dst, t.Lits[c.Pos:c.Pos+c.Len])
		if arg != apimodel.ArgLit && c.Flags&Open == 0 {
			dst = append(dst, " 0"...)
		}
	case apimodel.ArgCount, apimodel.ArgLimit:
		if c.Flags&Off != 0 {
			return append(dst, " off"...)
		}
		dst = strconv.AppendUint(append(dst, ' '), c.Num, 10)
	case apimodel.ArgWeight, apimodel.ArgBits, apimodel.ArgMost, apimodel.ArgLevel, apimodel.ArgGroup:
		dst = strconv.AppendUint(append(dst, ' '), c.Num, 10)
	case apimodel.ArgName, apimodel.ArgValue:
		if uint64(c.Pos)+uint64(c.Len) > uint64(len(t.Bytes)) {
			return append(dst, " ?"...)
		}
		name, value, _ := bytes.Cut(t.Bytes[c.Pos:c.Pos+c.Len], nul)
		if arg == apimodel.ArgValue {
			name = value
		}
		dst = append(append(dst, ' '), name...)
	}
	return dst
}

var nul = []byte{0}

func appendLits(dst []byte, lits []int32) []byte {
	for _, lit := range lits {
		dst = strconv.AppendInt(append(dst, ' '), int64(lit), 10)
	}
	return dst
}
