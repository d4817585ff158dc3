package trace

import (
	"fmt"
	"math"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// An Unpacker2 reads traces that version 2 of the packed form has. Its heads have the notes, too: for each trace the
// number of its API model, of its notes, the notes, and the number of its calls.
//
// A note with a blank is written as the numbers of bytes that it shares with the last such note of its place, at its
// beginning (plus 1) and at its end, then the bytes between, after their number. Another note is a list of words, with
// commas between them: 0, how many, and for each the number that it got when it first occurred, or 0 and the word.
//
// A byte of calls with all flags says how often the call before comes once more, but packedInstance says that the next
// call is of the instance whose number is in args.
type Unpacker2 struct {
	Unpacker
	notes []string // the last of each place
	words []string
}

const packedRepeat = 0xc0 // and more: the call before comes once more, and so on

// NewUnpacker2 returns an Unpacker2 for the traces in these columns.
func NewUnpacker2(heads, calls, args, lits []byte) *Unpacker2 {
	return &Unpacker2{Unpacker: *NewUnpacker(heads, calls, args, lits)}
}

// Next returns the text of the next trace, with its notes. If the columns are damaged, it may return an error or a text
// that is not a trace.
func (u *Unpacker2) Next() ([]byte, error) {
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
	if err := u.err(); err != nil {
		return nil, err
	}
	return t.AppendText(nil), nil
}

// note reads a note that shares bytes with the last note of its place: front of them at the beginning.
func (u *Unpacker2) note(at int, front uint64) string {
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
func (u *Unpacker2) list(most int) string {
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

func (u *Unpacker2) readCalls(n uint64, t *Trace) {
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
		if u.err() != nil {
			return
		}
		t.Calls = append(t.Calls, c)
	}
}
