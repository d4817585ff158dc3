package store

import (
	"unsafe"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A parcel has copies of traces, one behind the other, for the archivist. To copy a small trace takes a third of the
// time of packing it, and no memory once the parcel has been full.
type parcel struct {
	traces  []copied
	calls   []trace.Call
	lits    []int32
	text    []byte
	size    int           // bytes that all that takes
	flushed chan struct{} // if not nil, the parcel is the wish to flush those before it
}

// A copied trace is a part of a parcel.
type copied struct {
	prefix            string // of its name
	header            notes.Header
	model             *apimodel.Model
	calls, lits, text int          // where it ends in the parcel
	whole             *trace.Trace // instead, if it has more than calls
}

// fullParcel is the minimum number of bytes in a full parcel: some hundred small traces. To wake the archivist takes as
// long as to copy many of them.
const fullParcel = 256 << 10

func (p *parcel) add(prefix string, kept Kept) {
	t := kept.Trace
	one := copied{prefix: prefix, header: *kept.Header, model: t.Model}
	if trace.Packable(t) {
		p.calls, p.lits, p.text = append(p.calls, t.Calls...), append(p.lits, t.Lits...), append(p.text, t.Bytes...)
	} else {
		one.whole = t.Clone()
	}
	one.calls, one.lits, one.text = len(p.calls), len(p.lits), len(p.text)
	p.traces = append(p.traces, one)
	p.size += int(unsafe.Sizeof(one)) + len(t.Calls)*int(unsafe.Sizeof(trace.Call{})) + 4*len(t.Lits) + len(t.Bytes)
}

// pack adds the traces to a frame. It calls full each time that the frame is full.
func (p *parcel) pack(frame *archive.PackedFrame, full func() error) error {
	var part trace.Trace
	var from copied
	for i := range p.traces {
		to := &p.traces[i]
		t := to.whole
		if t == nil {
			t = &part
			t.Model, t.Calls = to.model, p.calls[from.calls:to.calls]
			t.Lits, t.Bytes = p.lits[from.lits:to.lits], p.text[from.text:to.text]
		}
		from.calls, from.lits, from.text = to.calls, to.lits, to.text
		frame.Add(to.prefix, &to.header, t)
		if !frame.Full() {
			continue
		}
		if err := full(); err != nil {
			return err
		}
	}
	return nil
}

// reset empties the parcel. It reports false if the parcel is too large to be kept for the next traces.
func (p *parcel) reset() bool {
	if p.size > 2*fullParcel {
		return false
	}
	clear(p.traces) // they may refer to whole traces
	p.traces, p.calls, p.lits, p.text, p.size = p.traces[:0], p.calls[:0], p.lits[:0], p.text[:0], 0
	return true
}
