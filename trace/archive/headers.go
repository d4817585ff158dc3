package archive

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// The header of a trace is, as varints:
//
//	the number of its form: 0 if the trace was packed as text, with its notes; 1 for a new form, which follows and gets
//	the next number, from 2 on
//	the number of the trace, less the one that is due after the trace before
//	the origin of its seed, less the one before
//	if the form has words, which of them this trace has, as bits
//
// A new form is the number of its lines, these, and noWords, sameWords (as in the form before), or newWords and 64
// words. A text stands behind its length.
//
// The origin of a seed is such that seed = mix(origin + number*golden). Any seed has one, as mix is a bijection, and
// those of a campaign have the same.
const (
	asText  = 0
	newForm = 1
	form0   = 2

	noWords, sameWords, newWords = 0, 1, 2

	golden = 0x9e3779b97f4a7c15
)

// A headerColumn has the headers of the traces in a frame.
type headerColumn struct {
	data        []byte
	forms       map[*notes.Form]uint64
	form        *notes.Form // of the trace before, and its number
	number      uint64
	words       *notes.Words // of the last form with words
	due, origin uint64
}

func (c *headerColumn) reset() {
	forms := c.forms
	clear(forms)
	*c = headerColumn{data: c.data[:0], forms: forms}
}

// skip adds the header of a trace that is packed as text.
func (c *headerColumn) skip() { c.data = append(c.data, asText) }

var noForm = notes.NewForm(nil)

func (c *headerColumn) add(h *notes.Header) {
	form := h.Form
	if form == nil {
		form = noForm
	}
	if form != c.form {
		c.form, c.number = form, c.forms[form]
	}
	if c.number != 0 {
		c.data = appendNumber(c.data, c.number)
	} else {
		c.addForm(form)
	}
	origin := unmix(h.Seed) - h.Number*golden
	c.data = binary.AppendVarint(c.data, int64(h.Number-c.due))
	c.data = binary.AppendVarint(c.data, int64(origin-c.origin))
	if form.Words() != nil {
		c.data = appendNumber(c.data, h.Words)
	}
	c.due, c.origin = h.Number+1, origin
}

func (c *headerColumn) addForm(form *notes.Form) {
	if c.forms == nil {
		c.forms = make(map[*notes.Form]uint64)
	}
	c.number = form0 + uint64(len(c.forms))
	c.forms[form] = c.number
	c.data = appendNumber(append(c.data, newForm), uint64(len(form.Lines())))
	for _, line := range form.Lines() {
		c.addText(line)
	}
	switch words := form.Words(); words {
	case nil:
		c.data = append(c.data, noWords)
	case c.words:
		c.data = append(c.data, sameWords)
	default:
		c.words = words
		c.data = append(c.data, newWords)
		for _, word := range words {
			c.addText(word)
		}
	}
}

func (c *headerColumn) addText(text string) {
	c.data = append(appendNumber(c.data, uint64(len(text))), text...)
}

// mix is the finalizer of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unmix is the inverse of mix.
func unmix(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089
	return z ^ z>>30 ^ z>>60
}

// A headerReader reads what a headerColumn wrote.
type headerReader struct {
	fields
	forms       []*notes.Form
	words       *notes.Words
	due, origin uint64
	notes       []string
}

// next returns the notes of the next trace, until the next call.
func (r *headerReader) next() ([]string, error) {
	r.notes = r.notes[:0]
	number := r.number(form0 + uint64(len(r.forms)))
	if number == asText || r.err != nil {
		return r.notes, r.err
	}
	if number == newForm {
		number = form0 + uint64(len(r.forms))
		r.readForm()
	}
	if r.err != nil || number >= form0+uint64(len(r.forms)) {
		return nil, errColumns
	}
	h := notes.Header{Form: r.forms[number-form0], Number: r.due + r.step()}
	r.origin += r.step()
	h.Seed, r.due = mix(r.origin+h.Number*golden), h.Number+1
	if h.Form.Words() != nil {
		h.Words = r.number(math.MaxUint64)
	}
	if r.err != nil {
		return nil, r.err
	}
	r.notes = h.Append(r.notes)
	size := 0
	for _, note := range r.notes {
		size += len(note)
	}
	if size > trace.DefaultLimits.NoteBytes {
		return nil, fmt.Errorf("%w: its notes are too long", errColumns)
	}
	return r.notes, nil
}

func (r *headerReader) readForm() {
	var lines []string
	gaps := 0
	for range r.number(uint64(trace.DefaultLimits.Notes)) {
		line := string(r.text())
		lines, gaps = append(lines, line), gaps+notes.WordsGaps(line)
	}
	var words *notes.Words
	switch kind := r.number(newWords); kind {
	case sameWords:
		words = r.words
	case newWords:
		words = new(notes.Words)
		size := 0
		for i := range words {
			words[i] = string(r.text())
			size += len(words[i])
		}
		r.words = words
		if size > trace.DefaultLimits.NoteBytes {
			r.fail()
		}
	}
	if gaps > 1 { // the notes could be much longer than the frame
		r.fail()
	}
	r.forms = append(r.forms, notes.ReadForm(lines, words))
}
