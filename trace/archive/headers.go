package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// The header of a packed trace is, as varints:
//
//	the number of its form: 0 if the trace was packed as text, with its notes; 1 for a new form, which follows and gets
//	the next number, from 2 on
//	0; or 1 and the number of the trace, less the one that is due after the trace before, in zigzag; or 2 and 8 bytes
//	with the origin of its seed; or 3 and both
//	if the form has words, how many this trace has, and for each twice its bit; plus 1 and the word if it is new
//
// A new form is the number of its lines and, for each, how many bytes it shares with the last line of this place in a
// new form, at the beginning and at the end, how many are between them, and these.
//
// The origin of a seed is such that seed = mix(origin + number*golden). Any seed has one, as mix is a bijection, and
// those of a campaign have the same.
const (
	asText  = 0
	newForm = 1
	form0   = 2

	newNumber = 1
	newOrigin = 2

	golden = 0x9e3779b97f4a7c15
)

// A headerColumn has the headers of the packed traces of a frame.
type headerColumn struct {
	data  []byte
	forms map[*notes.Form]uint64
	state headerState

	form   *notes.Form // of the trace before, and its number
	number uint64
	words  *notes.Words // those that state knows
}

// A headerState is what a header may refer to. Reader and writer go through the same states.
type headerState struct {
	due    uint64 // number
	origin uint64
	lines  []string // of the last new form
	known  uint64   // words
}

func (c *headerColumn) reset() {
	c.data, c.form, c.words = c.data[:0], nil, nil
	c.state = headerState{lines: c.state.lines[:0]}
	clear(c.forms)
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
	if h.Number == c.state.due && origin == c.state.origin {
		c.data = append(c.data, 0)
	} else {
		c.addStep(h.Number, origin)
	}
	c.state.due = h.Number + 1
	if form.Words() != nil {
		c.addWords(form.Words(), h.Words)
	}
}

func (c *headerColumn) addForm(form *notes.Form) {
	if c.forms == nil {
		c.forms = make(map[*notes.Form]uint64)
	}
	c.number = form0 + uint64(len(c.forms))
	c.forms[form] = c.number
	lines := form.Lines()
	dst := appendNumber(append(c.data, newForm), uint64(len(lines)))
	for i, line := range lines {
		if i == len(c.state.lines) {
			c.state.lines = append(c.state.lines, "")
		}
		last := c.state.lines[i]
		c.state.lines[i] = line
		front := commonFront(line, last)
		back := commonBack(line[front:], last[front:])
		between := line[front : len(line)-back]
		dst = appendNumber(appendNumber(appendNumber(dst, uint64(front)), uint64(back)), uint64(len(between)))
		dst = append(dst, between...)
	}
	c.data = dst
}

func (c *headerColumn) addStep(number, origin uint64) {
	at := len(c.data)
	c.data = append(c.data, 0)
	if number != c.state.due {
		c.data[at] |= newNumber
		c.data = binary.AppendVarint(c.data, int64(number-c.state.due))
	}
	if origin != c.state.origin {
		c.data[at] |= newOrigin
		c.data = binary.LittleEndian.AppendUint64(c.data, origin)
		c.state.origin = origin
	}
}

func (c *headerColumn) addWords(words *notes.Words, set uint64) {
	if words != c.words { // another table may have other words at these bits
		c.words, c.state.known = words, 0
	}
	fresh := set &^ c.state.known
	c.state.known |= set
	c.data = append(c.data, byte(bits.OnesCount64(set)))
	for ; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		c.data = append(c.data, byte(bit)<<1|byte(fresh>>bit&1))
		if fresh>>bit&1 != 0 {
			c.data = append(appendNumber(c.data, uint64(len(words[bit]))), words[bit]...)
		}
	}
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

// commonFront returns how many bytes two texts have in common at the beginning.
func commonFront(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// commonBack returns how many bytes two texts have in common at the end.
func commonBack(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}

// appendNumber appends a number. Small numbers take one byte.
func appendNumber(dst []byte, n uint64) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, n)
}

var errHeaders = errors.New("the headers of the packed traces are damaged")

// A headerReader reads what a headerColumn wrote.
type headerReader struct {
	data  []byte
	err   error
	state headerState
	forms []*notes.Form
	size  int // bytes of the forms
	words notes.Words
	notes []string
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
		return nil, errHeaders
	}
	h := notes.Header{Form: r.forms[number-form0], Number: r.state.due}
	step := r.number(newNumber | newOrigin)
	if step&newNumber != 0 {
		n, size := binary.Varint(r.data)
		r.skip(size)
		h.Number += uint64(n)
	}
	if step&newOrigin != 0 {
		if eight := r.take(8); r.err == nil {
			r.state.origin = binary.LittleEndian.Uint64(eight)
		}
	}
	h.Seed, r.state.due = mix(r.state.origin+h.Number*golden), h.Number+1
	if h.Form.Words() != nil {
		h.Words = r.readWords()
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
		return nil, fmt.Errorf("%w: its notes are too long", errHeaders)
	}
	return r.notes, nil
}

func (r *headerReader) readForm() {
	var lines []string
	gaps, left := 0, trace.DefaultLimits.NoteBytes
	for i := range r.number(uint64(trace.DefaultLimits.Notes)) {
		if int(i) == len(r.state.lines) {
			r.state.lines = append(r.state.lines, "")
		}
		last := r.state.lines[i]
		front := r.number(uint64(len(last)))
		back := r.number(uint64(len(last)) - front)
		between := r.text()
		if r.err != nil {
			return
		}
		line := last[:front] + string(between) + last[len(last)-int(back):]
		if left -= len(line); left < 0 {
			r.fail()
			return
		}
		r.state.lines[i], lines = line, append(lines, line)
		gaps += notes.WordsGaps(line)
	}
	var words *notes.Words
	switch gaps {
	case 0:
	case 1:
		words = &r.words
	default: // the notes could be much longer than the frame
		r.fail()
		return
	}
	if r.size += trace.DefaultLimits.NoteBytes - left; r.size > maxFrame { // small forged frames can make large forms
		r.fail()
		return
	}
	r.forms = append(r.forms, notes.ReadForm(lines, words))
}

func (r *headerReader) readWords() (set uint64) {
	left := trace.DefaultLimits.NoteBytes
	for range r.number(uint64(len(r.words))) {
		code := r.number(uint64(2*len(r.words) - 1))
		bit := code >> 1
		switch {
		case code&1 != 0:
			r.words[bit] = string(r.text())
			r.state.known |= 1 << bit
		case r.state.known>>bit&1 == 0:
			r.fail()
		}
		if left -= len(r.words[bit]); left < 0 {
			r.fail()
		}
		if r.err != nil {
			return 0
		}
		set |= 1 << bit
	}
	return set
}

func (r *headerReader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if size > 1 && r.data[size-1] == 0 || n > most { // a number has one spelling
		size = -1
	}
	if r.skip(size); r.err != nil {
		return 0
	}
	return n
}

// skip goes on behind a number of so many bytes.
func (r *headerReader) skip(size int) {
	if r.take(size); size == 0 {
		r.fail()
	}
}

// text reads a number and as many bytes.
func (r *headerReader) text() []byte { return r.take(int(r.number(uint64(len(r.data))))) }

// take reads some bytes.
func (r *headerReader) take(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.fail()
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *headerReader) fail() {
	r.data, r.err = nil, errHeaders
}
