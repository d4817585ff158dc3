package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// The packed form is for archives of millions of traces. It is a third as long as the text,
// and takes a fraction of the time to write. A record is a sequence of varints and bytes:
//
//	number of the API model
//	number of notes; for each, how many bytes it shares with the same note of the trace
//	before, at its beginning and at its end, then the bytes between, after their number
//	number of calls; for each, a byte (operation, flags) and its arguments
//
// Before a call of another instance than the last one come a byte of its own and the number of
// the instance. A record with 0 in place of the model has the text of a trace: one with more
// than notes and calls.

const (
	packedFlagShift = 6    // of the byte of a call
	packedInstance  = 0xff // the number of another instance follows; no call has all flags
	packedText      = 0    // stands for an API model: the text of the trace follows
)

// A Packer packs traces one after the other.
type Packer struct{ notes []string }

// Reset forgets the notes of the last trace. A reader can unpack the next record without those
// before it.
func (p *Packer) Reset() { p.notes = p.notes[:0] }

// Append appends the record of a trace.
func (p *Packer) Append(dst []byte, t *Trace) []byte {
	if !packable(t) {
		return t.AppendText(append(dst, packedText))
	}
	dst = appendNumber(appendNumber(dst, int(t.Model.ID)), len(t.Notes))
	for i, note := range t.Notes {
		last := ""
		if i < len(p.notes) {
			last = p.notes[i]
		}
		front := commonFront(note, last)
		back := commonBack(note[front:], last[front:])
		between := note[front : len(note)-back]
		dst = appendNumber(appendNumber(appendNumber(dst, front), back), len(between))
		dst = append(dst, between...)
	}
	p.notes = append(p.notes[:0], t.Notes...)
	return appendPackedCalls(dst, t)
}

// packable reports whether a record can hold the whole trace other than as text.
func packable(t *Trace) bool {
	return t.Model != nil && len(t.Want.Of) == 0 && len(t.Got.Of) == 0 && len(t.Planted) == 0 &&
		len(t.Notes) <= DefaultLimits.Notes
}

// commonFront returns how many bytes two texts have in common at the beginning.
func commonFront(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n && a[i:i+8] == b[i:i+8] {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonBack returns how many bytes two texts have in common at the end.
func commonBack(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n && a[len(a)-i-8:len(a)-i] == b[len(b)-i-8:len(b)-i] {
		i += 8
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}

func appendPackedCalls(dst []byte, t *Trace) []byte {
	dst = appendNumber(dst, len(t.Calls))
	instance := uint16(0)
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Instance != instance {
			instance = c.Instance
			dst = binary.AppendUvarint(append(dst, packedInstance), uint64(instance))
		}
		dst = append(dst, byte(c.Op)|byte(c.Flags)<<packedFlagShift)
		switch codes[c.Op].form {
		case apimodel.FormLits:
			dst = appendNumber(dst, int(c.Len))
			for _, lit := range t.Args(c) {
				dst = appendPackedLit(dst, lit)
			}
		case apimodel.FormLit:
			dst = appendPackedLit(dst, t.Lit(c))
		case apimodel.FormExtend:
			dst = appendNumber(binary.AppendUvarint(dst, c.Num), int(c.Len))
			for _, lit := range t.Args(c) {
				dst = appendPackedLit(dst, lit)
			}
		case apimodel.FormSoft:
			dst = binary.AppendUvarint(appendPackedLit(dst, t.Lit(c)), c.Num)
		case apimodel.FormNumber, apimodel.FormLong:
			dst = binary.AppendUvarint(dst, c.Num)
		case apimodel.FormText:
			dst = append(appendNumber(dst, int(c.Len)), t.Bytes[c.Pos:c.Pos+c.Len]...)
		}
	}
	return dst
}

// appendPackedLit appends a literal. Literals of small variables take one byte.
func appendPackedLit(dst []byte, lit int32) []byte {
	word := uint32(lit<<1) ^ uint32(lit>>31)
	if word < 0x80 {
		return append(dst, byte(word))
	}
	return binary.AppendUvarint(dst, uint64(word))
}

// appendNumber appends a number. Small numbers take one byte.
func appendNumber(dst []byte, n int) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, uint64(n))
}

