package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// An Unpacker reads what a Packer wrote.
type Unpacker struct {
	heads, calls, args, lits packedReader

	notes []string // those of each place, as a Packer has them
	words []string
}

var errPacked = errors.New("the packed trace is damaged")

// NewUnpacker returns an Unpacker for the traces in these columns.
func NewUnpacker(heads, calls, args, lits []byte) *Unpacker {
	return &Unpacker{heads: packedReader{data: heads}, calls: packedReader{data: calls}, args: packedReader{data: args},
		lits: packedReader{data: lits}}
}

// Left returns how many bytes of the columns were not yet read.
func (u *Unpacker) Left() int {
	return len(u.heads.data) + len(u.calls.data) + len(u.args.data) + len(u.lits.data)
}

// Next returns the text of the next trace. If the columns are damaged, it may return an error or a text that is not a
// trace.
func (u *Unpacker) Next() ([]byte, error) {
	id := u.heads.number(math.MaxUint32)
	if id == packedText && u.heads.err == nil {
		return u.heads.bytes(), u.heads.err
	}
	t := Trace{Model: apimodel.ByID(uint32(id))}
	if t.Model == nil {
		return nil, fmt.Errorf("%w: there is no API model number %d", errPacked, id)
	}
	left := DefaultLimits.NoteBytes
	at := 0
	for range u.heads.number(uint64(DefaultLimits.Notes)) {
		note := ""
		if front := u.heads.number(math.MaxUint32); front == 0 {
			note = u.list(left)
		} else {
			note = u.note(at, front-1)
			at++
		}
		if left -= len(note); left < 0 {
			return nil, fmt.Errorf("%w: its notes are too long", errPacked)
		}
		t.Notes = append(t.Notes, note)
	}
	u.readCalls(u.heads.number(math.MaxUint32), &t)
	for _, column := range []*packedReader{&u.heads, &u.calls, &u.args, &u.lits} {
		if column.err != nil {
			return nil, column.err
		}
	}
	return t.AppendText(nil), nil
}

// note reads a note that shares bytes with the last note of its place: front of them at the beginning.
func (u *Unpacker) note(at int, front uint64) string {
	if at == len(u.notes) {
		u.notes = append(u.notes, "")
	}
	last := u.notes[at]
	if front > uint64(len(last)) {
		u.heads.fail()
		return ""
	}
	back := u.heads.number(uint64(len(last)) - front)
	u.notes[at] = last[:front] + string(u.heads.bytes()) + last[len(last)-int(back):]
	return u.notes[at]
}

// list reads a list of words. It stops if they have more than the given number of bytes.
func (u *Unpacker) list(most int) string {
	r := &u.heads
	var note strings.Builder
	for i := range r.number(uint64(len(r.data))) {
		if i > 0 {
			note.WriteByte(',')
		}
		number := r.number(uint64(len(u.words)))
		if number == 0 {
			number = uint64(len(u.words)) + 1
			u.words = append(u.words, string(r.bytes()))
		}
		if note.WriteString(u.words[number-1]); note.Len() > most {
			break
		}
	}
	return note.String()
}

func (u *Unpacker) readCalls(n uint64, t *Trace) {
	r := &u.calls
	instance, call, again := uint16(0), byte(packedInstance), 0
	for range n {
		if again > 0 {
			again--
		} else {
			if len(r.data) > 0 && r.data[0] == packedInstance {
				r.data = r.data[1:]
				instance, call = uint16(u.args.number(math.MaxUint16)), packedInstance
			}
			if len(r.data) == 0 {
				r.fail()
				return
			}
			if next := r.data[0]; next >= packedRepeat {
				again = int(next - packedRepeat)
			} else {
				call = next
			}
			r.data = r.data[1:]
		}
		op := apimodel.Op(call & (1<<packedFlagShift - 1))
		if t.Model.Call(op) == nil {
			r.fail()
			return
		}
		c := Call{Op: op, Flags: Flags(call >> packedFlagShift), Instance: instance, Pos: uint32(len(t.Lits))}
		u.arguments(&c, t)
		if r.err != nil || u.args.err != nil || u.lits.err != nil {
			return
		}
		t.Calls = append(t.Calls, c)
	}
}

func (u *Unpacker) arguments(c *Call, t *Trace) {
	switch c.Op.Form() {
	case apimodel.FormLits, apimodel.FormExtend:
		if c.Op.Form() == apimodel.FormExtend {
			c.Num = u.args.number(math.MaxUint64)
		}
		for range u.args.number(uint64(len(u.lits.data))) {
			u.lits.lit(t)
		}
		c.Len = uint32(len(t.Lits)) - c.Pos
	case apimodel.FormLit:
		u.lits.lit(t)
		c.Len = 1
	case apimodel.FormSoft:
		u.lits.lit(t)
		c.Len, c.Num = 1, u.args.number(math.MaxUint64)
	case apimodel.FormNumber, apimodel.FormLong:
		c.Num = u.args.number(math.MaxUint64)
	case apimodel.FormText:
		text := u.args.bytes()
		c.Pos, c.Len = uint32(len(t.Bytes)), uint32(len(text))
		t.Bytes = append(t.Bytes, text...)
	}
}

// A packedReader reads a column. After an error, it reads only zeros.
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
