package archive

import (
	"encoding/binary"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// packedMark begins the content of a frame of packed traces; its last byte is the version. After it, the frame has the
// lengths of the first four columns as varints, and the columns: that of the headers (headerColumn), and those of the
// calls (trace.Packer).
var packedMark = []byte("IPAFPAK3")

// fullFrame is the minimum number of bytes in a frame of packed traces: more than a thousand small traces. Smaller
// frames take more time, because each column of each has its own code.
const fullFrame = 120 << 10

// leastRecord is the minimum number of bytes that a packed trace takes.
const leastRecord = 3

// A PackedFrame collects packed traces, which a PackedWriter writes in one piece. To add a small trace takes some
// hundred nanoseconds and, once the frame has been full, no memory. It is not for concurrent use.
type PackedFrame struct {
	headers headerColumn
	packer  trace.Packer
	names   []numbered
	count   uint32
	fill    int // bytes after which it is full
}

// NewPackedFrame returns an empty frame.
func NewPackedFrame() *PackedFrame { return &PackedFrame{fill: fullFrame} }

// Add adds a trace. Its name is the prefix and the number in the header, and its notes are those of the header. The
// caller must not add a trace that Parse would refuse.
func (f *PackedFrame) Add(prefix string, h *notes.Header, t *trace.Trace) {
	if trace.Packable(t) {
		f.headers.add(h)
		f.packer.Add(t)
	} else {
		whole := *t
		whole.Notes = h.Notes()
		f.headers.skip()
		f.packer.AddText(whole.AppendText(nil))
	}
	f.names = addNumbered(f.names, prefix, h.Number)
	f.count++
}

// Full reports whether it is time to write the frame.
func (f *PackedFrame) Full() bool { return len(f.headers.data)+f.packer.Len() >= f.fill }

// Reset empties the frame.
func (f *PackedFrame) Reset() {
	f.headers.reset()
	f.packer.Reset()
	f.names, f.count = f.names[:0], 0
}

// appendTo appends the content of the frame. It returns where each of its parts ends that needs a code of its own.
func (f *PackedFrame) appendTo(content []byte) ([]byte, [5]int) {
	columns := [...][]byte{f.headers.data, f.packer.Heads, f.packer.Calls, f.packer.Args, f.packer.Lits}
	content = append(content, packedMark...)
	for _, column := range columns[:len(columns)-1] {
		content = binary.AppendUvarint(content, uint64(len(column)))
	}
	var ends [len(columns)]int
	for i, column := range columns {
		content = append(content, column...)
		ends[i] = len(content)
	}
	return content, ends
}
