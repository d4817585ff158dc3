package archive

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// fullFrame is the minimum number of bytes in a frame: several hundred small traces. Larger frames compress better, but
// to read one trace takes longer.
const fullFrame = 64 << 10

// A Frame collects traces, which a Writer writes in one piece, in columns: names, headers (headerColumn), and calls
// (trace.Packer). The first column begins with the lengths of all but the last, as varints. To add a small trace takes
// some hundred nanoseconds and, once the frame has been full, no memory. A Frame is not for concurrent use.
//
// A name is how many bytes it shares with the name before, how many follow, and these.
type Frame struct {
	names   []byte
	last    []byte // name
	headers headerColumn
	packer  trace.Packer
	count   int
	lengths []byte
	fill    int // in place of fullFrame, in tests
}

// Add adds a trace with the notes of the header. The caller must not add a trace that Parse would refuse.
func (f *Frame) Add(name []byte, h *notes.Header, t *trace.Trace) {
	shared := 0
	for shared < min(len(name), len(f.last)) && name[shared] == f.last[shared] {
		shared++
	}
	f.last = append(f.last[:0], name...)
	f.names = appendNumber(appendNumber(f.names, uint64(shared)), uint64(len(name)-shared))
	f.names = append(f.names, name[shared:]...)
	if trace.Packable(t) {
		f.headers.add(h)
		f.packer.Add(t)
	} else {
		whole := *t
		whole.Notes = h.Notes()
		f.headers.skip()
		f.packer.AddText(whole.AppendText(nil))
	}
	f.count++
}

// Full reports whether it is time to write the frame.
func (f *Frame) Full() bool { return f.size() >= cmp.Or(f.fill, fullFrame) }

func (f *Frame) size() int { return len(f.names) + len(f.headers.data) + f.packer.Len() }

// Reset empties the frame.
func (f *Frame) Reset() {
	f.names, f.last, f.count = f.names[:0], f.last[:0], 0
	f.headers.reset()
	f.packer.Reset()
}

// An encoder compresses a column.
type encoder interface {
	EncodeAll(content, dst []byte) []byte
}

// appendTo appends the compressed columns, and returns how many bytes they had before. Each has values of one sort, so
// a code of its own makes it shorter.
func (f *Frame) appendTo(dst []byte, with encoder) (data []byte, plain int) {
	columns := [...][]byte{nil, f.headers.data, f.packer.Heads, f.packer.Calls, f.packer.Args, f.packer.Lits}
	f.lengths = appendNumber(f.lengths[:0], uint64(len(f.names)))
	for _, column := range columns[1 : len(columns)-1] {
		f.lengths = appendNumber(f.lengths, uint64(len(column)))
	}
	f.lengths = append(f.lengths, f.names...)
	columns[0] = f.lengths
	for _, column := range columns {
		dst, plain = with.EncodeAll(column, dst), plain+len(column)
	}
	return dst, plain
}

// A content is what a Frame held.
type content struct {
	names   []string
	headers headerReader
	traces  *trace.Unpacker
	decoded [][]byte // texts
}

var errColumns = errors.New("its columns are damaged")

func readContent(plain []byte, count int) (*content, error) {
	r := fields{data: plain}
	var columns [6][]byte
	var lengths [5]int
	for i := range lengths {
		lengths[i] = int(r.number(uint64(len(plain))))
	}
	for i, length := range lengths {
		columns[i] = r.take(length)
	}
	columns[5] = r.data
	if r.err != nil {
		return nil, errColumns
	}
	c := &content{headers: headerReader{fields: fields{data: columns[1]}},
		traces: trace.NewUnpacker(columns[2], columns[3], columns[4], columns[5])}
	names, last, total := fields{data: columns[0]}, "", 0
	for range count {
		shared := names.number(uint64(len(last)))
		last = last[:shared] + string(names.text())
		if total += len(last); names.err != nil || len(last) > maxName || total > maxFrame {
			return nil, errors.New("its names are damaged")
		}
		c.names = append(c.names, last)
	}
	if len(names.data) > 0 {
		return nil, fmt.Errorf("it has more names than %d traces", count)
	}
	return c, nil
}

func (c *content) texts() ([][]byte, error) {
	if c.decoded != nil {
		return c.decoded, nil
	}
	var texts [][]byte
	total := 0
	for i := range c.names {
		lines, err := c.headers.next()
		var text []byte
		if err == nil {
			text, err = c.traces.Next(lines)
		}
		if err == nil && (!beginsTrace(text) || text[len(text)-1] != '\n') {
			err = errors.New("its text does not begin with a trace, or ends in the middle of a line")
		}
		if total += len(text); err == nil && total > maxFrame { // small forged frames can make large texts
			err = fmt.Errorf("the texts are longer than %d bytes", maxFrame)
		}
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", i+1, err)
		}
		texts = append(texts, text)
	}
	if len(c.headers.data)+c.traces.Left() > 0 {
		return nil, fmt.Errorf("there is more than %d traces", len(c.names))
	}
	c.decoded = texts
	return texts, nil
}

// appendNumber appends a number. Small numbers take one byte.
func appendNumber(dst []byte, n uint64) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, n)
}

// fields reads numbers and texts. After an error, it reads only zeros.
type fields struct {
	data []byte
	err  error
}

func (r *fields) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || size > 1 && r.data[size-1] == 0 || n > most { // a number has one spelling
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

// step reads a difference, which may be negative.
func (r *fields) step() uint64 {
	zigzag := r.number(1<<64 - 1)
	return zigzag>>1 ^ -(zigzag & 1)
}

func (r *fields) text() []byte { return r.take(int(r.number(uint64(len(r.data))))) }

func (r *fields) take(n int) []byte {
	if n > len(r.data) {
		r.fail()
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *fields) fail() { r.data, r.err = nil, errColumns }