// An Unpacker reads what a Packer wrote.
type Unpacker struct{ notes []string }

var errPacked = errors.New("the packed trace is damaged")

// Text returns the text of the trace in a complete record. The caller must have read the records
// before it, back to a Reset of the Packer. Text may return a text that is not a trace if the
// record is damaged.
func (u *Unpacker) Text(record []byte) ([]byte, error) {
	r := packedReader{data: record}
	id := r.number(math.MaxUint32)
	if id == packedText && r.err == nil {
		return r.data, nil
	}
	t := Trace{Model: apimodel.ByID(uint32(id))}
	if t.Model == nil {
		return nil, fmt.Errorf("%w: there is no API model number %d", errPacked, id)
	}
	bytes := 0
	for i := range r.number(uint64(DefaultLimits.Notes)) {
		last := ""
		if i < uint64(len(u.notes)) {
			last = u.notes[i]
		}
		front := r.number(uint64(len(last)))
		back := r.number(uint64(len(last)) - front)
		between := r.bytes()
		if bytes += int(front) + int(back) + len(between); bytes > DefaultLimits.NoteBytes {
			return nil, fmt.Errorf("%w: its notes are too long", errPacked)
		}
		t.Notes = append(t.Notes, last[:front]+string(between)+last[len(last)-int(back):])
	}
	u.notes = append(u.notes[:0], t.Notes...)
	r.calls(&t)
	if r.err == nil && len(r.data) > 0 {
		r.err = fmt.Errorf("%w: %d bytes follow its last call", errPacked, len(r.data))
	}
	if r.err != nil {
		return nil, r.err
	}
	return t.AppendText(nil), nil
}

// A packedReader reads a record. After an error, it reads only zeros.
type packedReader struct {
	data []byte
	err  error
}

func (r *packedReader) fail() {
	if r.err == nil {
		r.err = errPacked
	}
	r.data = nil
}

func (r *packedReader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > most || size > 1 && r.data[size-1] == 0 { // a number has one spelling
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *packedReader) bytes() []byte {
	n := r.number(uint64(len(r.data)))
	if n > uint64(len(r.data)) {
		r.fail()
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *packedReader) lit(t *Trace) {
	word := uint32(r.number(math.MaxUint32))
	t.Lits = append(t.Lits, int32(word>>1)^-int32(word&1))
}

func (r *packedReader) calls(t *Trace) {
	instance := uint16(0)
	for range r.number(uint64(len(r.data))) {
		if len(r.data) > 0 && r.data[0] == packedInstance {
			r.data = r.data[1:]
			instance = uint16(r.number(math.MaxUint16))
		}
		if len(r.data) == 0 {
			r.fail()
			return
		}
		op, flags := apimodel.Op(r.data[0]&(1<<packedFlagShift-1)), Flags(r.data[0]>>packedFlagShift)
		r.data = r.data[1:]
		if t.Model.Call(op) == nil {
			r.fail()
			return
		}
		c := Call{Op: op, Flags: flags, Instance: instance, Pos: uint32(len(t.Lits))}
		switch op.Form() {
		case apimodel.FormLits, apimodel.FormExtend:
			if op.Form() == apimodel.FormExtend {
				c.Num = r.number(math.MaxUint64)
			}
			for range r.number(uint64(len(r.data))) {
				r.lit(t)
			}
			c.Len = uint32(len(t.Lits)) - c.Pos
		case apimodel.FormLit:
			r.lit(t)
			c.Len = 1
		case apimodel.FormSoft:
			r.lit(t)
			c.Len, c.Num = 1, r.number(math.MaxUint64)
		case apimodel.FormNumber, apimodel.FormLong:
			c.Num = r.number(math.MaxUint64)
		case apimodel.FormText:
			text := r.bytes()
			c.Pos, c.Len = uint32(len(t.Bytes)), uint32(len(text))
			t.Bytes = append(t.Bytes, text...)
		}
		if r.err != nil {
			return
		}
		t.Calls = append(t.Calls, c)
	}
}
