package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// Read reads a trace in text or binary form, as its first bytes tell. Errors name the file.
func Read(r io.Reader, file string) (*Trace, error) {
	buffered := bufio.NewReader(r)
	if first, _ := buffered.Peek(4); !IsBinary(first) {
		return Parse(buffered, file)
	}
	file = cmp.Or(file, "trace")
	limit := int64(DefaultLimits.Bytes)
	data, err := io.ReadAll(io.LimitReader(buffered, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: the binary trace is larger than %d bytes", file, limit)
	}
	t, err := parseBinary(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// IsBinary reports whether a file with these first bytes is a binary trace.
func IsBinary(head []byte) bool {
	return len(head) >= 4 && binary.LittleEndian.Uint32(head) == binaryMagic
}

// AppendBinary appends the binary form of the trace with notes and answers.
func (t *Trace) AppendBinary(dst []byte) ([]byte, error) {
	var encoder Encoder
	words, err := encoder.Append(nil, t)
	if err != nil {
		return dst, err
	}
	var notes []byte
	for _, note := range t.Notes {
		notes = append(append(notes, note...), '\n')
	}
	for i := range t.Planted {
		notes = append(t.Planted[i].appendText(notes), '\n')
	}
	words[headNotes] = uint32(len(notes))
	answers := t.answerWords()
	words[headWant] = uint32(len(answers))
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint32(dst, w)
	}
	dst = append(dst, notes...)
	for len(notes)%4 != 0 {
		notes, dst = append(notes, 0), append(dst, 0)
	}
	for _, w := range answers {
		dst = binary.LittleEndian.AppendUint32(dst, w)
	}
	return dst, nil
}

// answerRecorded marks a recorded answer among the answers after the notes. The others there are
// right ones. The executor sees neither.
const answerRecorded = 2 * answerStrange

// answerWords encodes the answers of the calls. The right answer of a call comes before the
// recorded one.
func (t *Trace) answerWords() []uint32 {
	var words []uint32
	for i := range max(len(t.Want.Of), len(t.Got.Of)) {
		words = t.appendAnswer(words, i, 0, &t.Want)
		words = t.appendAnswer(words, i, answerRecorded, &t.Got)
	}
	return words
}

// appendAnswer encodes an answer: the index of the call, kind | flags, Num in two words, Len (the
// number of literals of a list or of bytes of a text), and the literals or bytes.
func (t *Trace) appendAnswer(words []uint32, i int, flags uint32, all *Answers) []uint32 {
	a := all.At(i)
	if a.Kind == NotAnswered {
		return words
	}
	if a.Strange {
		flags |= answerStrange
	}
	words = append(words, uint32(i), uint32(a.Kind)|flags, uint32(a.Num), uint32(a.Num>>32), a.Len)
	switch t.replyOf(i) {
	case apimodel.ReplyModel, apimodel.ReplyCore:
		for _, lit := range all.ListOf(a) {
			words = append(words, uint32(lit))
		}
	case apimodel.ReplyText:
		words = appendBytes(words, all.Text[a.Pos:a.Pos+a.Len])
	}
	return words
}

// ErrBinary reports a truncated or damaged binary trace.
var ErrBinary = errors.New("the binary trace is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBinary, fmt.Sprintf(format, args...))
}

// parseBinary reads the binary form. It checks all lengths, and that the trace is legal.
func parseBinary(data []byte) (*Trace, error) {
	if len(data) < 4*headLength || len(data)%4 != 0 {
		return nil, damaged("it has %d bytes, which are not a header and whole calls", len(data))
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	h := words[:headLength]
	switch {
	case h[headMagic] != binaryMagic:
		return nil, damaged("it does not begin as one")
	case h[headVersion] != binaryVersion:
		return nil, fmt.Errorf("the binary trace has format version %d, this program reads %d", h[headVersion], binaryVersion)
	case h[headWords] < headLength || int64(h[headWords]) > int64(len(words)):
		return nil, damaged("its header says %d words, it has %d", h[headWords], len(words))
	case uint64(h[headWords])+(uint64(h[headNotes])+3)/4+uint64(h[headWant]) != uint64(len(words)):
		return nil, damaged("its lengths do not add up to its size")
	case h[headVars] > h[headWords]-headLength:
		return nil, damaged("its tables of variables are longer than it is")
	}
	t := &Trace{Model: apimodel.ByID(h[headModel])}
	if t.Model == nil {
		return nil, damaged("there is no API model number %d", h[headModel])
	}
	r := &binaryReader{t: t, words: words[headLength:h[headWords]]}
	if err := r.tables(h[headVars], h[headInstances]); err != nil {
		return nil, err
	}
	for i := range h[headCalls] {
		if err := r.call(); err != nil {
			return nil, damaged("call %d: %v", i+1, err)
		}
	}
	if len(r.words) != 0 {
		return nil, damaged("%s behind its last call", printable.Things(len(r.words), "word"))
	}
	notesEnd := 4*h[headWords] + h[headNotes]
	if err := r.notes(data[4*h[headWords] : notesEnd]); err != nil {
		return nil, err
	}
	if err := r.answers(words[uint32(len(words))-h[headWant]:]); err != nil {
		return nil, err
	}
	if err := Check(t); err != nil {
		return nil, err
	}
	// The tables of variables follow from the calls. If they did not match, the executor would run
	// another trace than the text shows.
	var encoder Encoder
	again, err := encoder.Append(nil, t)
	if err != nil {
		return nil, err
	}
	again[headNotes], again[headWant] = h[headNotes], h[headWant]
	for i := range again {
		if uint32(len(again)) != h[headWords] || again[i] != words[i] {
			return nil, damaged("word %d is not what its calls make it", i)
		}
	}
	return t, nil
}

type binaryReader struct {
	t         *Trace
	words     []uint32
	instances []uint16
}

func (r *binaryReader) take(n uint32) ([]uint32, error) {
	if uint64(n) > uint64(len(r.words)) {
		return nil, errors.New("it is cut off")
	}
	taken := r.words[:n]
	r.words = r.words[n:]
	return taken, nil
}

func (r *binaryReader) tables(words, instances uint32) error {
	if instances > MaxInstances {
		return ErrTooManyInstances
	}
	end := len(r.words) - int(words)
	for range instances {
		head, err := r.take(2)
		if err == nil && head[0] <= 0xffff {
			_, err = r.take(head[1])
		} else if err == nil {
			err = fmt.Errorf("instance %d", head[0])
		}
		if err != nil {
			return damaged("its tables of variables: %v", err)
		}
		r.instances = append(r.instances, uint16(head[0]))
	}
	if len(r.words) != end {
		return damaged("its tables of variables have another length than its header says")
	}
	return nil
}

func (r *binaryReader) call() error {
	head, err := r.take(callWords)
	if err != nil {
		return err
	}
	args, err := r.take(head[1])
	if err != nil {
		return err
	}
	op, number := apimodel.Op(head[0]), head[0]>>callInstanceShift
	if int(number) >= len(r.instances) {
		return fmt.Errorf("instance %d is not in the tables", number)
	}
	c := Call{Op: op, Flags: Flags(head[0] >> callFlagShift), Instance: r.instances[number]}
	t := r.t
	want := func(n int) error {
		if len(args) != n {
			return fmt.Errorf("%d argument words instead of %d", len(args), n)
		}
		return nil
	}
	var lits []uint32
	switch op.Form() {
	case apimodel.FormNone:
		err = want(0)
	case apimodel.FormLits:
		lits = args
	case apimodel.FormLit:
		err, lits = want(1), args
	case apimodel.FormSoft:
		if err = want(3); err == nil {
			c.Num, lits = uint64(args[1])|uint64(args[2])<<32, args[:1]
		}
	case apimodel.FormExtend:
		if len(args) == 0 {
			return errors.New("it lacks its level")
		}
		c.Num, lits = uint64(args[0]), args[1:]
	case apimodel.FormWeighted:
		if len(args) < 2 {
			return errors.New("it lacks its weight")
		}
		c.Num, lits = uint64(args[0])|uint64(args[1])<<32, args[2:]
	case apimodel.FormNumber:
		if err = want(1); err == nil {
			c.Num = uint64(args[0])
		}
	case apimodel.FormLong:
		if err = want(2); err == nil {
			c.Num = uint64(args[0]) | uint64(args[1])<<32
		}
	case apimodel.FormText:
		var text []byte
		text, err = unpack(args)
		c.Pos, c.Len = uint32(len(t.Bytes)), uint32(len(text))
		t.Bytes = append(t.Bytes, text...)
	case apimodel.FormVars, apimodel.FormAssumed: // the words follow from earlier calls
	}
	if err != nil {
		return err
	}
	if op.HasLits() {
		c.Pos, c.Len = uint32(len(t.Lits)), uint32(len(lits))
		for _, w := range lits {
			t.Lits = append(t.Lits, int32(w))
		}
	}
	t.Calls = append(t.Calls, c)
	return nil
}

// unpack returns the bytes of an option. args holds their number, with the last NUL, and the
// packed bytes.
func unpack(args []uint32) ([]byte, error) {
	if len(args) < 2 || args[0] == 0 || uint64(args[0]) > 4*uint64(len(args)-1) {
		return nil, errors.New("its text is longer than its words")
	}
	var text []byte
	for _, w := range args[1:] {
		text = binary.LittleEndian.AppendUint32(text, w)
	}
	return text[:args[0]-1], nil
}

func (r *binaryReader) notes(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	lines := bytes.Split(text, []byte{'\n'})
	if len(lines[len(lines)-1]) != 0 || len(lines)-1 > DefaultLimits.Notes {
		return damaged("its notes are cut off or too many")
	}
	for _, line := range lines[:len(lines)-1] {
		r.t.addNote(string(line))
	}
	return nil
}

func (r *binaryReader) answers(words []uint32) error {
	r.words = words
	t := r.t
	last := int64(-1)
	for len(r.words) > 0 {
		head, err := r.take(5)
		if err != nil {
			return damaged("its answers: %v", err)
		}
		kind, order, all := head[1]&^(answerStrange|answerRecorded), 2*int64(head[0]), &t.Want
		if head[1]&answerRecorded != 0 {
			all = &t.Got
			order++
		}
		if int64(head[0]) >= int64(len(t.Calls)) || order <= last ||
			kind < uint32(Answered) || kind > uint32(Unsupported) {
			return damaged("its answers are out of order")
		}
		if last = order; len(all.Of) == 0 {
			all.Of = make([]Answer, len(t.Calls))
		}
		a := &all.Of[head[0]]
		a.Kind, a.Strange = AnswerKind(kind), head[1]&answerStrange != 0
		a.Num, a.Len = uint64(head[2])|uint64(head[3])<<32, head[4]
		switch t.replyOf(int(head[0])) {
		case apimodel.ReplyModel, apimodel.ReplyCore:
			lits, err := r.take(a.Len)
			if err != nil {
				return damaged("its answers: %v", err)
			}
			a.Pos = uint32(len(all.Lits))
			for _, w := range lits {
				all.Lits = append(all.Lits, int32(w))
			}
		case apimodel.ReplyText:
			packed, err := r.take(a.Len/4 + 1)
			if err != nil {
				return damaged("its answers: %v", err)
			}
			a.Pos = uint32(len(all.Text))
			for _, w := range packed {
				all.Text = binary.LittleEndian.AppendUint32(all.Text, w)
			}
			all.Text = all.Text[:a.Pos+a.Len]
		default:
			if a.Len != 0 {
				return damaged("its answers have a list where none belongs")
			}
		}
	}
	return nil
}
