package dd

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A builder builds a candidate from the calls of a trace. Unchanged calls keep
// their expectations; calls that replace others have none.
type builder struct {
	from, to *trace.Trace
}

// rewrite builds a candidate. It calls each for every call of the trace. That function
// keeps the call, replaces it, or drops it by doing nothing.
func rewrite(t *trace.Trace, each func(b *builder, i int, c *trace.Call)) *trace.Trace {
	b := &builder{t, &trace.Trace{Model: t.Model, Notes: t.Notes, Planted: t.Planted}}
	b.to.Calls = make([]trace.Call, 0, len(t.Calls))
	b.to.Lits = make([]int32, 0, len(t.Lits))
	b.to.Want.Lits, b.to.Want.Text = t.Want.Lits, t.Want.Text // shared, never written
	for i := range t.Calls {
		each(b, i, &t.Calls[i])
	}
	return repaired(b.to)
}

func (b *builder) keep(i int) {
	b.to.Append(b.from, &b.from.Calls[i])
	b.expect(*b.from.Want.At(i))
}

// expect sets the expectation of the last call, if the trace has expectations.
func (b *builder) expect(a trace.Answer) {
	if len(b.from.Want.Of) == 0 {
		return
	}
	for len(b.to.Want.Of) < len(b.to.Calls)-1 {
		b.to.Want.Of = append(b.to.Want.Of, trace.Answer{})
	}
	b.to.Want.Of = append(b.to.Want.Of, a)
}

// call adds a call that replaces others; it has no expectation.
func (b *builder) call(op apimodel.Op, flags trace.Flags, instance uint16, num uint64, lits ...int32) {
	b.to.Calls = append(b.to.Calls, trace.Call{Op: op, Flags: flags, Instance: instance, Num: num,
		Pos: uint32(len(b.to.Lits)), Len: uint32(len(lits))})
	b.to.Lits = append(b.to.Lits, lits...)
	b.expect(trace.Answer{})
}

// number copies call i with another number.
func (b *builder) number(i int, num uint64) {
	b.keep(i)
	b.to.Calls[len(b.to.Calls)-1].Num = num
}

// without removes the calls for which gone returns true.
func without(t *trace.Trace, gone func(i int) bool) *trace.Trace {
	return rewrite(t, func(b *builder, i int, _ *trace.Call) {
		if !gone(i) {
			b.keep(i)
		}
	})
}

// repaired removes calls that have become illegal, such as queries without their solve, or
// an init without the release before it. So passes need not know which calls belong
// together.
func repaired(t *trace.Trace) *trace.Trace {
	walker := apimodel.NewWalker(t.Model)
	var illegal []int
	for i := range t.Calls {
		c := &t.Calls[i]
		if walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&trace.Open != 0}) != nil {
			illegal = append(illegal, i)
		}
	}
	if len(illegal) == 0 && t.Model.Quantified() {
		return repairedQuantified(t)
	}
	if len(illegal) == 0 {
		return t
	}
	return without(t, func(i int) bool {
		if len(illegal) > 0 && illegal[0] == i {
			illegal = illegal[1:]
			return true
		}
		return false
	})
}

// renamed returns the trace with name applied to all literals, and without expectations.
func renamed(t *trace.Trace, name func(lit int32) int32) *trace.Trace {
	to := &trace.Trace{Model: t.Model, Notes: t.Notes, Planted: t.RenamePlanted(name),
		Calls: t.Calls, Bytes: t.Bytes, Lits: make([]int32, len(t.Lits))}
	for i, lit := range t.Lits {
		to.Lits[i] = name(lit)
	}
	if t.Model.Quantified() {
		for i := range t.Calls {
			if c := &t.Calls[i]; c.Op.Binds() {
				for at, v := range to.Args(c) {
					to.Args(c)[at] = trace.Var(v)
				}
			}
		}
	}
	return to
}

// keyOf hashes a candidate without its notes.
func keyOf(t *trace.Trace) engine.Key {
	if len(t.Want.Of) > 0 {
		unnoted := *t
		unnoted.Notes, unnoted.Planted = nil, nil
		return sha256.Sum256(unnoted.AppendText(nil))
	}
	content := make([]byte, 0, 12*len(t.Calls)+2*len(t.Lits))
	for i := range t.Calls {
		c := &t.Calls[i]
		content = append(content, byte(c.Op), byte(c.Flags))
		content = binary.AppendUvarint(content, uint64(c.Instance))
		content = binary.AppendUvarint(content, uint64(c.Len))
		content = binary.AppendUvarint(content, c.Num)
		if c.Op.Form() == apimodel.FormText {
			content = append(content, t.Bytes[c.Pos:c.Pos+c.Len]...)
			continue
		}
		for _, lit := range t.Args(c) {
			content = binary.AppendVarint(content, int64(lit))
		}
	}
	return sha256.Sum256(content)
}
