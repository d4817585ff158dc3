package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// An Unpacker reads what a Packer wrote.
type Unpacker struct {
	heads, calls, args, lits packedReader
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

// Next returns the text of the next trace, with the given notes unless it was packed as text. If the columns are
// damaged, it may return an error or a text that is not a trace.
func (u *Unpacker) Next(notes []string) ([]byte, error) {
	id := u.heads.number(math.MaxUint32)
	if id == packedText && u.heads.err == nil {
		return u.heads.bytes(), u.heads.err
	}
	t := Trace{Model: apimodel.ByID(uint32(id)), Notes: notes}
	if t.Model == nil {
		return nil, fmt.Errorf("%w: there is no API model number %d", errPacked, id)
	}
	u.readCalls(u.heads.number(math.MaxUint32), &t)
	if err := u.err(); err != nil {
		return nil, err
	}
	return t.AppendText(nil), nil
}

func (u *Unpacker) err() error {
	for _, column := range []*packedReader{&u.heads, &u.calls, &u.args, &u.lits} {
		if column.err != nil {
			return column.err
		}
	}
	return nil
}

func (u *Unpacker) readCalls(n uint64, t *Trace) {
	instance := uint16(0)
	for range n {
		first := u.calls.byte()
		if first == packedInstance {
			instance, first = uint16(u.args.number(math.MaxUint16)), u.calls.byte()
		}
		c := Call{Op: apimodel.OpClause, Instance: instance, Pos: uint32(len(t.Lits))}
		clause := first >= packedClause && first != packedInstance
		if !clause {
			c.Op, c.Flags = apimodel.Op(first&(1<<packedFlagShift-1)), Flags(first>>packedFlagShift)
		}
		switch {
		case t.Model.Call(c.Op) == nil:
			u.calls.fail()
		case clause:
			u.literals(&c, t, uint64(first-packedClause))
		default:
			u.arguments(&c, t)
		}
		if u.err() != nil {
			return
		}
		t.Calls = append(t.Calls, c)
	}
}

func (u *Unpacker) arguments(c *Call, t *Trace) {
	switch c.Op.Form() {
	case apimodel.FormLits, apimodel.FormExtend, apimodel.FormWeighted:
		if c.Op.Form() != apimodel.FormLits {
			c.Num = u.args.number(math.MaxUint64)
		}
		u.literals(c, t, u.args.number(uint64(len(u.lits.data))))
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

func (u *Unpacker) literals(c *Call, t *Trace, n uint64) {
	for range n {
		u.lits.lit(t)
	}
	c.Len = uint32(len(t.Lits)) - c.Pos
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

func (r *packedReader) byte() byte {
	if len(r.data) == 0 {
		r.fail()
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *packedReader) lit(t *Trace) {
	word := uint32(r.number(math.MaxUint32))
	t.Lits = append(t.Lits, int32(word>>1)^-int32(word&1))
}
