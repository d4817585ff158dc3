package notes

import (
	"slices"
	"strconv"
	"strings"
)

// A Form is what the headers of many traces share: notes with gaps, for numbers and words of one trace. To put a few
// numbers aside takes a small part of the time that making the notes would take.
type Form struct {
	lines []string
	words *Words
}

// Words are the words of which a gap may list some. They never change.
type Words [64]string

// The gaps, as they stand in the lines of a form. A NUL that is none begins with escaped.
const (
	seedGap   = "\x00s" // 16 hexadecimal digits
	numberGap = "\x00n" // decimal
	wordsGap  = "\x00w" // with commas between them
	escaped   = "\x000"
)

// NewForm returns a form without gaps.
func NewForm(notes []string) *Form {
	lines := make([]string, len(notes))
	for i, note := range notes {
		lines[i] = literal(note)
	}
	return &Form{lines: lines}
}

// ReadForm returns the form with the given lines, as Lines returned them. The words are nil if no line has a gap for
// them.
func ReadForm(lines []string, words *Words) *Form { return &Form{lines, words} }

// Form returns the form of the headers of traces that were made as the origin says, from any seed. If words is not nil,
// they have features, which are some of these words.
func (o *Origin) Form(words *Words) *Form {
	plain := *o
	plain.Features = nil
	lines := NewForm(plain.Notes()).lines
	if o.Generator != "" {
		before, after := o.appendBeforeSeed(nil), o.appendAfterSeed(nil)
		lines[0] = literal(oneLine(string(before))) + seedGap + literal(oneLine(string(after)))
	}
	if words != nil {
		at := len(lines)
		if o.Fitted != "" {
			at--
		}
		lines = slices.Insert(lines, at, features+wordsGap)
	}
	return &Form{lines, words}
}

// WithNumber returns the form with one more note, which has the number of the trace between two texts.
func (f *Form) WithNumber(before, after string) *Form {
	line := literal(before) + numberGap + literal(after)
	return &Form{append(slices.Clip(f.lines), line), f.words}
}

// Lines returns the notes of the form, with the gaps in a way that only ReadForm understands. The caller must not
// change them.
func (f *Form) Lines() []string { return f.lines }

// Words returns the words of which a gap lists some, or nil if no gap does.
func (f *Form) Words() *Words { return f.words }

// WordsGaps returns how many gaps for words a line has, as Lines returns it.
func WordsGaps(line string) int { return strings.Count(line, wordsGap) }

func literal(text string) string {
	if strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(text, "\x00", escaped)
}

// A Header is the header of one trace: a form, and what fills its gaps. The zero value has no notes.
type Header struct {
	Form         *Form
	Seed, Number uint64
	Words        uint64 // bit i stands for word i
}

// Notes returns the notes.
func (h *Header) Notes() []string {
	if h.Form == nil {
		return nil
	}
	return h.Append(nil)
}

// Append appends the notes.
func (h *Header) Append(notes []string) []string {
	for _, line := range h.Form.lines {
		notes = append(notes, h.fill(line))
	}
	return notes
}

func (h *Header) fill(line string) string {
	at := strings.IndexByte(line, 0)
	if at < 0 {
		return line
	}
	note := make([]byte, 0, len(line)+64)
	for ; at >= 0 && at+1 < len(line); at = strings.IndexByte(line, 0) {
		note = append(note, line[:at]...)
		switch line[at : at+2] {
		case seedGap:
			note = appendHex(note, h.Seed)
		case numberGap:
			note = strconv.AppendUint(note, h.Number, 10)
		case wordsGap:
			note = h.appendWords(note)
		default:
			note = append(note, 0)
		}
		line = line[at+2:]
	}
	return string(append(note, line...))
}

func (h *Header) appendWords(note []byte) []byte {
	if h.Form.words == nil {
		return note
	}
	many := false
	for i, word := range h.Form.words {
		if h.Words>>i&1 == 0 {
			continue
		}
		if many {
			note = append(note, ',')
		}
		note, many = append(note, word...), true
	}
	return note
}
